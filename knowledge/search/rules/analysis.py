"""Analysis: what a text is found by. Pure.

One function cuts a text for the index and a query for the question, so that what was written and what is asked always
meet. A token is one of three kinds:

- a *term*: a word whose forms share a stem; a part of an identifier; a pair of neighbouring signs of a script that
  has no spaces;
- an *exact word*: the folded word as it stands, identifiers whole (`sltrhd_images`), and single signs of unspaced
  scripts;
- a *whole*: words that signs join into one name (`v1.9`, `10.0.0.12`, `--dry-run`, `lib/sltrhd_images.c`).

Tokens hold no white space. A token past `LONGEST` characters is cut there, in the index and in the query alike, so it
is still found; what tells it from its neighbours is then its first `LONGEST` characters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import NamedTuple

from knowledge.search.rules import scripts
from knowledge.search.rules.folding import folded, normalised
from knowledge.search.rules.languages import ENGLISH, language_of
from knowledge.search.rules.stemming import stemmed

#: Changes whenever the same text would be cut differently: an index cut by another number is rebuilt.
DERIVATION = 1

LONGEST = 80

#: How many different chunks an analyser remembers before it starts over: about 60 MB.
_REMEMBERED = 400_000

#: How many chunks of a text its language is guessed from.
_TELLING = 200


class Cut(NamedTuple):
    """The tokens of one stretch of text without white space, in the order they stand.

    `terms` are not stemmed yet; those that are no words of a language (pairs of signs, identifiers whole) are in
    `fixed`. `identifiers` are the wholes and exact words that somebody made up to be unmistakable.
    """

    terms: tuple[str, ...]
    exact: tuple[str, ...]
    fixed: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Analysed:
    """A text as the index takes it: tokens joined by single spaces."""

    stems: str
    exact: str


class Analyser:
    """Cuts texts, and remembers the chunks it has met, since a corpus repeats its words. One thread's."""

    def __init__(self) -> None:
        self._exact = _Exact()
        self._stems: dict[str, _Stems] = {}

    def analyse(self, *texts: str) -> tuple[Analysed, ...]:
        """The tokens of texts that belong together (a title and its body) and are in one language."""
        chunked = [chunks_of(text) for text in texts]
        exact = self._exact
        if len(exact) > _REMEMBERED:
            exact.clear()
            self._stems.clear()
        telling = chain.from_iterable(islice(chunks, _TELLING) for chunks in reversed(chunked))
        language = language_of(map(exact.__getitem__, telling)) or ENGLISH
        if language not in self._stems:
            self._stems[language] = _Stems(language, exact.cuts)
        stems = self._stems[language]
        analysed = tuple(
            Analysed(
                exact=" ".join(map(exact.__getitem__, chunks)),
                stems=" ".join(map(stems.__getitem__, chunks)),
            )
            for chunks in chunked
        )
        exact.cuts.clear()
        return analysed


class _Exact(dict[str, str]):
    """The exact words of every chunk met; `cuts` lends the stems the cuts made on the way."""

    def __init__(self) -> None:
        super().__init__()
        self.cuts: dict[str, Cut] = {}

    def __missing__(self, chunk: str) -> str:
        cut = self.cuts[chunk] = cut_chunk(chunk)
        words = self[chunk] = " ".join(cut.exact + cut.wholes)
        return words


class _Stems(dict[str, str]):
    """The stems of every chunk met in texts of one language."""

    def __init__(self, language: str, cuts: dict[str, Cut]) -> None:
        super().__init__()
        self._of_words = _StemsOfWords(language)
        self._cuts = cuts

    def __missing__(self, chunk: str) -> str:
        cut = self._cuts.get(chunk) or cut_chunk(chunk)
        stems = self[chunk] = " ".join((*map(self._of_words.__getitem__, cut.terms), *cut.fixed))
        return stems


class _StemsOfWords(dict[str, str]):
    """The stem of every word met in texts of one language: chunks that differ share their words."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._language = language

    def __missing__(self, word: str) -> str:
        stem = self[word] = stemmed(word, self._language)
        return stem


#: Signs that join nothing, as spaces: what is left in a chunk may be one name. Only ASCII bytes, so UTF-8 survives.
_BORDERS = bytes(32 if byte < 33 or chr(byte) in "!\"$%&'()*,;<=>?[]^`{|}~\x7f" else byte for byte in range(256))


def chunks_of(text: str) -> list[str]:
    """The stretches of a text that may each be one word or one name."""
    plain = normalised(text).encode("utf-8", "replace").translate(_BORDERS)
    return plain.replace(b". ", b" ").replace(b": ", b" ").decode().split()


def cut_text(text: str) -> Iterator[Cut]:
    """The cuts of a text's chunks, in order."""
    return map(cut_chunk, chunks_of(text))


def cut_chunk(chunk: str) -> Cut:
    """The tokens of one chunk."""
    if chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk[1:].islower()):
        word = (chunk.lower()[:LONGEST],)
        return Cut(terms=word, exact=word)
    words = (chunk,) if chunk.isalnum() else scripts.WORD.findall(chunk)
    wholes, identifiers = _names(chunk)
    if len(words) == 1 and not wholes:
        return _cut_word(words[0])
    return _joined(list(map(_cut_word, words)), wholes, identifiers)


def _joined(cuts: Sequence[Cut], wholes: tuple[str, ...] = (), identifiers: tuple[str, ...] = ()) -> Cut:
    """Several cuts as one, with the names that they make together."""
    if not cuts:
        return Cut((), (), (), wholes, identifiers)
    terms, exact, fixed, _, own = map(tuple, map(chain.from_iterable, zip(*cuts, strict=True)))
    return Cut(terms, exact, fixed, wholes, own + identifiers)


@lru_cache(maxsize=65_536)
def _cut_word(word: str) -> Cut:
    """The tokens of one run of letters, digits, marks and underscores."""
    if word.isascii():
        return _cut_spaced(word)
    return _joined(
        [
            _cut_unspaced(run["unspaced"]) if run["unspaced"] else _cut_spaced(run.group())
            for run in scripts.SCRIPT_RUN.finditer(word)
        ]
    )


def _cut_unspaced(run: str) -> Cut:
    signs = [folded(sign) for sign in scripts.CLUSTER.findall(run)]
    pairs = [first + second for first, second in pairwise(signs)]
    return Cut(terms=(), exact=tuple(signs), fixed=tuple(pairs or signs))


def _cut_spaced(word: str) -> Cut:
    bare = word.strip("_")
    whole = folded(bare)[:LONGEST]
    if not whole:
        return Cut((), ())
    # A word without capital letters and underscores has no inner borders: most names in a text are such words.
    has_borders = "_" in bare or bare != bare.lower()
    pieces = scripts.HUMP.sub(" ", bare.replace("_", " ")).split() if has_borders else [bare]
    if len(pieces) == 1:
        parts = _letters_beside_digits(whole)
        return Cut((whole, *parts), (whole,))
    terms = _letters_beside_digits(whole) if "_" not in whole else []
    for piece in pieces:
        plain = folded(piece)[:LONGEST]
        terms.append(plain)
        terms.extend(_letters_beside_digits(plain))
    is_identifier = "_" in bare or bare[0].islower()
    return Cut(tuple(terms), (whole,), (whole,), (), (whole,) if is_identifier else ())


def _letters_beside_digits(plain: str) -> list[str]:
    """`oauth` of `oauth2`: the letters that a word has beside its digits."""
    if plain.isalpha() or not plain.isascii():
        return []
    parts = scripts.PART.findall(plain)
    return [part for part in parts if len(part) > 1 and part.isalpha()] if len(parts) > 1 else []


def _names(chunk: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that signs join in a chunk, folded, and those among them that are identifiers."""
    if chunk.isalnum() or _JOINING.isdisjoint(chunk):
        return (), ()
    names: list[str] = []
    if "." in chunk or "-" in chunk or "+" in chunk:
        names += scripts.JOINED.findall(chunk)
    if "/" in chunk or ":" in chunk or "@" in chunk or "\\" in chunk:
        names += scripts.ADDRESS.findall(chunk)
    if "+" in chunk or "#" in chunk:
        names += scripts.SIGNED.findall(chunk)
    names += [bare for name in names if name[0] == "-" and "-" in (bare := name.lstrip("-"))]
    wholes = {name: folded(name)[:LONGEST] for name in names}
    return tuple(dict.fromkeys(wholes.values())), tuple(
        dict.fromkeys(whole for name, whole in wholes.items() if _is_identifier(name))
    )


_JOINING = frozenset(".+-/:@\\#")


def _is_identifier(name: str) -> bool:
    """Whether a joined name is one that somebody made up to be unmistakable, rather than hyphenated prose."""
    return (
        name.startswith("-")
        or "_" in name
        or "::" in name
        or not _DIGITS.isdisjoint(name)
        or ("/" in name and "." in name)
        or name.endswith(("+", "#"))
    )


_DIGITS = frozenset("0123456789")
