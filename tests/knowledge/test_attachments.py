"""Files on pages: kept once, behind the page's permission, never served as anything that runs, gone with the page."""

from __future__ import annotations

import hashlib
import io
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page
from pytest_django import Settings
from rest_framework.test import APIClient

from company.models import AuditEntry, Event
from company.rules.actors import Permission, Scope
from company.rules.refusals import Code, Refused
from crewlet_site.environment import storage_of
from knowledge import files
from knowledge.models import Attachment, PageStatus
from knowledge.reads.attachments import list_attachments
from knowledge.rules.limits import ATTACHMENT_BYTES
from knowledge.writes.attachments import attach_file, remove_file
from knowledge.writes.contents import sweep_files
from knowledge.writes.pages import purge_page, trash_page
from tests.buckets import bucket
from tests.deployments import Deployment, until
from tests.factories import admin, agent, human, person, token_for
from tests.knowledge.pages import page, proven_admin, row, window

pytestmark = pytest.mark.usefixtures("harbour", "kept_here")

PNG = b"\x89PNG\r\n\x1a\n" + bytes(24)


@pytest.fixture
def kept_here(tmp_path: Path, settings: Settings) -> Path:
    """A folder of its own for the bytes."""
    kept = tmp_path / "attachments"
    settings.STORAGES = {**settings.STORAGES, "attachments": storage_of("", folder=kept)}
    return kept


def attach(page_id: int, content: bytes = b"words", name: str = "notes.txt", **more: Any) -> Any:
    return attach_file(actor=more.pop("by", agent()), page_id=page_id, name=name, content=io.BytesIO(content), **more)


def bytes_of(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def bytes_kept(folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file()}


def client(secret: str) -> APIClient:
    made = APIClient()
    made.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return made


@pytest.fixture
def engineer(db: None) -> APIClient:
    """The engineer agent's client."""
    return client(token_for(seat="engineer-bot"))


@pytest.fixture
def screens(db: None) -> Client:
    """A browser in which somebody who writes pages is signed in."""
    made = Client()
    made.force_login(person("ada", permissions=["knowledge"]))
    return made


def upload(api: APIClient, page_id: int, content: bytes = PNG, name: str = "quay.png", **headers: Any) -> Any:
    file = SimpleUploadedFile(name, content)
    return api.post(f"/api/v1/pages/{page_id}/attachments", {"file": file}, format="multipart", **headers)


def code_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["errors"][0]["code"]


@pytest.mark.covers("PG-22")
def test_a_file_comes_back_byte_for_byte(engineer: APIClient) -> None:
    home = page()
    made = upload(engineer, home.id)
    assert made.status_code == 201
    body = made.json()
    assert body == {"id": body["id"], "name": "quay.png", "size": 32, "url": f"/api/v1/attachments/{body['id']}"}
    answer = engineer.get(body["url"])
    assert bytes_of(answer) == PNG
    assert answer.headers["Content-Length"] == "32"
    again = engineer.get(body["url"], HTTP_IF_NONE_MATCH=answer.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert engineer.get(f"/api/v1/pages/{home.id}/attachments").json() == {
        "results": [body], "total": 1, "after": None,
    }  # fmt: skip


@pytest.mark.covers("PG-22", "PG-19")
@pytest.mark.parametrize(
    ("name", "content", "shown_as"),
    [
        ("quay.png", PNG, "image/png"),
        ("quay.jpg", b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        ("a.gif", b"GIF89a...", "image/gif"),
        ("a.webp", b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        ("a.avif", b"\x00\x00\x00\x1cftypavif....", "image/avif"),
        ("quay.png", b"<script>alert(1)</script>", None),
        ("page.html", b"<script>alert(1)</script>", None),
        ("quay.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>", None),
        ("a.xml", b"<?xml version='1.0'?>", None),
        ("a.xhtml", b"<html xmlns='http://www.w3.org/1999/xhtml'/>", None),
        ("a.pdf", b"%PDF-1.7", None),
        ("a.js", b"alert(1)", None),
        ("a.css", b"*{}", None),
        ("a.txt", b"words", None),
        ("empty", b"", None),
    ],
)
def test_only_pictures_are_shown_in_place_and_nothing_is_served_as_what_it_calls_itself(
    engineer: APIClient, screens: Client, name: str, content: bytes, shown_as: str | None
) -> None:
    made = upload(engineer, page().id, content, name).json()
    for asked in (engineer.get(made["url"], HTTP_ACCEPT="image/webp"), screens.get(f"/attachments/{made['id']}")):
        assert asked.status_code == 200
        assert asked.headers["Content-Type"] == (shown_as or "application/octet-stream")
        assert asked.headers["Content-Disposition"].split(";")[0] == ("inline" if shown_as else "attachment")
        assert asked.headers["X-Content-Type-Options"] == "nosniff"
        assert asked.headers["Content-Security-Policy"].startswith("default-src 'none'; sandbox")
        assert asked.headers["Cache-Control"] == "private, no-cache"
        assert bytes_of(asked) == content


@pytest.mark.covers("PG-22")
def test_whoever_does_not_see_the_page_does_not_see_its_files(engineer: APIClient) -> None:
    draft = page("Draft", by=human("ada-marsh"), status=PageStatus.DRAFT)
    hidden = attach(draft.id, by=human("ada-marsh"))
    assert code_of(engineer.get(hidden.url)) == (404, "not_found")
    assert code_of(engineer.get(f"/api/v1/pages/{draft.id}/attachments")) == (404, "not_found")
    assert code_of(engineer.delete(hidden.url)) == (404, "not_found")
    shown = attach(page().id)
    reader = client(token_for(holder=person("bo", permissions=["tracker"]), name="bo"))
    assert code_of(reader.get(shown.url)) == (403, "forbidden")
    assert code_of(APIClient().get(shown.url)) == (401, "not_authenticated")
    assert Client().get(f"/attachments/{shown.id}").headers["Location"].startswith("/sign-in")


@pytest.mark.covers("PG-22", "PG-12")
def test_the_files_of_a_trashed_page_are_seen_by_those_who_may_restore_it() -> None:
    home = page(by=human("ada-marsh"))
    file = attach(home.id)
    trash_page(actor=human("ada-marsh"), page_id=home.id)
    owner = client(token_for(seat="ada-marsh", name="owner"))
    other = client(token_for(seat="product-bot", name="other"))
    assert bytes_of(owner.get(file.url)) == b"words"
    assert code_of(other.get(file.url)) == (404, "not_found")
    assert code_of(upload(owner, home.id)) == (409, "trashed")
    assert code_of(owner.delete(file.url)) == (409, "trashed")


@pytest.mark.covers("PG-20", "PG-22")
def test_attaching_is_a_save_and_held_back_like_one(engineer: APIClient) -> None:
    skill = page("Skill", by=admin(), container="TS")
    assert code_of(upload(engineer, skill.id)) == (403, "reserved_container")
    readonly = client(token_for(seat="engineer-bot", scopes=frozenset({Scope.READ}), name="ro"))
    assert code_of(upload(readonly, page().id)) == (403, "scope_missing")
    assert code_of(upload(engineer, 999_999)) == (404, "not_found")
    with pytest.raises(Refused) as refused:
        attach(page("Else").id, by=human("ada-marsh", Permission.TRACKER))
    assert refused.value.code is Code.FORBIDDEN
    assert not Attachment.objects.exists()


@pytest.mark.covers("PG-22", "PG-23")
def test_attaching_leaves_the_version_and_tells_the_audit_and_the_watchers() -> None:
    home = page()
    file = attach(home.id)
    remove_file(actor=agent(), attachment_id=file.id)
    assert row(home.id).version == 1
    assert row(home.id).saved_at == home.saved_at
    verbs = list(AuditEntry.objects.values_list("verb", "detail__attached__name", "detail__removed__name"))
    assert verbs == [
        ("create_page", None, None),
        ("attach_file", "notes.txt", None),
        ("remove_file", None, "notes.txt"),
    ]
    assert list(Event.objects.values_list("type", flat=True)) == ["page.created", "page.saved", "page.saved"]


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("C:\\fakepath\\quay.png", "quay.png"),
        ("../../etc/passwd", "passwd"),
        ("re\u0301sume\u0301.md", "r\u00e9sum\u00e9.md"),
        ("  spaced .txt ", "spaced .txt"),
        ("日本.png", "日本.png"),
        (".env", ".env"),
    ],
)
def test_a_name_has_one_form_and_no_path(given: str, kept: str) -> None:
    assert attach(page().id, name=given).name == kept


@pytest.mark.covers("PG-22")
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("..", Code.INVALID),
        ("a/..", Code.INVALID),
        ("", Code.INVALID),
        ("a/", Code.INVALID),
        ("gpj.\u202eexe", Code.INVALID),
        ("a\x00b", Code.INVALID),
        ("a\x1bb", Code.INVALID),
        ("\u3164", Code.INVALID),
        ("x" * 201, Code.TOO_LONG),
    ],
)
def test_a_name_that_misleads_is_refused_and_nothing_is_kept(name: str, code: Code, kept_here: Path) -> None:
    with pytest.raises(Refused) as refused:
        attach(page().id, name=name)
    assert (refused.value.code, refused.value.problems[0].attr) == (code, "file")
    assert not Attachment.objects.exists()
    assert bytes_kept(kept_here) == set()


@pytest.mark.covers("PG-22")
def test_a_file_above_the_limit_is_refused_with_the_limit(engineer: APIClient, kept_here: Path) -> None:
    home = page()
    answer = upload(engineer, home.id, bytes(ATTACHMENT_BYTES + 1))
    assert code_of(answer) == (400, "too_long")
    assert answer.json()["limit"] == ATTACHMENT_BYTES
    assert answer.json()["errors"][0]["attr"] == "file"
    assert bytes_kept(kept_here) == set()
    assert upload(engineer, home.id, bytes(ATTACHMENT_BYTES)).status_code == 201


@pytest.mark.covers("PG-22")
def test_a_form_that_is_none_is_refused_for_its_shape(engineer: APIClient) -> None:
    url = f"/api/v1/pages/{page().id}/attachments"
    assert code_of(engineer.post(url, {}, format="multipart")) == (400, "required")
    assert code_of(engineer.post(url, {"file": "words"}, format="multipart")) == (400, "invalid")
    file = SimpleUploadedFile("a.txt", b"a")
    assert code_of(engineer.post(url, {"file": file, "name": "b"}, format="multipart")) == (400, "unknown_field")
    assert engineer.post(url, {"file": "words"}, format="json").status_code == 415


@pytest.mark.covers("PG-22", "PG-16")
def test_the_same_upload_sent_again_is_one_file(engineer: APIClient) -> None:
    home = page()
    first = upload(engineer, home.id, HTTP_IDEMPOTENCY_KEY="k")
    second = upload(engineer, home.id, HTTP_IDEMPOTENCY_KEY="k")
    assert (first.json(), second.headers["Idempotent-Replayed"]) == (second.json(), "true")
    assert code_of(upload(engineer, home.id, b"other", HTTP_IDEMPOTENCY_KEY="k")) == (422, "idempotency_mismatch")
    assert upload(engineer, home.id).json() == first.json()
    assert upload(engineer, home.id, b"other").json()["id"] != first.json()["id"]


@pytest.mark.covers("PG-22")
def test_the_form_and_the_door_refuse_alike_and_keep_alike(engineer: APIClient, screens: Client) -> None:
    skill, home = page("Skill", by=admin(), container="TS"), page()
    form = {"file": SimpleUploadedFile("quay.png", PNG)}
    assert screens.post(f"/knowledge/pages/{skill.id}/attachments", form).status_code == 403
    assert not Attachment.objects.exists()
    answer = screens.post(f"/knowledge/pages/{home.id}/attachments", {"file": SimpleUploadedFile("quay.png", PNG)})
    assert answer.headers["Location"] == f"/knowledge/pages/{home.id}#files"
    kept = Attachment.objects.get()
    assert upload(engineer, home.id).json()["id"] == kept.pk
    shown = screens.get(f"/knowledge/pages/{home.id}").content.decode()
    assert f"/api/v1/attachments/{kept.pk}" in shown
    assert screens.post(f"/knowledge/pages/{home.id}/attachments").status_code == 400
    assert screens.post(f"/knowledge/attachments/{kept.pk}/remove").status_code == 302
    assert not Attachment.objects.exists()


@pytest.mark.covers("PG-19", "PG-22")
def test_a_body_shows_the_pages_own_pictures(screens: Client) -> None:
    home = page()
    picture, text = attach(home.id, PNG, "q[u]ay.png"), attach(home.id)
    assert (picture.markdown, text.markdown) == (
        f"![q\\[u\\]ay.png](/api/v1/attachments/{picture.id})",
        f"[notes.txt](/api/v1/attachments/{text.id})",
    )
    shown = page("Shown", body=f"{picture.markdown} ![s](/attachments/{picture.id})")
    html = screens.get(f"/knowledge/pages/{shown.id}").content.decode()
    assert f'<img src="/api/v1/attachments/{picture.id}" alt="q[u]ay.png"' in html
    assert f'<img src="/attachments/{picture.id}"' in html


@pytest.mark.covers("PG-22")
@pytest.mark.django_db(transaction=True)
def test_bytes_shared_by_pages_are_kept_until_the_last_of_them_is_purged(kept_here: Path) -> None:
    one, two = page("One"), page("Two")
    file = attach(one.id)
    attach(two.id, name="copy.txt")
    assert bytes_kept(kept_here) == {file.sha256} == {hashlib.sha256(b"words").hexdigest()}
    for gone, left in ((one, {file.sha256}), (two, set())):
        trash_page(actor=agent(), page_id=gone.id)
        assert bytes_kept(kept_here) >= left
        purge_page(actor=proven_admin(), page_id=gone.id, reason="Done with it.")
        assert bytes_kept(kept_here) == left
    assert not Attachment.objects.exists()


@pytest.mark.covers("PG-22")
@pytest.mark.django_db(transaction=True)
def test_an_attach_that_fails_leaves_no_bytes_behind(kept_here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = page()

    def break_off(**_: Any) -> None:
        raise RuntimeError("the ledger is away")

    monkeypatch.setattr("knowledge.writes.attachments.record_page", break_off)
    with pytest.raises(RuntimeError):
        attach(home.id)
    assert bytes_kept(kept_here) == set()
    assert not Attachment.objects.exists()


@pytest.mark.covers("PG-22")
@pytest.mark.django_db(transaction=True)
def test_the_sweep_drops_what_no_page_names_and_nothing_else(kept_here: Path) -> None:
    home = page()
    file = attach(home.id)
    lost = hashlib.sha256(b"lost").hexdigest()
    files.put(io.BytesIO(b"lost"), sha256=lost, size=4)
    (kept_here / "aa").mkdir()
    (kept_here / "aa" / "aa.1.part").write_bytes(b"half")
    assert sweep_files(now=timezone.now()) == 1
    assert bytes_kept(kept_here) == {file.sha256, "aa.1.part"}
    assert sweep_files(now=timezone.now() + timedelta(days=2)) == 1
    assert bytes_kept(kept_here) == {file.sha256}


@pytest.mark.covers("PG-22")
def test_bytes_that_a_broken_copy_has_left_are_written_again(kept_here: Path, engineer: APIClient) -> None:
    digest = hashlib.sha256(b"words").hexdigest()
    (kept_here / digest[:2]).mkdir(parents=True)
    (kept_here / digest[:2] / digest).write_bytes(b"wor")
    file = attach(page().id)
    assert bytes_of(engineer.get(file.url)) == b"words"


@pytest.mark.covers("PG-22")
def test_a_file_whose_bytes_are_lost_says_so(kept_here: Path, engineer: APIClient) -> None:
    file = attach(page().id)
    storages["attachments"].delete(files.key_of(file.sha256))
    answer = engineer.get(file.url)
    assert code_of(answer) == (404, "not_found")
    assert "backup" in answer.json()["errors"][0]["detail"]


@pytest.mark.covers("PG-22")
def test_a_file_with_a_path_stands_there_once_and_keeps_whether_it_runs(kept_here: Path) -> None:
    home = page()
    attach(home.id, b"one", "run.sh", path="scripts/run.sh", executable=True)
    attach(home.id, b"two", "run.sh", path="scripts/run.sh")
    listed = list_attachments(actor=agent(), page_id=home.id, window=window()).results
    assert [(file.path, file.executable, file.size) for file in listed] == [("scripts/run.sh", False, 3)]
    for path in ("/etc/passwd", "a/../b", "a//b", "a\\b", "c:/x", "./a", "a/\x07"):
        with pytest.raises(Refused) as refused:
            attach(home.id, path=path)
        assert refused.value.problems[0].attr == "path"


@pytest.mark.covers("PG-22")
def test_a_page_lists_its_files_in_three_queries(django_assert_num_queries: Any) -> None:
    home = page()
    for number in range(5):
        attach(home.id, bytes([number]))
    with django_assert_num_queries(3):
        listing = list_attachments(actor=agent(), page_id=home.id, window=window(limit=2))
    assert (len(listing.results), listing.total) == (2, 5)


@pytest.mark.covers("PG-22")
def test_a_bucket_is_named_by_one_setting() -> None:
    made = storage_of("s3://harbour/files?region=eu-north-1&endpoint=https://objects.harbour.example", folder=Path())
    assert made["BACKEND"] == "storages.backends.s3.S3Storage"
    assert (made["OPTIONS"]["bucket_name"], made["OPTIONS"]["location"]) == ("harbour", "files")
    assert made["OPTIONS"]["endpoint_url"] == "https://objects.harbour.example"
    for wrong in ("ftp://harbour", "s3:///x", "s3://harbour?acl=public", "harbour"):
        with pytest.raises(ValueError, match="URL of a bucket"):
            storage_of(wrong, folder=Path())


@pytest.mark.covers("PG-22")
@pytest.mark.django_db(transaction=True)
def test_a_bucket_keeps_files_as_a_folder_does(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("storages", reason="the packages of requirements-s3.txt are not installed")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "harbour")
    with bucket() as (address, objects):
        made = storage_of(f"s3://harbour/files?region=eu-north-1&endpoint={address}", folder=Path())
        settings.STORAGES = {**settings.STORAGES, "attachments": made}
        home = page()
        file = attach(home.id, b"words" * 1000)
        assert objects == {f"files/{files.key_of(file.sha256)}": b"words" * 1000}
        assert b"".join(files.read(file.sha256)) == b"words" * 1000
        files.put(io.BytesIO(b"lost"), sha256=hashlib.sha256(b"lost").hexdigest(), size=4)
        assert sweep_files(now=timezone.now()) == 1
        remove_file(actor=agent(), attachment_id=file.id)
        assert objects == {}
        with pytest.raises(FileNotFoundError):
            files.read(file.sha256)


@pytest.mark.covers("UI-02", "PG-22")
@pytest.mark.browser
@pytest.mark.slow
def test_a_picture_pasted_into_the_editor_is_attached_and_shown(deployment: Deployment, browser_page: Page) -> None:
    words = ("--permissions", "knowledge,admin", "--password-stdin")
    deployment.crewlet("iam", "person", "quay", *words, stdin="a long password\n")
    browser_page.goto(f"{deployment.url}/sign-in")
    browser_page.fill("[name=login]", "quay")
    browser_page.fill("[name=password]", "a long password")
    browser_page.press("[name=password]", "Enter")
    browser_page.wait_for_url("**/knowledge")
    browser_page.goto(f"{deployment.url}/knowledge/new?container=HOME")
    browser_page.fill("[name=title]", "The quay")
    browser_page.fill("#body", "Before.")
    browser_page.click("#save")
    browser_page.click("a:has-text('Edit')")
    browser_page.evaluate(
        """async () => {
            const canvas = new OffscreenCanvas(4, 4);
            canvas.getContext("2d").fillRect(0, 0, 4, 4);
            const type = "image/png";
            const picture = new File([await canvas.convertToBlob({type})], "quay.png", {type});
            const data = new DataTransfer();
            data.items.add(picture);
            document.getElementById("body").dispatchEvent(
                new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
        }"""
    )
    # Asked from outside: the page's policy evaluates no text as a script.
    until(lambda: re.search(r"!\[quay.png\]\(.api.v1.attachments.\d+\)", browser_page.input_value("#body")) is not None)
    browser_page.click("#save")
    browser_page.wait_for_selector(".prose img")
    assert browser_page.evaluate("document.querySelector('.prose img').decode().then(() => 'shown')") == "shown"
    assert browser_page.is_visible(".files >> text=quay.png")
