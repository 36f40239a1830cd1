"""What a text is found by: the same cut for what was written and what is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search.rules.analysis import LONGEST, Analyser, cut_text
from knowledge.search.rules.folding import folded, normalised
from knowledge.search.rules.languages import language_of
from knowledge.search.rules.queries import query_tokens

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=300)


def found_by(text: str) -> set[str]:
    """Every token a document with this body is found by."""
    (analysed,) = Analyser().analyse(text)
    return {*analysed.stems.split(), *analysed.exact.split()}


def asked_for(question: str) -> set[str]:
    """Every token that a question asks for."""
    tokens = query_tokens(question)
    return {*(stem for stems in tokens.stems for stem in stems), *tokens.exact, *tokens.wholes}


@pytest.mark.covers("SE-04")
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("See sltrhd_images for that.", "sltrhd_images"),
        ("See sltrhd_images for that.", "sltrhd"),
        ("See sltrhd_images for that.", "images"),
        ("call `getUserById(7)` once", "getUserById"),
        ("call `getUserById(7)` once", "user"),
        ("it says ERR_CONN_RESET.", "ERR_CONN_RESET"),
        ("it says ERR_CONN_RESET.", "reset"),
        ("since v1.9, mostly", "v1.9"),
        ("at 10.0.0.12:8080", "10.0.0.12"),
        ("run with --dry-run.", "--dry-run"),
        ("run with --dry-run.", "dry run"),
        ("| harbour | berth |", "berth"),
        ('(berth), "berth" and *berth*', "berth"),
        ("lib/sltrhd_images.c", "sltrhd_images"),
        ("class HTTPServer", "server"),
        ("OAuth2 flow", "oauth"),
        ("written in C++ and C#", "c++"),
        ("Łódź", "lodz"),
        ("lodz", "Łódź"),
        ("Straße", "strasse"),
        ("STRASSE", "straße"),
        ("smørrebrød", "smorrebrod"),
        ("smorrebrod", "smørrebrød"),
        ("Encyclopædia, œuvre", "encyclopaedia"),
        ("Encyclopaedia, oeuvre", "œuvre"),
        ("cafe\u0301", "café"),
        ("ﬁle Ｆｕｌｌ", "file full"),
        ("Московское метро", "метро"),
        ("ещё", "еще"),
        ("今天我们使用数据库系统", "数据库"),
        ("使用API时出错", "api"),
        ("東京タワーの高さ", "タワー"),
        ("데이터베이스를", "데이터"),
        ("deployments", "deploying"),
        ("berths", "berth"),
        ("कश्मीर में", "कश्मीर"),
        ("فِي المدرسة", "في"),
    ],
)
def test_a_page_is_found_by(written: str, asked: str) -> None:
    assert asked_for(asked) & found_by(written)


@pytest.mark.covers("SE-04")
@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Wir bauten viele Häuser und die Straßen von der Stadt", "haus strasse"),
        ("los barcos que cruzan el río", "barco"),
    ],
)
def test_forms_of_a_word_meet_in_the_language_of_the_text(written: str, asked: str) -> None:
    found = found_by(written)
    assert all(set(stems) & found for stems in query_tokens(asked).stems)


@pytest.mark.covers("SE-04")
def test_an_exact_word_is_kept_beside_its_stem() -> None:
    (analysed,) = Analyser().analyse("Deployments")
    assert analysed.stems == "deploy"
    assert analysed.exact == "deployments"


@pytest.mark.covers("SE-04")
@pytest.mark.parametrize("name", ["sltrhd_images", "getUserById", "ERR_CONN_RESET", "v1.9", "10.0.0.12", "--dry-run"])
def test_an_identifier_is_told_from_its_words(name: str) -> None:
    assert query_tokens(f"what about {name}").identifiers


@pytest.mark.covers("SE-04")
@pytest.mark.parametrize("name", ["three-dimensional", "and/or", "Harbour", "don't", "e.g."])
def test_hyphenated_prose_is_no_identifier(name: str) -> None:
    assert query_tokens(name).identifiers == ()


@pytest.mark.covers("SE-03")
def test_words_nearly_every_text_holds_are_left_out_unless_nothing_else_is_asked() -> None:
    assert query_tokens("how is the berth").exact == ("berth",)
    assert query_tokens("to be or not to be").exact == ("to", "be", "or", "not")


@pytest.mark.covers("SE-04")
def test_only_a_word_at_the_very_end_is_still_being_typed() -> None:
    assert query_tokens("roll back depl").typed == "depl"
    assert query_tokens("roll back depl ").typed is None
    assert query_tokens("what is depl?").typed is None


def test_the_language_is_only_guessed_from_enough_of_its_words() -> None:
    assert language_of(["die", "anlegestelle", "ist", "nicht", "frei", "und", "der", "hafen"]) == "german"
    assert language_of(["int", "main", "return", "void"]) is None
    assert language_of([]) is None


@pytest.mark.covers("SE-03")
@given(ANY_TEXT)
def test_any_text_is_cut_the_same_way_alone_and_in_an_index(text: str) -> None:
    found = found_by(text)
    for cut in cut_text(text):
        for token in (*cut.exact, *cut.wholes, *cut.fixed):
            assert token in found
            assert token == "".join(token.split())
            assert 0 < len(token) <= LONGEST


@pytest.mark.covers("SE-04")
@given(ANY_TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = folded(normalised(text))
    assert folded(once) == once


@pytest.mark.covers("SE-03")
@given(ANY_TEXT)
def test_any_question_becomes_tokens(text: str) -> None:
    tokens = query_tokens(text)
    assert len(set(tokens.exact)) == len(tokens.exact)


@pytest.mark.covers("SE-04")
@given(st.lists(st.from_regex(r"[a-z]{3,12}", fullmatch=True), min_size=1, max_size=20))
def test_a_page_is_found_by_each_of_its_words(words: list[str]) -> None:
    found = found_by(" ".join(words))
    for word in words:
        assert query_tokens(word).exact == (word,)
        assert word in found
