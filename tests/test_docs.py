"""Holds the documents true: what they name exists, what they link to is there, and the examples are served."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from django.urls import resolve

from company.rules.document import parse_document
from company.rules.document.schema import CompanyDocument, Section
from crewlet_site import cli
from crewlet_site.environment import ROOT
from crewlet_site.example_pages import EXAMPLES, read_pages, with_links

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)


def _prose(path: Path) -> str:
    return _FENCE.sub("", path.read_text(encoding="utf-8"))


def _anchors(path: Path) -> set[str]:
    """The anchors of a document's headings as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", _prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_relative_link_of_a_document_leads_somewhere(document: Path) -> None:
    for link in _LINK.findall(_prose(document)):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), f"{document.name} links to {link}"
        if anchor and target.suffix == ".md":
            assert anchor in _anchors(target), f"{document.name} links to {link}"


def _code(path: Path) -> list[str]:
    """The lines of a document that are code: in fences and between backticks."""
    text = path.read_text(encoding="utf-8")
    fenced = [line.strip() for block in _FENCE.findall(text) for line in block.splitlines()[1:-1]]
    return [*fenced, *re.findall(r"`([^`\n]+)`", _prose(path))]


def _commands() -> list[str]:
    """Every `./crewlet` command line of the documents, without its comment."""
    lines = [line for document in DOCUMENTS for line in _code(document) if line.startswith("./crewlet ")]
    return sorted({line.split("  #")[0].split(" > ")[0].strip() for line in lines if "…" not in line})


@pytest.mark.parametrize("command", _commands())
def test_every_command_of_the_documents_is_one_the_command_line_takes(command: str) -> None:
    words = shlex.split(command)[1:]
    if words[0] in {"test", "bench"}:  # these hand their arguments on
        words = words[:1]
    if words != ["--help"]:
        assert cli.parser().parse_args(words).command == words[0]


def _routes() -> list[tuple[str, str]]:
    """Every route the documents name: method and path, with examples in the place of its parameters."""
    found: set[tuple[str, str]] = set()
    for document in DOCUMENTS:
        for line in _code(document):
            for method, path in re.findall(r"\b(GET|POST|PUT|PATCH|DELETE) (/api/[^\s`?]+)", line):
                found.add(
                    (method, path.replace("{CONTAINER}", "ENG").replace("{id}", "12").replace("{title}", "Title"))
                )
    return sorted(found)


@pytest.mark.parametrize(("method", "path"), _routes(), ids=lambda word: word)
def test_every_route_of_the_documents_is_served(method: str, path: str) -> None:
    view = resolve(path).func
    served = getattr(view, "actions", None) or vars(getattr(view, "view_class", None) or view.cls)  # type: ignore[attr-defined]
    assert method.lower() in served


def _fields(model: type[Section]) -> set[str]:
    """Every field name of a section and of the sections inside it."""
    found: set[str] = set()
    for name, field in model.model_fields.items():
        found.add(name)
        for inner in re.findall(r"\w+Section", str(field.annotation)):
            section = next(sub for sub in Section.__subclasses__() if sub.__name__ == inner)
            if section is not model:
                found |= _fields(section)
    return found


@pytest.mark.covers("CO-01")
def test_every_field_of_the_company_document_is_explained() -> None:
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", _prose(ROOT / "docs/company-document.md")))))
    assert _fields(CompanyDocument) - words == set()


@pytest.mark.covers("CO-01")
def test_the_example_company_is_a_document_with_nothing_wrong_and_nothing_ignored() -> None:
    assert parse_document((EXAMPLES / "company.yaml").read_text(encoding="utf-8")).ignored == ()


def test_every_link_between_example_pages_leads_to_a_page_of_the_example() -> None:
    pages = read_pages()
    ids = {page.path: number for number, page in enumerate(pages, 1)}
    for page in pages:
        assert page.parent is None or page.parent in ids
        assert not [link for link in _LINK.findall(with_links(page, ids)) if not link.startswith("/knowledge/pages/")]


def test_every_tool_is_told_of_with_whom_it_is_for() -> None:
    from crewlet_site.mcp.servers import TOOLS

    told = set(re.findall(r"`(\w+)`", _prose(ROOT / "docs/mcp.md")))
    assert {tool.name for tool in TOOLS} - told == set()
