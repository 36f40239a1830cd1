"""What a web process runs beside the requests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from company import live
from company.rules.chart import Company
from company.rules.refusals import Code, Refused
from crewlet_site.process import Process
from tests.deployments import until
from tests.factories import HARBOUR, install_company

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.covers("CO-04")]


def test_a_process_starts_with_a_document_it_cannot_read_and_catches_up_when_it_can(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its document may refer to a variable that only the other processes have."""
    revision = install_company().revision
    live._current = replace(HARBOUR, revision=0)
    readable = [False]

    def load(wanted: int) -> Company:
        if not readable[0]:
            raise Refused(Code.CONFIG_INVALID, "Set the variable MAIL_PASSWORD.")
        return replace(HARBOUR, revision=wanted)

    monkeypatch.setattr("company.reads.revisions.load_company", load)
    process = Process()
    process.start("web-1")
    try:
        assert live.current().revision == 0
        readable[0] = True
        live.current_for_write()
        until(lambda: live.current().revision == revision)
    finally:
        process.stop()
