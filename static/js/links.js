// Linking to a page from the editor: `[[` or the button opens a list of pages, by title and by keyboard.

const body = document.getElementById("body");
const form = document.getElementById("editor");
const dialog = document.getElementById("link-picker");
const words = document.getElementById("link-words");
const options = document.getElementById("link-options");
const count = document.getElementById("link-count");

let place = { from: 0, to: 0, label: "", at: { x: 0, y: 0, line: 0 } };
let asked = 0;

const choices = () => [...options.querySelectorAll('[role="option"]:not([aria-disabled])')];
const current = () => options.querySelector('[aria-selected="true"]');

function select(option) {
  current()?.setAttribute("aria-selected", "false");
  option?.setAttribute("aria-selected", "true");
  option?.scrollIntoView({ block: "nearest" });
  if (option) words.setAttribute("aria-activedescendant", option.id);
  else words.removeAttribute("aria-activedescendant");
}

async function search() {
  const mine = (asked += 1);
  const query = new URLSearchParams({ q: words.value, container: form.dataset.space ?? "" });
  let found;
  try {
    const answer = await fetch(`/knowledge/link-options?${query}`, { headers: { "HX-Request": "true" } });
    found = answer.ok ? await answer.text() : null;
  } catch {
    found = null;
  }
  if (mine !== asked || !dialog.open) return;
  if (found === null) {
    options.replaceChildren();
    count.textContent = "The pages could not be asked for. Try again in a moment.";
  } else {
    options.innerHTML = found; // the server's own fragment, in which every title is escaped
    const number = choices().length;
    count.textContent = number ? `${number} ${number === 1 ? "page" : "pages"}` : "";
  }
  select(choices()[0]);
  stand();
}

// Beneath the caret where there is room for the list, else above its line, and never outside of the window.
function stand() {
  const { x, y, line } = place.at;
  const above = y - line - dialog.offsetHeight;
  const top = y + dialog.offsetHeight + 8 > innerHeight && above >= 8 ? above : Math.min(y, innerHeight - dialog.offsetHeight - 8);
  dialog.style.left = `${Math.max(8, Math.min(x, innerWidth - dialog.offsetWidth - 8))}px`;
  dialog.style.top = `${Math.max(8, top)}px`;
}

// Where the caret is on the screen: a copy of the text area's text in an element that has a position.
function caret() {
  const mirror = document.createElement("div");
  const style = getComputedStyle(body);
  for (const name of ["font", "padding", "border", "boxSizing", "lineHeight", "tabSize", "direction"]) mirror.style[name] = style[name];
  Object.assign(mirror.style, { position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", overflowWrap: "anywhere", inlineSize: `${body.clientWidth}px` });
  mirror.textContent = body.value.slice(Math.max(0, body.selectionEnd - 20_000), body.selectionEnd);
  const mark = document.createElement("span");
  mark.textContent = "\u200b";
  mirror.append(mark);
  document.body.append(mirror);
  const area = body.getBoundingClientRect();
  const longer = body.selectionEnd > 20_000;
  const line = parseFloat(style.lineHeight) + 8;
  const at = {
    x: area.left + mark.offsetLeft,
    y: longer ? area.top + area.height / 3 : Math.min(area.top + mark.offsetTop - body.scrollTop + 28, area.bottom),
    line,
  };
  mirror.remove();
  return at;
}

function open(from, to, label) {
  place = { from, to, label, at: caret() };
  words.value = label;
  options.replaceChildren();
  count.textContent = "";
  dialog.show();
  stand();
  words.focus();
  words.select();
  search();
}

function close() {
  dialog.close();
  body.focus();
}

function choose(option) {
  if (!option || option.hasAttribute("aria-disabled")) return;
  const { from, to, label } = place;
  const link = label ? `[${label}](${option.dataset.address})` : option.dataset.markdown;
  close();
  body.setSelectionRange(from, to);
  // execCommand keeps the browser's own undo; setRangeText is for browsers that lack it.
  if (!document.execCommand("insertText", false, link)) {
    body.setRangeText(link, from, to, "end");
    body.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

// Code has brackets of its own: nothing opens inside a fence or between back-ticks.
function isInCode(before) {
  const fences = before.match(/^ {0,3}(?:```|~~~)/gm)?.length ?? 0;
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return fences % 2 === 1 || (line.match(/`/g)?.length ?? 0) % 2 === 1 || /^(?: {4}|\t)/.test(line);
}

body.addEventListener("input", (event) => {
  if (event.isComposing || event.inputType !== "insertText" || event.data !== "[") return;
  const at = body.selectionEnd;
  const before = body.value.slice(0, at);
  if (before.endsWith("[[") && !before.endsWith("[[[") && !isInCode(before)) open(at - 2, at, "");
});

document.getElementById("toolbar")?.addEventListener("click", (event) => {
  if (!event.target.closest("[data-page-link]")) return;
  const { selectionStart: from, selectionEnd: to, value } = body;
  open(from, to, value.slice(from, to).replace(/\s+/g, " "));
});

let soon = 0;
words.addEventListener("input", () => {
  clearTimeout(soon);
  soon = setTimeout(search, 120);
});
words.addEventListener("keydown", (event) => {
  if (event.isComposing) return;
  const all = choices();
  const at = all.indexOf(current());
  const steps = { ArrowDown: all[(at + 1) % all.length], ArrowUp: all[(at - 1 + all.length) % all.length], PageUp: all[0], PageDown: all.at(-1) };
  if (event.key in steps) select(steps[event.key]);
  else if (event.key === "Enter") choose(current());
  else if (event.key === "Escape") close();
  else if (event.key === "Tab") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
});
options.addEventListener("mousedown", (event) => event.preventDefault());
options.addEventListener("click", (event) => choose(event.target.closest('[role="option"]')));
dialog.addEventListener("focusout", (event) => {
  if (dialog.open && event.relatedTarget && !dialog.contains(event.relatedTarget)) dialog.close();
});
document.addEventListener("pointerdown", (event) => {
  if (dialog.open && !dialog.contains(event.target)) dialog.close();
});
