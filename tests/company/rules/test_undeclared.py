"""What is said of a key nobody declares helps whoever typed it."""

from __future__ import annotations

import pytest

from company.rules.undeclared import say_undeclared


@pytest.mark.parametrize("typed", ["home", "Home", " HOME "])
def test_a_key_that_is_declared_in_another_spelling_is_named(typed: str) -> None:
    assert say_undeclared("space", typed, declared=["HOME", "ENG"]) == (
        f"The company declares no space '{typed}'. Keys are upper case: write 'HOME'."
    )


def test_a_key_that_could_be_declared_is_shown_as_it_would_be_written() -> None:
    assert say_undeclared("project", "LEGAL", declared=["ENG"]).endswith(
        "An administrator declares one as 'project: LEGAL' of a unit or a seat in the company document."
    )


@pytest.mark.parametrize("typed", ["legal", "L", "LEGAL-2", ""])
def test_a_key_no_document_would_take_is_not_suggested(typed: str) -> None:
    said = say_undeclared("space", typed, declared=["ENG"])
    assert f"'space: {typed}'" not in said
    assert "2 to 10 capital letters" in said
