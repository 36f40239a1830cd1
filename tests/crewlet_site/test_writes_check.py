"""The check that no write to the database stands outside a writes/ room: what it finds, and what it leaves alone."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from crewlet_site.checks.writes import ALLOWED_FILES, ROOT, findings, main, may_write

BAD = [
    "page.save()",
    "page.save(update_fields=['title'])",
    "self.page.save()",
    "Page.objects.create(title='x')",
    "Page.objects.filter(pk=1).update(title='x')",
    "Page.objects.filter(pk=1).order_by('id').delete()",
    "Page.objects.all().select_for_update().update(title='x')",
    "Page.objects.bulk_create(pages)",
    "anything.bulk_update(pages, ['title'])",
    "Page.objects.get_or_create(pk=1)",
    "Page.objects.update_or_create(pk=1)",
    "container.page_set.create(title='x')",
    "page.delete()",
    "queryset.update(title='x')",
    "await page.asave()",
    "await Page.objects.acreate(title='x')",
    "cursor.execute('DELETE FROM page')",
    "cursor.execute('WITH gone AS (DELETE FROM page RETURNING id) SELECT id FROM gone')",
    "cursor.execute('SELECT id INTO copy FROM page')",
    "cursor.execute('SELECT id FROM page FOR UPDATE')",
    "cursor.execute(f'SELECT {column} FROM page')",
    "cursor.execute(sql)",
    "connection.cursor().execute('TRUNCATE page')",
    "cursor.executemany('INSERT INTO page VALUES (%s)', rows)",
    "SQL = 'UPDATE page SET title = 1'\ncursor.execute(SQL)",
]

GOOD = [
    "values.update(other)",
    "digest.update(b'x')",
    "store.save(name, content)",
    "cache.delete('key')",
    "client.delete('/pages/1', headers={})",
    "queue.create(1)",
    "Page.objects.filter(pk=1).exists()",
    "cursor.execute('SELECT 1')",
    "cursor.execute('  select id from page where id = %s', [1])",
    "cursor.execute('WITH RECURSIVE up AS (SELECT id FROM page) SELECT id FROM up')",
    "SQL = 'SELECT id FROM page'\ncursor.execute(SQL)",
    "runner.execute('anything')",
    "# page.save()",
    "'page.save()'",
]


@pytest.mark.parametrize("source", BAD)
def test_a_write_is_found(source: str) -> None:
    source = f"async def f():\n    {source}" if source.startswith("await") else source
    assert len(findings(source)) == 1


@pytest.mark.parametrize("source", GOOD)
def test_what_is_no_write_is_left_alone(source: str) -> None:
    assert findings(source) == []


def test_a_finding_says_where() -> None:
    (found,) = findings("def f(page):\n    page.title = 'x'\n    page.save()\n")
    assert (found.line, found.call) == (3, ".save(")


@pytest.mark.parametrize(
    "path", ["company/writes/people.py", "knowledge/migrations/0001_initial.py", "tests/factories.py"]
)
def test_the_rooms_for_writes_may_write(path: str) -> None:
    assert may_write(PurePosixPath(path))


@pytest.mark.parametrize(
    "path", ["company/reads/people.py", "knowledge/api/pages.py", "skills/tasks.py", "crewlet_site/views/writes.py"]
)
def test_no_other_room_may(path: str) -> None:
    assert not may_write(PurePosixPath(path))


def test_every_exception_is_a_file_that_is_there() -> None:
    missing = [path for path in ALLOWED_FILES if not (ROOT / path).exists()]
    assert missing == []


def test_the_code_as_it_is_passes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 0, capsys.readouterr().out
