"""Closes the way out: a test that would talk to another machine fails and says so."""

from __future__ import annotations

import ipaddress
import socket
from typing import Any

import pytest


class NetworkClosed(RuntimeError):
    """A test tried to reach another machine."""


def close(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections of this process to anything but this machine, and look-ups of other names."""
    really_connect, really_connect_ex = socket.socket.connect, socket.socket.connect_ex
    really_resolve = socket.getaddrinfo

    def connect(self: socket.socket, address: Any) -> None:
        _check(self, address)
        really_connect(self, address)

    def connect_ex(self: socket.socket, address: Any) -> int:
        _check(self, address)
        return really_connect_ex(self, address)

    def getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
        if host is not None and not _is_here(host.decode() if isinstance(host, bytes) else str(host)):
            raise NetworkClosed(f"a test asked for the address of {host}")
        return really_resolve(host, *arguments, **options)

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def _check(sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(str(address[0])):
        raise NetworkClosed(f"a test tried to reach {address[0]}")


def _is_here(host: str) -> bool:
    if host in ("localhost", ""):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
