"""Which characters make words, and how each writing system is cut. Pure.

Python's `\\w` leaves combining marks out, which would cut every Hindi, Tamil or Thai word at its vowel signs; and no
pattern of the standard library knows scripts. So the few classes that search needs are written down here as ranges.
"""

from __future__ import annotations

import re

#: Scripts written without spaces between words, and Hangul, whose words carry their particles: cut into pairs.
UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ecd\u0edc-\u0edf"  # Lao
    "\u1000-\u1049\u1050-\u109f\ua9e0-\ua9fe\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17d3\u17d7\u17dc-\u17dd"  # Khmer
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u3096\u3099-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"  # kana
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"  # Hangul
)

#: Combining marks, and the blocks whose letters and marks stand together in a word.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0"
    "\u0900-\u0963\u0966-\u096f\u0971-\u0df3\u0f18-\u0f19\u0f35\u0f37\u0f39\u0f71-\u0f84\u0f86-\u0fbc"
    "\u135d-\u135f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)

_LETTER = rf"\w{MARKS}{UNSPACED}"

#: A run of letters, digits, marks and underscores: one word, or one run of an unspaced script.
WORD = re.compile(rf"[{_LETTER}]+")

#: Within a word: runs of unspaced scripts, and what stands between them.
SCRIPT_RUN = re.compile(rf"(?P<unspaced>[{UNSPACED}]+)|[^{UNSPACED}]+")

#: One written sign with the vowels and tone marks that sit on it.
CLUSTER = re.compile(
    ".[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u102b-\u103e\u1056-\u1059\u105e-\u1060"
    "\u17b4-\u17d3\u17dd\u3099-\u309a]*",
    re.DOTALL,
)

#: Words joined by dots, hyphens or pluses, perhaps after option dashes: `v1.9`, `10.0.0.12`, `--dry-run`.
JOINED = re.compile(
    rf"(?<![{_LETTER}-])--?(?=[{_LETTER}])[{_LETTER}]+(?:[.+-][{_LETTER}]+)*|[{_LETTER}]+(?:[.+-][{_LETTER}]+)+"
)

#: Joined words that an address joins further: `lib/sltrhd_images.c`, `std::vector`, `ops@harbour.example`.
ADDRESS = re.compile(
    rf"[{_LETTER}]+(?:[.+/:@\\-]{{1,3}}[{_LETTER}]+)*[/:@\\]{{1,3}}[{_LETTER}]+(?:[.+/:@\\-]{{1,3}}[{_LETTER}]+)*"
)

#: Names that end in signs: `C++`, `C#`, `F#`.
SIGNED = re.compile(rf"(?<![{_LETTER}])[A-Za-z](?:\+\+|#)(?![{_LETTER}])")

#: The inner borders of an identifier: underscores, `camelCase`, `HTTPServer`, letters beside digits.
PART = re.compile(r"[^\W\d_]+|\d+")
HUMP = re.compile(r"(?<=[a-zà-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zà-öø-ÿ])")
