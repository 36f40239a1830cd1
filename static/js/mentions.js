// Completes a mention while it is typed: after "@" the seats that fit, in a list under the text area that names where
// to ask in data-mentions. And Ctrl+Enter sends the form of such a text area. Both are extras to typing it out.

const LOOKS_LIKE_ONE = /(?:^|[\s(\[{*_"'])@([\p{L}\p{N}\p{M}_.-]{0,40})$/u;
let field = null;
let list = null;
let asked = 0;

const options = () => (list ? [...list.querySelectorAll("[role=option]")] : []);
const chosen = () => options().find((option) => option.getAttribute("aria-selected") === "true");

function close() {
  list?.remove();
  list = null;
  asked += 1;
  if (field) {
    field.removeAttribute("aria-activedescendant");
    field.removeAttribute("aria-controls");
  }
}

function choose(option) {
  for (const one of options()) one.setAttribute("aria-selected", String(one === option));
  field.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function written() {
  if (field.selectionStart !== field.selectionEnd) return null;
  return LOOKS_LIKE_ONE.exec(field.value.slice(0, field.selectionStart));
}

function take(option) {
  const found = written();
  if (!found) return close();
  const end = field.selectionStart;
  const start = end - found[1].length;
  field.setRangeText(`${option.dataset.handle} `, start, end, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.focus();
}

async function offer() {
  const found = written();
  if (!found) return close();
  asked += 1;
  const mine = asked;
  let html = "";
  try {
    const answer = await fetch(`${field.dataset.mentions}?q=${encodeURIComponent(found[1])}`, { headers: { "HX-Request": "true" } });
    html = answer.ok ? await answer.text() : "";
  } catch {
    html = ""; // away from the network a handle can still be typed out
  }
  if (mine !== asked) return;
  if (!html.includes("role=\"option\"")) return close();
  if (!list) {
    list = document.createElement("ul");
    list.className = "completions";
    list.id = "completions";
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Seats to mention");
    list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const option = event.target.closest("[role=option]");
      if (option) take(option);
    });
    field.after(list);
  }
  list.innerHTML = html;
  field.setAttribute("aria-controls", list.id);
  choose(options()[0]);
}

document.addEventListener("input", (event) => {
  if (!event.target.matches?.("textarea[data-mentions]")) return;
  if (field !== event.target) close();
  field = event.target;
  field.setAttribute("aria-autocomplete", "list");
  if (written()) offer();
  else if (list) close();
});

// In the capturing phase, so that a key that walks the list is not also a key of the form around it.
document.addEventListener("keydown", (event) => {
  if (list && event.target === field) {
    const all = options();
    const here = all.indexOf(chosen());
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      choose(all[(here + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length]);
    } else if ((event.key === "Enter" && !event.ctrlKey && !event.metaKey) || event.key === "Tab") {
      take(all[here]);
    } else if (event.key === "Escape") {
      close();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    return;
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches?.(".comment-form textarea")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
}, true);

document.addEventListener("focusout", (event) => {
  if (event.target === field) close();
});

// A comment that was just written is where the reading goes on; an opened reply is for writing.
document.body.addEventListener("comment-written", (event) => {
  const added = document.getElementById(event.detail.value);
  added?.scrollIntoView({ block: "center" });
  added?.focus({ preventScroll: true });
});
document.addEventListener("toggle", (event) => {
  if (event.target.matches?.("details.reply") && event.target.open) event.target.querySelector("textarea").focus();
}, true);
