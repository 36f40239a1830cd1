// Walking items with j and k, on lists and boards alike. Enter opens one, because a link has the focus.

const links = () => [...document.querySelectorAll("[data-item]")].filter((link) => link.offsetParent !== null);
const typing = (element) => element.closest("input, textarea, select, [contenteditable], dialog[open]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  if (event.key !== "j" && event.key !== "k") return;
  const all = links();
  if (!all.length) return;
  event.preventDefault();
  const here = all.indexOf(document.activeElement);
  const next = here < 0 ? (event.key === "j" ? 0 : all.length - 1) : here + (event.key === "j" ? 1 : -1);
  const aimed = all[Math.min(all.length - 1, Math.max(0, next))];
  aimed.focus();
  aimed.scrollIntoView({ block: "nearest", inline: "nearest" });
});

// From a field of the filters, Escape goes back to the items.
document.getElementById("filters")?.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  event.target.blur();
  links()[0]?.focus();
});

// A view is kept of what the list shows now, which the filters may have changed since the screen was loaded.
document.body.addEventListener("htmx:afterSwap", () => {
  const kept = document.getElementById("view-query");
  const found = document.getElementById("found");
  if (kept && found) kept.value = found.dataset.query;
});
