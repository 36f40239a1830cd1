// Moving pages in the outline of a space: by a handle with mouse, pen or finger, and by Alt with the arrows.
// The page stands in its new place at once and goes back if the server refuses.

const outline = document.getElementById("outline");
const said = document.getElementById("move-said");
const token = document.querySelector("#move-form [name=csrfmiddlewaretoken]")?.value;

const idOf = (item) => item.querySelector(":scope > .outline-row > .outline-title").id.slice("page-".length);
const titleOf = (item) => item.querySelector(":scope > .outline-row > .outline-title > bdi").textContent;
const rowOf = (item) => item.querySelector(":scope > .outline-row");
const isPage = (element) => element?.matches("li:not(.outline-more)");
const parentOf = (item) => item.parentElement.closest("li");
const twistyOf = (item) => rowOf(item).querySelector(".twisty");
const listUnder = (item) => item.querySelector(":scope > .outline-under");
const isOpen = (item) => twistyOf(item)?.getAttribute("aria-expanded") === "true";

function say(words, bad = false) {
  said.textContent = words;
  said.classList.toggle("is-bad", bad);
}

function addGrips() {
  for (const row of outline.querySelectorAll(".outline-row:not(:has(> .grip))")) {
    const grip = document.createElement("span");
    grip.className = "grip";
    grip.setAttribute("aria-hidden", "true");
    grip.textContent = "⠿";
    grip.title = "Drag to move";
    row.append(grip);
  }
}

function count(item, change) {
  const number = item && rowOf(item).querySelector(".count")?.firstChild;
  if (number) number.textContent = Math.max(0, Number.parseInt(number.textContent.replace(/\D/g, ""), 10) + change);
}

async function send(id, place) {
  const body = new URLSearchParams({ csrfmiddlewaretoken: token, ...place });
  const answer = await fetch(`/knowledge/pages/${id}/place`, { method: "POST", body, headers: { "HX-Request": "true" } });
  const elsewhere = answer.headers.get("HX-Redirect");
  if (elsewhere) location.assign(elsewhere);
  if (answer.ok) return "";
  const note = new DOMParser().parseFromString(await answer.text(), "text/html").body.textContent.trim();
  return note || "The page could not be moved.";
}

// `how` is "before", "after" or "into" the page `target`.
async function move(item, target, how) {
  const from = { list: item.parentElement, next: item.nextElementSibling, parent: parentOf(item) };
  const to = how === "into" ? target : parentOf(target);
  const shown = how !== "into" || (isOpen(target) && listUnder(target));
  const hadFocus = item.contains(document.activeElement);
  const focus = () => hadFocus && rowOf(item).querySelector(".outline-title").focus();
  if (how === "into" && shown) listUnder(target).append(item);
  else if (how === "into") item.hidden = true;
  else target[how](item);
  if (from.parent !== to) {
    count(from.parent, -1);
    count(to, 1);
  }
  focus();
  const place = { parent: to ? idOf(to) : "" };
  if (how !== "into") place[how] = idOf(target);
  let refusal;
  try {
    refusal = await send(idOf(item), place);
  } catch {
    refusal = "The server could not be reached, so nothing was moved.";
  }
  if (refusal) {
    item.hidden = false;
    from.list.insertBefore(item, from.next?.parentElement === from.list ? from.next : null);
    if (from.parent !== to) {
      count(from.parent, 1);
      count(to, -1);
    }
    focus();
    say(refusal, true);
    return;
  }
  const emptied = from.parent && !from.list.childElementCount;
  if (!shown || emptied) {
    // Who has pages beneath changed: the server draws the branch anew, opened down to the page.
    location.assign(`/knowledge/${outline.dataset.space}?open=${idOf(item)}#page-${idOf(item)}`);
    return;
  }
  const where = how === "into" ? `under “${titleOf(target)}”` : `${how} “${titleOf(target)}”`;
  say(`Moved “${titleOf(item)}” ${where}.`);
}

// --- keyboard

const steps = {
  ArrowUp: (item) => isPage(item.previousElementSibling) && [item.previousElementSibling, "before"],
  ArrowDown: (item) => isPage(item.nextElementSibling) && [item.nextElementSibling, "after"],
  in: (item) => isPage(item.previousElementSibling) && [item.previousElementSibling, "into"],
  out: (item) => parentOf(item) && [parentOf(item), "after"],
};

outline?.addEventListener("keydown", (event) => {
  const item = event.target.closest(".outline-title")?.closest("li");
  if (!item || event.ctrlKey || event.metaKey) return;
  if (event.key === "m" && !event.altKey) {
    event.preventDefault();
    location.assign(`/knowledge/pages/${idOf(item)}/move`);
    return;
  }
  if (!event.altKey || !event.key.startsWith("Arrow")) return;
  event.preventDefault();
  const rtl = getComputedStyle(outline).direction === "rtl";
  const sideways = { ArrowRight: rtl ? "out" : "in", ArrowLeft: rtl ? "in" : "out" };
  const step = steps[sideways[event.key] ?? event.key](item);
  if (step) move(item, ...step);
  else say(`“${titleOf(item)}” cannot go further that way.`);
});

// --- pointer

let drag = null;

function aim(x, y) {
  const row = document.elementFromPoint(x, y)?.closest("#outline .outline-row");
  const target = row?.closest("li");
  if (!target || drag.item.contains(target)) return null;
  const box = row.getBoundingClientRect();
  const part = (y - box.top) / box.height;
  return { target, row, how: part < 0.3 ? "before" : part > 0.7 && !isOpen(target) ? "after" : "into" };
}

function mark(at) {
  drag.at?.row.classList.remove("drop-before", "drop-after", "drop-into");
  clearTimeout(drag.opening);
  drag.at = at;
  at?.row.classList.add(`drop-${at.how}`);
  // A branch one stays over opens, so that a page can be put deep down.
  if (at?.how === "into" && twistyOf(at.target) && !isOpen(at.target)) {
    drag.opening = setTimeout(() => twistyOf(at.target).click(), 700);
  }
}

function end(event, dropped) {
  if (!drag || event.pointerId !== drag.pointer) return;
  const { item, at } = drag;
  mark(null);
  document.body.classList.remove("is-dragging");
  item.classList.remove("is-dragged");
  drag = null;
  if (dropped && at) move(item, at.target, at.how);
}

outline?.addEventListener("pointerdown", (event) => {
  const grip = event.target.closest(".grip");
  if (!grip || event.button !== 0 || drag) return;
  event.preventDefault();
  drag = { item: grip.closest("li"), pointer: event.pointerId, at: null, opening: 0 };
  grip.setPointerCapture(event.pointerId);
  drag.item.classList.add("is-dragged");
  document.body.classList.add("is-dragging");
});
outline?.addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.pointer) return;
  if (event.clientY < 60) scrollBy(0, -12);
  if (event.clientY > innerHeight - 60) scrollBy(0, 12);
  const at = aim(event.clientX, event.clientY);
  if (at?.target !== drag.at?.target || at?.how !== drag.at?.how) mark(at);
});
outline?.addEventListener("pointerup", (event) => end(event, true));
outline?.addEventListener("pointercancel", (event) => end(event, false));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && drag) end({ pointerId: drag.pointer }, false);
});

if (outline) {
  addGrips();
  outline.addEventListener("htmx:afterSettle", addGrips);
  document.body.addEventListener("htmx:afterSwap", addGrips);
}
