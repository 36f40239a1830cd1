"""The settings an operator gives: read from the environment, validated once at start, described here.

`docs/settings.md` lists the same names; a test holds the two together.
"""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from django.core.exceptions import ImproperlyConfigured
from pydantic import Field, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

ROOT = Path(__file__).resolve().parent.parent


class Environment(BaseSettings):
    """Every variable the product reads, with its default."""

    model_config = SettingsConfigDict(env_prefix="CREWLET_", extra="ignore")

    data_dir: Path = Field(
        default=ROOT / ".crewlet",
        description="Where embedded servers, the index, attachments, logs and the secret key live.",
    )
    database_url: str = Field(
        default="postgresql://postgres@/crewlet",
        validation_alias="DATABASE_URL",
        description="Postgres 15 or newer with pgvector. Absent: the embedded server of the data directory.",
    )
    redis_url: str = Field(
        default="redis://127.0.0.1:6379/0",
        validation_alias="REDIS_URL",
        description="Valkey or Redis. Absent: the embedded server of the data directory.",
    )
    secret_key: str = Field(default="", description="Signs sessions. Absent: made once and kept in the data directory.")
    process: str = Field(default="command", description="The name of this process in logs and on screens.")
    allowed_hosts: list[str] = Field(
        default=["127.0.0.1", "localhost", "[::1]"], description="Host names the site answers to, as a JSON list."
    )
    secure: bool = Field(default=False, description="Whether people reach the site over TLS: secure cookies and HSTS.")
    debug: bool = Field(default=False, description="Django's debug pages. Never in a deployment.")
    attachments_url: str = Field(
        default="",
        description="The bucket of attachments, s3://bucket/prefix?region=…&endpoint=…. Absent: the data directory.",
    )
    search_hosts: list[str] = Field(
        default=[], description="Addresses of all hosts that divide large searches, as a JSON list. Empty: no division."
    )
    search_host: str = Field(
        default="", validate_default=True, description="Which address of CREWLET_SEARCH_HOSTS is this host's own."
    )
    notifications_days: int = Field(
        default=90, ge=1, le=36_500, description="How many days a notification is kept after it was read."
    )
    rate_limits: str = Field(default="on", pattern="^(on|off)$", description="`off` turns request limits off.")

    @field_validator("database_url")
    @classmethod
    def _is_postgres(cls, value: str) -> str:
        if not value.startswith(("postgres://", "postgresql://")):
            raise ValueError("give the URL of a Postgres, such as postgresql://user:password@host/crewlet")
        return value

    @field_validator("redis_url")
    @classmethod
    def _is_redis(cls, value: str) -> str:
        if not value.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("give the URL of a Valkey or Redis, such as redis://host:6379/0")
        return value

    @field_validator("search_hosts")
    @classmethod
    def _are_addresses(cls, value: list[str]) -> list[str]:
        for host in value:
            parts = urlsplit(host)
            if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
                raise ValueError(f"give addresses such as http://index-1:8000; '{host}' is none")
        return value

    @field_validator("search_host")
    @classmethod
    def _is_one_of_the_hosts(cls, value: str, info: ValidationInfo) -> str:
        hosts = info.data.get("search_hosts") or []
        if value not in hosts and (hosts or value):
            raise ValueError("give this host's own address exactly as it stands in CREWLET_SEARCH_HOSTS")
        return value

    @field_validator("attachments_url")
    @classmethod
    def _is_a_storage(cls, value: str) -> str:
        storage_of(value, folder=Path())
        return value


def storage_of(url: str, *, folder: Path) -> dict[str, Any]:
    """Django's declaration of the attachment storage: the bucket of `url`, or `folder` where it is empty.

    Raises ValueError for a URL that is not understood. Credentials of a bucket come from where the S3 client looks
    for them itself: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a profile, or the machine's role.
    """
    if not url:
        return {
            "BACKEND": "knowledge.files.DurableFiles",
            "OPTIONS": {"location": str(folder), "file_permissions_mode": 0o600, "directory_permissions_mode": 0o700},
        }
    parts = urlsplit(url)
    given = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme != "s3" or not parts.hostname or set(given) - {"region", "endpoint"}:
        raise ValueError("give the URL of a bucket, such as s3://bucket/prefix?region=eu-north-1&endpoint=https://host")
    options = {
        "bucket_name": parts.netloc,
        "location": parts.path.strip("/"),
        "region_name": given.get("region") or None,
        "endpoint_url": given.get("endpoint") or None,
        "default_acl": None,
        "querystring_auth": True,
        "file_overwrite": True,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def read_environment() -> Environment:
    """The settings of this process; raises ImproperlyConfigured with one line that names the variable."""
    try:
        return Environment()
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        variable = name.upper() if name.isupper() else f"CREWLET_{name.upper()}"
        reason = str(first["msg"]).removeprefix("Value error, ")
        raise ImproperlyConfigured(f"{variable} is not valid: {reason} (see docs/settings.md).") from error
    except SettingsError as error:
        raise ImproperlyConfigured(
            f'{error}; lists are JSON, such as ["example.com"] (see docs/settings.md).'
        ) from error


def metrics_folder(data_dir: Path) -> Path:
    """Where the web processes of this host share their counters; another host with the same data directory has its
    own, because the files are named by process numbers."""
    return data_dir / "run" / f"metrics-{socket.gethostname()}"
