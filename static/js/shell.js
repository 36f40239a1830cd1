// Keys and small movements that every screen shares. Everything here also works by link or form without it.

const help = document.getElementById("help");
const rail = document.getElementById("rail");

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-help]")) help?.showModal();
  const toggle = event.target.closest("[data-rail]");
  if (toggle) toggle.setAttribute("aria-expanded", String(rail.classList.toggle("is-open")));
  for (const open of document.querySelectorAll("details.more[open]")) {
    if (!open.contains(event.target)) open.open = false;
  }
});

const typing = (element) => element.closest("input, textarea, select, [contenteditable], dialog[open]");
let before = "";
let forget = 0;

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    const open = document.querySelector("details.more[open]");
    if (open) {
      open.open = false;
      open.querySelector("summary").focus();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key === "?") {
    event.preventDefault();
    help?.showModal();
    return;
  }
  const keys = before ? `${before} ${event.key}` : event.key;
  clearTimeout(forget);
  before = "";
  const meant = [...document.querySelectorAll("[data-key]")].filter((element) => element.dataset.key === keys);
  const aimed = meant.find((element) => element.closest("main")) ?? meant[0]; // a screen's own key comes first
  if (aimed) {
    event.preventDefault();
    if (aimed.matches("input, textarea, select")) aimed.focus();
    else aimed.click();
  } else if (event.key === "g") {
    before = "g";
    forget = setTimeout(() => { before = ""; }, 1200);
  }
});

// A bar along the top while a part of the screen is on its way.
const progress = document.getElementById("progress");
let waiting = 0;
const isSilent = (event) => event.target.closest?.("[data-silent]"); // what refreshes itself shows no bar
document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (isSilent(event)) return;
  waiting += 1;
  progress?.classList.add("htmx-request");
});
document.body.addEventListener("htmx:afterRequest", (event) => {
  if (isSilent(event)) return;
  waiting = Math.max(0, waiting - 1);
  if (!waiting) progress?.classList.remove("htmx-request");
});

// A draft that has been saved is not offered again.
for (const note of document.querySelectorAll("[data-tags^='saved:']")) {
  for (const key of note.dataset.tags.split(" ")) localStorage.removeItem(`crewlet:draft:${key.slice("saved:".length)}`);
}

// The contents list follows the reading.
const contents = new Map(
  [...document.querySelectorAll(".contents a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
);
if (contents.size) {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of contents.values()) link.classList.remove("is-here");
        contents.get(entry.target.id)?.classList.add("is-here");
      }
    },
    { rootMargin: "0px 0px -75% 0px" },
  );
  for (const id of contents.keys()) {
    const heading = document.getElementById(id);
    if (heading) seen.observe(heading);
  }
}
