"""What a process does before it serves."""

from __future__ import annotations

import pytest

from company.writes.document import apply_document
from crewlet_site.process import Process
from knowledge.models import Container
from tests.factories import admin


@pytest.mark.covers("CO-05")
@pytest.mark.django_db(transaction=True)
def test_a_start_writes_the_containers_that_are_missing() -> None:
    apply_document(actor=admin(), source="name: Harbour\nunits: [{name: Quay, space: QUAY}]\n")
    Container.objects.filter(key="QUAY").delete()
    process = Process()
    try:
        process.start("web")
        assert Container.objects.filter(key="QUAY").exists()
    finally:
        process.stop()
