"""Signs in through a site's own form, as a person would, and answers the cookies a browser would then send."""

from __future__ import annotations

import re

import httpx

from bench.site import BenchFailed

_TOKEN = re.compile(r"""name=["']csrfmiddlewaretoken["'][^>]*value=["']([^"']+)""")


def cookies_of(url: str, form: str, fields: dict[str, str]) -> str:
    """The Cookie header after signing in at `url` + `form`; raises BenchFailed where that does not succeed."""
    with httpx.Client(base_url=url, timeout=30, headers={"Referer": url, "Origin": url}) as browser:
        token = _TOKEN.search(browser.get(form).text)
        if token is None:
            raise BenchFailed(f"{url}{form} shows no form to sign in with")
        answer = browser.post(form, data={"csrfmiddlewaretoken": token[1], **fields})
        if answer.status_code not in {302, 303} or "sessionid" not in browser.cookies:
            raise BenchFailed(f"signing in at {url}{form} answered {answer.status_code}")
        return "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
