"""A browser that notices everything a text on a screen gets done: what it runs, loads, opens, asks and puts there."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.test import Client
from playwright.sync_api import BrowserContext, Dialog, Page, Request, Route, expect

from tests.hostile import MAY_COME_OUT

# Judges the open document. What it answers is empty, or says what stands there that came out of a text.
LOOK = """(allowed) => {
  const faults = [];
  const say = (element, why) => faults.push(`${why}: ${element.outerHTML.slice(0, 160)}`);
  const every = (selector) => document.querySelectorAll(selector);
  const at = (address) => new URL(address, location);
  const hostile = /evil\\.example|ran\\(/i;
  const loads = ["src", "srcset", "action", "formaction", "data", "poster", "background", "ping", "xlink:href"];
  const leads = ["http:", "https:", "mailto:"];
  const ids = new Map();
  for (const element of every("*")) {
    if (element.id) ids.set(element.id, (ids.get(element.id) ?? 0) + 1);
    for (const { name, value } of element.attributes) {
      if (/^on|^srcdoc$/i.test(name)) say(element, `carries ${name}`);
      if (name === "style" && hostile.test(value)) say(element, "is dressed");
      if (/^(data-)?hx-/i.test(name) && hostile.test(value)) say(element, `steers by ${name}`);
      if (loads.includes(name) && at(value).origin !== location.origin) say(element, `loads by ${name}`);
      if (name === "href" && !leads.includes(at(value).protocol)) say(element, "leads by script");
    }
  }
  for (const [id, times] of ids) if (times > 1) faults.push(`${times} elements have the id ${id}`);
  const never = "iframe, frame, object, embed, base, math, marquee, meta[http-equiv]";
  for (const element of every(`${never}, body :is(link, style, script)`)) say(element, "stands there");
  for (const element of every(".prose *")) {
    const may = allowed[element.localName];
    if (!may) say(element, "came out of a text");
    else for (const { name } of element.attributes) if (!may.includes(name)) say(element, `came with ${name}`);
    if (element.id && !/^(h-|fn)/.test(element.id)) say(element, "took an id of ours");
  }
  for (const name of ["getElementById", "cookie", "forms"])
    if (document[name] instanceof HTMLElement) faults.push(`document.${name} was taken`);
  return faults;
}"""
VIOLATIONS = "addEventListener('securitypolicyviolation', (event) => refusedByPolicy(event.effectiveDirective))"


@dataclass
class Watched:
    """A browser's context with all it was made to do since the last look."""

    context: BrowserContext
    origin: str
    ran: list[str] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)
    left: list[str] = field(default_factory=list)  # what got as far as the network
    refused: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.expose_binding("ran", lambda source, *words: self.ran.append(f"a script ran in {source['frame']}"))
        self.context.expose_binding("refusedByPolicy", lambda source, directive: self.refused.append(directive))
        self.context.add_init_script(VIOLATIONS)
        self.context.on("request", self._note)
        self.context.on("page", lambda page: page.on("dialog", self._dismiss))
        # Where the machine has a way out, nothing takes it.
        self.context.route(lambda url: not url.startswith((self.origin, "data:", "blob:")), self._stop)

    def _note(self, request: Request) -> None:
        self.asked.append(request)

    def _dismiss(self, dialog: Dialog) -> None:
        if dialog.type != "beforeunload":  # the editor's own, about what was typed
            self.ran.append(f"a dialog said {dialog.message}")
        dialog.accept()

    def _stop(self, route: Route) -> None:
        self.left.append(f"asked for {route.request.url}")
        route.abort()

    def sign_in(self, client: Client) -> None:
        """Take over the session of somebody who is signed in."""
        value = client.cookies["sessionid"].value
        self.context.add_cookies([{"name": "sessionid", "value": value, "url": self.origin}])

    def faults(self, page: Page) -> list[str]:
        """What was done since the last look that no text may do, and what stands in the open document; none is good."""
        expect(page.locator(".htmx-swapping, .htmx-settling, .htmx-added, .htmx-request")).to_have_count(0)
        found: list[str] = page.evaluate(LOOK, {tag: sorted(names) for tag, names in MAY_COME_OUT.items()})
        found += self.ran
        found += [f"asked for {one.url}" for one in self.asked if not self._is_ours(one.url)]
        if len(page.frames) > 1 or len(self.context.pages) > 1:
            found.append("another frame or window is open")
        self.forget()
        return found

    def forget(self) -> None:
        """Begin to note anew."""
        self.ran.clear()
        self.asked.clear()
        self.left.clear()
        self.refused.clear()

    def _is_ours(self, url: str) -> bool:
        if not url.startswith(f"{self.origin}/"):
            return False
        path = urlsplit(url).path
        return not path.startswith(("/sign-out", "/api/")) or path.startswith("/api/v1/attachments/")
