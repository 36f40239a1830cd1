"""The one renderer of page bodies: markdown in, HTML out that cannot run, load or steer anything. Pure.

Owns what a page may show: CommonMark with tables, task lists, footnotes, strikethrough, bare addresses as links,
highlighted code and an anchor on every heading. Refuses raw HTML (shown as its own text), every link scheme but
`http`, `https`, `mailto` and the app's own routes, and pictures from anywhere but the app: those become links, so
that nothing is fetched until somebody follows it. No attribute of the output is a page's own invention, hence no
event handler, `style`, `hx-*` or `data-*` can come out of a body.

Work is bounded by the size of the input. What would cost more is shown as the text it is: a single run of text
beyond `MAX_RUN` or with more than `MAX_MARKS` marks, link targets past `MAX_LINKED` in all, code past
`MAX_HIGHLIGHTED`, and all that follows the line `MAX_LINES`, under a note that says so.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.footnote import footnote_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from knowledge.rules.controls import show_controls
from knowledge.rules.links import ANCHOR_PREFIX, ItemLink, PageLink, item_link, page_link, resolve_link
from knowledge.rules.mentions import NOBODY, find_mentions, mark_mentions
from knowledge.rules.pieces import pieces_of, reaches_far

MAX_RUN = 65_536
MAX_MARKS = 4_096
MAX_LINKED = 1_048_576
MAX_HIGHLIGHTED = 32_768
MAX_HIGHLIGHTED_IN_ALL = 131_072
MAX_LINES = 20_000
MAX_ANCHOR = 80
MAX_CONTENTS = 200
MAX_CONTENTS_ENTRY = 160

# A lexer is a table of regular expressions that somebody else wrote; these are the ones a company's pages use.
LANGUAGES = frozenset(
    {"bash", "c", "c++", "console", "cpp", "csharp", "css", "diff", "docker", "dockerfile", "elixir", "go",
     "graphql", "hcl", "html", "http", "ini", "java", "javascript", "js", "json", "jsx", "kotlin", "kt", "lua",
     "make", "makefile", "nginx", "php", "powershell", "py", "python", "rb", "ruby", "rs", "rust", "scala", "sh",
     "shell", "sql", "swift", "terraform", "toml", "ts", "tsx", "typescript", "xml", "yaml", "yml", "zsh"}
)  # fmt: skip

_SCHEME = re.compile(r"^[a-z][a-z0-9+.\-]*:", re.IGNORECASE)
_OWN_PICTURE = re.compile(r"^/(?:api/v1/)?attachments/\d{1,18}$")
_MARKS = re.compile(r"[\[\]!*_~`<&\\^]")
# no entity but a numbered one stands for a letter of these words
_MAY_NAME_ONE = re.compile(r"pages|items|&#", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?")
_TASK = re.compile(r"^\[([ xX])\](?=[ \t\n]|$)")


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading as a contents list shows it; `anchor` is the id it carries in the HTML."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, kw_only=True)
class LinkPlace:
    """Where in the HTML the opening tag of a link to a page ends: right before its `>`."""

    at: int
    page_id: int


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """HTML that may be put into a screen as it is, the headings in it, and its links to pages, in order.

    `contents` is HTML, too: the entries of a list of the first `MAX_CONTENTS` headings.
    """

    html: str
    headings: tuple[Heading, ...]
    contents: str = ""
    page_links: tuple[LinkPlace, ...] = ()


def _contents(headings: Sequence[Heading]) -> str:
    """The entries of a contents list: each heading as a link to its place. Empty without two to choose from."""
    if len(headings) < 2:
        return ""
    return "".join(
        f'<li class="level-{heading.level}"><a href="#{escape(heading.anchor)}"><bdi>{escape(_short(heading.text))}'
        "</bdi></a></li>"
        for heading in headings[:MAX_CONTENTS]
    )


def _short(text: str) -> str:
    return text if len(text) <= MAX_CONTENTS_ENTRY else f"{text[: MAX_CONTENTS_ENTRY - 1].rstrip()}\u2026"


MAX_KEPT = 65_536


@functools.lru_cache(maxsize=512)
def _kept(text: str, base_urls: tuple[str, ...], handles: frozenset[str], within: str) -> Rendered:
    return render(text, base_urls=base_urls, handles=handles, within=within)


def render_kept(
    text: str, *, base_urls: Sequence[str] = (), handles: frozenset[str] = NOBODY, within: str = ""
) -> Rendered:
    """`render`, remembering what it made of the last bodies of ordinary length; for pages that are read often."""
    if len(text) > MAX_KEPT:
        return render(text, base_urls=base_urls, handles=handles, within=within)
    return _kept(text, tuple(base_urls), handles, within)


class Anchors:
    """Hands out the ids of one text's headings, each once; `within` sets them apart from those of other texts."""

    def __init__(self, within: str = "") -> None:
        self._prefix = f"{ANCHOR_PREFIX}{within}-" if within else ANCHOR_PREFIX
        self._taken: set[str] = set()
        self._last: dict[str, int] = {}

    def take(self, title: str) -> str:
        """An id made of the title's letters and digits, in whatever script, with a number from the second one on."""
        folded = unicodedata.normalize("NFC", title[: 4 * MAX_ANCHOR]).casefold()
        # Marks belong to the letters of many scripts: without them Hindi or Thai headings would lose their vowels.
        kept = "".join(c if c.isalnum() or unicodedata.category(c).startswith("M") else "-" for c in folded)
        stem = re.sub(r"-{2,}", "-", kept).strip("-")[:MAX_ANCHOR].strip("-") or "section"
        number = self._last.get(stem, 0) + 1
        anchor = f"{self._prefix}{stem}" if number == 1 else f"{self._prefix}{stem}-{number}"
        while anchor in self._taken:
            number += 1
            anchor = f"{self._prefix}{stem}-{number}"
        self._last[stem] = number
        self._taken.add(anchor)
        return anchor


@dataclass(kw_only=True)
class _Work:
    """What one rendering has used up and found so far."""

    base_urls: tuple[str, ...]
    linked: int = 0
    highlighted: int = 0
    anchors: Anchors = field(default_factory=Anchors)
    headings: list[Heading] = field(default_factory=list)


def render(text: str, *, base_urls: Sequence[str] = (), handles: frozenset[str] = NOBODY, within: str = "") -> Rendered:
    """The HTML of a body. `base_urls` are the addresses this app itself is reached by: links there stay inside.

    `handles` are the seats that `@handle` outside code can mean; any other name after an `@` is text. `within` names
    the text where a screen shows several, so that no two elements carry one id.

    Never raises for any text. Headings are one level lower than written, because the screen's own title is the first.
    """
    work = _Work(base_urls=tuple(url.rstrip("/") for url in base_urls if url), anchors=Anchors(within))
    env: dict[str, Any] = {"work": work, "handles": handles}
    if within:
        env["docId"] = within  # what the footnotes put into their ids
    text, rest = _split(text.replace("\x00", "\ufffd"))
    html = _parser().render(text, env)
    if rest:
        html += (
            f'<p class="note">This page has more than {MAX_LINES:,} lines. '
            "The rest of it is shown as it was written.</p>\n"
            '<pre class="code" tabindex="0" role="region" aria-label="The rest of the page">'
            f"{show_controls(escape(rest))}</pre>\n"
        )
    html, places = _take_places(html)
    return Rendered(html=html, headings=tuple(work.headings), contents=_contents(work.headings), page_links=places)


class Gone(StrEnum):
    """Why a link to a page leads nowhere: it is in the trash, or there is no such page for whoever reads."""

    TRASH = "trash"
    NOWHERE = "nowhere"


def mark_gone(rendered: Rendered, gone: Mapping[int, Gone]) -> Rendered:
    """The same HTML, the links to pages that are `gone` saying so.

    What a page links to changes without the page, so this comes after the rendering, which may be a kept one.
    """
    parts: list[str] = []
    at = 0
    for place in rendered.page_links:
        if place.page_id in gone:
            parts += [rendered.html[at : place.at], f' data-gone="{gone[place.page_id]}"']
            at = place.at
    return replace(rendered, html="".join([*parts, rendered.html[at:]])) if parts else rendered


@dataclass(frozen=True, kw_only=True)
class Links:
    """The pages and the work items a text links to, each once, in order."""

    pages: tuple[PageLink, ...] = ()
    items: tuple[ItemLink, ...] = ()


def links_in(text: str) -> Links:
    """What a text links to: where `render` writes a link to it, and nowhere else.

    Read are the pieces of the text that may name a page or an item, and of these only the runs that may.
    """
    if not _MAY_NAME_ONE.search(text):
        return Links()
    read = _LINE_END.sub("\n", _split(text.replace("\x00", "\ufffd"))[0])
    only = not reaches_far(read)  # a definition gives a run a link that it does not name
    wanted = (piece for piece in pieces_of(read) if _MAY_NAME_ONE.search(piece))
    tokens = (token for piece in wanted for token in _parser().parse(piece, {"links_only": only}))
    targets = list(dict.fromkeys(target for token in tokens for target in _targets_of(token)))
    return Links(
        pages=tuple(dict.fromkeys(link for target in targets if (link := page_link(target)) is not None)),
        items=tuple(dict.fromkeys(item for target in targets if (item := item_link(target)) is not None)),
    )


def page_links_in(text: str) -> tuple[PageLink, ...]:
    """The pages a text links to, each once, in order."""
    return links_in(text).pages


def _targets_of(token: Token) -> Iterator[str]:
    """What the links and pictures of a token lead to; a picture from elsewhere is shown as a link."""
    for child in token.children or ():
        if child.type == "link_open":
            yield str(child.attrGet("href") or "")
        elif child.type == "image":
            yield str(child.attrGet("src") or "")


def _take_places(html: str) -> tuple[str, tuple[LinkPlace, ...]]:
    """The HTML without the places of its links, and the places. NUL frames them: no text that comes in holds one."""
    parts = html.split("\x00")
    places: list[LinkPlace] = []
    at = 0
    for words, page_id in zip(parts[::2], parts[1::2], strict=False):
        at += len(words)
        places.append(LinkPlace(at=at, page_id=int(page_id)))
    return "".join(parts[::2]), tuple(places)


def mentions_in(text: str, *, handles: frozenset[str]) -> tuple[str, ...]:
    """The seats of `handles` a text mentions, each once, in order: where `render` marks one, and nowhere else."""
    if "@" not in text:
        return ()
    tokens = _parser().parse(_split(text.replace("\x00", "\ufffd"))[0], {"handles": handles})
    inside = (child for token in tokens for child in token.children or ())
    return tuple(dict.fromkeys(str(child.meta["handle"]) for child in inside if child.type == "mention"))


def added_mentions(before: str, after: str, *, handles: frozenset[str]) -> tuple[str, ...]:
    """The seats a body mentions now and did not name at all before.

    Only a body that names somebody new is parsed, so that saving a long page costs no more for being long.
    """
    named = {mention.handle for mention in find_mentions(before, handles=handles)}
    if all(mention.handle in named for mention in find_mentions(after, handles=handles)):
        return ()
    return tuple(handle for handle in mentions_in(after, handles=handles) if handle not in named)


def _split(text: str) -> tuple[str, str]:
    """The lines that are read as markdown, and what is left of the text after them."""
    if text.count("\n") <= MAX_LINES:
        return text, ""
    end = 0
    for _ in range(MAX_LINES):
        end = text.index("\n", end) + 1
    return text[:end], text[end:]


_threads = threading.local()


def _parser() -> MarkdownIt:
    """The parser of this thread. The link finder inside keeps its place in itself, so threads do not share one."""
    parser: MarkdownIt | None = getattr(_threads, "parser", None)
    if parser is None:
        parser = MarkdownIt("commonmark", {"html": False, "linkify": True}, renderer_cls=_Renderer)
        parser.enable(["table", "strikethrough", "linkify"])
        parser.use(footnote_plugin)
        parser.use(front_matter_plugin)
        parser.validateLink = _may_lead  # type: ignore[method-assign]
        parser.core.ruler.before("inline", "bound_runs", _bound_runs)
        parser.core.ruler.after("inline", "task_marks", _mark_tasks)
        parser.core.ruler.push("mentions", mark_mentions)
        _threads.parser = parser
    return parser


def _may_lead(url: str) -> bool:
    """markdown-it asks this of every link; it is decided again, with the base addresses, when it is written out."""
    return resolve_link(url) is not None


def _bound_runs(state: StateCore) -> None:
    """Take the marks' meaning from a run of text that would cost more than its size to read."""
    for token in state.tokens:
        if token.type != "inline":
            continue
        unwanted = state.env.get("links_only") and not _MAY_NAME_ONE.search(token.content)
        if unwanted or len(token.content) > MAX_RUN or sum(1 for _ in _MARKS.finditer(token.content)) > MAX_MARKS:
            token.type = "literal"


def _mark_tasks(state: StateCore) -> None:
    """Turn `[ ]` and `[x]` at the head of a list item into a mark that is read out as open or done."""
    tokens = state.tokens
    for index in range(2, len(tokens)):
        token = tokens[index]
        if token.type != "inline" or tokens[index - 2].type != "list_item_open" or not token.children:
            continue
        first = token.children[0]
        mark = _TASK.match(first.content) if first.type == "text" else None
        if mark is None:
            continue
        first.content = first.content[mark.end() :]
        task = Token("task_mark", "", 0)
        task.meta = {"done": mark[1] in "xX"}
        token.children.insert(0, task)
        tokens[index - 2].meta["task"] = True


class _Formatter(HtmlFormatter[str]):
    """Pygments' tokens as classes; the stylesheet gives them their colours in light and dark."""

    def __init__(self) -> None:
        super().__init__(nowrap=True, classprefix="hl-")


_formatter = _Formatter()


class _Renderer(RendererHTML):
    """Writes the tokens out. Every attribute it writes is named here; none is copied from a body."""

    def renderInlineAsText(  # noqa: N802 (the name is markdown-it's)
        self, tokens: Sequence[Token] | None, options: OptionsDict, env: MutableMapping[str, Any]
    ) -> str:
        return _text_of(tokens or ())

    def literal(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return f'<span class="literal">{escape(tokens[idx].content)}</span>'

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        work: _Work = env["work"]
        inside = tokens[idx + 1]
        text = inside.content[:MAX_RUN] if inside.type == "literal" else _text_of(inside.children or ())
        text = " ".join(text.split())
        anchor = work.anchors.take(text)
        level = min(int(tokens[idx].tag[1]) + 1, 6)
        work.headings.append(Heading(level=level, text=text, anchor=anchor))
        return f'<h{level} id="{escape(anchor)}">'

    def heading_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        level = min(int(tokens[idx].tag[1]) + 1, 6)
        anchor = escape(env["work"].headings[-1].anchor)
        return f'<a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></h{level}>\n'

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        token = tokens[idx]
        target = str(token.attrGet("href") or "")
        return _anchor_open(target, title=str(token.attrGet("title") or ""), work=env["work"])

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        token = tokens[idx]
        work: _Work = env["work"]
        source = resolve_link(str(token.attrGet("src") or ""), base_urls=work.base_urls)
        words = _text_of(token.children or ())
        title = str(token.attrGet("title") or "")
        if source is not None and _OWN_PICTURE.match(source):
            work.linked += len(title)
            said = f' title="{escape(title)}"' if title and work.linked <= MAX_LINKED else ""
            return f'<img src="{escape(source)}" alt="{escape(words)}"{said} loading="lazy" decoding="async">'
        opened = _anchor_open(str(token.attrGet("src") or ""), title=title, work=work, kind="picture")
        return f"{opened}{escape(words) or 'picture'}</a>"

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        token = tokens[idx]
        words = token.info.split(maxsplit=1)
        return _code(token.content, language=words[0] if words else "", work=env["work"])

    def code_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return f"<code>{show_controls(escape(tokens[idx].content))}</code>"

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return _code(tokens[idx].content, language="", work=env["work"])

    def front_matter(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return _code(tokens[idx].content, language="yaml", work=env["work"])

    def bullet_list_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return '<ul dir="auto">\n'

    def ordered_list_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        start = tokens[idx].attrGet("start")
        return f'<ol start="{int(start)}" dir="auto">\n' if start is not None else '<ol dir="auto">\n'

    def blockquote_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return '<blockquote dir="auto">\n'

    def list_item_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return '<li class="task">' if tokens[idx].meta.get("task") else "<li>"

    def task_mark(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        names, words = ("task-mark is-done", "done") if tokens[idx].meta["done"] else ("task-mark", "open")
        return f'<span class="{names}" role="img" aria-label="{words}"></span>'

    def mention(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return f'<span class="mention">{escape(tokens[idx].content)}</span>'

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return '<div class="table-scroll" tabindex="0" role="region" aria-label="Table"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return f'<th scope="col"{_alignment(tokens[idx])}>'

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Mapping[str, Any]) -> str:
        return f"<td{_alignment(tokens[idx])}>"


def _alignment(cell: Token) -> str:
    """The class of a cell's column alignment; markdown-it would write it as an inline style."""
    for side in ("left", "right", "center"):
        if f"text-align:{side}" in str(cell.attrGet("style") or ""):
            return f' class="align-{side}"'
    return ""


def _anchor_open(target: str, *, title: str, work: _Work, kind: str = "") -> str:
    """The opening tag of a link; without an address where it may not lead there or the page has linked enough."""
    work.linked += len(target) + len(title)
    resolved = resolve_link(target, base_urls=work.base_urls) if work.linked <= MAX_LINKED else None
    if resolved is None:
        return '<a class="dead">'
    names = [kind] if kind else []
    outside = bool(_SCHEME.match(resolved))
    if outside and not resolved.lower().startswith("mailto:"):
        names.append("outside")
    attributes = f' class="{" ".join(names)}"' if names else ""
    if title:
        attributes += f' title="{escape(title)}"'
    if outside:
        attributes += ' rel="noopener noreferrer nofollow"'
    page = page_link(resolved)
    place = f"\x00{page.page_id}\x00" if page is not None and not page.origin else ""
    return f'<a href="{escape(resolved)}"{attributes}{place}>'


def _code(text: str, *, language: str, work: _Work) -> str:
    """A block of code, highlighted where its language is one of `LANGUAGES` and it is not too long for that."""
    name = language.lower()
    inside = escape(text)
    if name in LANGUAGES and len(text) <= MAX_HIGHLIGHTED and work.highlighted + len(text) <= MAX_HIGHLIGHTED_IN_ALL:
        work.highlighted += len(text)
        try:
            lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
        except ClassNotFound:
            pass
        else:
            inside = highlight(text, lexer, _formatter)
    label = f' aria-label="Code, {escape(name)}"' if name in LANGUAGES else ' aria-label="Code"'
    return f'<pre class="code" tabindex="0" role="region"{label}><code>{show_controls(inside)}</code></pre>\n'


def _text_of(tokens: Sequence[Token]) -> str:
    """The words of inline tokens without their marks; what a picture stands for counts as its words."""
    parts: list[str] = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_text_of(token.children or ()))
        else:
            parts.append(token.content)
    return "".join(parts)
