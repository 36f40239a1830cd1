"""An import over REST that the worker of a running deployment takes up by itself."""

from __future__ import annotations

import io
import time
import zipfile
from typing import Any

import httpx
import pytest

from tests.deployments import Deployment, until


@pytest.mark.slow
@pytest.mark.covers("PG-22")
def test_the_worker_brings_in_what_was_uploaded_over_rest(deployment: Deployment) -> None:
    secret = deployment.crewlet("iam", "token", "importer", "--scopes", "read,write,admin").strip()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        for n in range(30):
            written.writestr(f"Moorings/Buoy {n:02}.md", f"Buoy {n}. See [the next](<Buoy {(n + 1) % 30:02}.md>).\n")
    with httpx.Client(base_url=deployment.url, headers={"Authorization": f"Bearer {secret}"}) as client:
        container = client.get("/api/v1/containers").json()["results"][0]["key"]

        def has_ended(place: str) -> bool:
            time.sleep(0.2)  # a token may ask 600 times a minute
            return client.get(place).json()["state"] in ("done", "failed")

        def brought(data: bytes) -> Any:
            begun = client.post(
                "/api/v1/pages/import",
                data={"container": container},
                files={"file": ("moorings.zip", data, "application/zip")},
            )
            assert begun.status_code == 202, begun.text
            place = begun.headers["Location"]
            until(lambda: has_ended(place))
            return client.get(place).json()

        first, again = brought(archive.getvalue()), brought(archive.getvalue())
        assert (first["state"], first["report"]["counts"]["created"]) == ("done", 31), first["reason"]
        assert (again["report"]["counts"]["created"], again["report"]["counts"]["unchanged"]) == (0, 31)
