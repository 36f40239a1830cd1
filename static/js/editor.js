// The editor: preview while typing, marks by button and key, a draft kept in this browser, and a guard on leaving.

const form = document.getElementById("editor");
const body = document.getElementById("body");
const title = form.elements.namedItem("title");
const state = document.getElementById("state");
const place = `crewlet:draft:${form.dataset.draft}`;
const opened = { body: body.value, title: title?.value };
let leaving = false;

// Where two edits met, what stands in the text is saved nowhere else yet.
const isMeeting = Boolean(form.elements.namedItem("resolving"));
const isChanged = () => isMeeting || body.value !== opened.body || (title && title.value !== opened.title);
const say = (words) => { if (state) state.textContent = words; };

// --- the draft -------------------------------------------------------------------------------------------------

function keepDraft() {
  if (!isChanged()) {
    localStorage.removeItem(place);
    say("");
    return;
  }
  const draft = { body: body.value, title: title?.value, base: form.dataset.base, at: Date.now() };
  try {
    localStorage.setItem(place, JSON.stringify(draft));
    say("Draft kept in this browser");
  } catch {
    say("This browser has no room to keep a draft");
  }
}

function keptDraft() {
  try {
    return JSON.parse(localStorage.getItem(place));
  } catch {
    return null;
  }
}

const offer = document.getElementById("draft");
const draft = keptDraft();
if (offer && draft && (draft.body !== opened.body || (title && draft.title !== opened.title))) {
  document.getElementById("draft-when").textContent = new Date(draft.at).toLocaleString();
  offer.hidden = false;
  document.getElementById("draft-restore").addEventListener("click", () => {
    body.value = draft.body;
    if (title && draft.title !== undefined) title.value = draft.title;
    // It goes on from the version it began on, so that a save meets what others saved since.
    if (draft.base) form.elements.namedItem("base_version").value = draft.base;
    form.dataset.base = draft.base;
    offer.hidden = true;
    preview();
    keepDraft();
    body.focus();
  });
  document.getElementById("draft-drop").addEventListener("click", () => {
    localStorage.removeItem(place);
    offer.hidden = true;
    body.focus();
  });
}

if (isMeeting) {
  const marked = body.value.indexOf("<<<<<<< yours");
  if (marked >= 0) {
    const line = body.value.slice(0, marked).split("\n").length;
    body.scrollTop = Math.max(0, line - 4) * parseFloat(getComputedStyle(body).lineHeight);
    body.setSelectionRange(marked, marked);
  }
  keepDraft();
}

// --- preview and keeping, a moment after the last key ---------------------------------------------------------

let soon = 0;
const preview = () => { if (body.hasAttribute("hx-post")) htmx.trigger(body, "preview-wanted"); };
function touched() {
  clearTimeout(soon);
  soon = setTimeout(() => {
    keepDraft();
    preview();
  }, 300);
}
body.addEventListener("input", touched);
title?.addEventListener("input", touched);

// --- leaving ---------------------------------------------------------------------------------------------------

window.addEventListener("beforeunload", (event) => {
  if (!leaving && isChanged()) {
    keepDraft();
    event.preventDefault();
  }
});
form.addEventListener("submit", () => {
  keepDraft();
  leaving = true;
});

// --- keys and marks --------------------------------------------------------------------------------------------

function save(stay) {
  if (stay && document.getElementById("toolbar") && form.elements.namedItem("base_version").value !== "0") {
    const then = document.createElement("input");
    then.type = "hidden";
    then.name = "then";
    then.value = "stay";
    form.append(then);
  }
  form.requestSubmit(document.getElementById("save"));
}

// execCommand keeps the browser's own undo; setRangeText is for browsers that lack it.
function replace(from, to, text) {
  body.focus();
  body.setSelectionRange(from, to);
  const done = text ? document.execCommand("insertText", false, text) : document.execCommand("delete");
  if (!done) {
    body.setRangeText(text, from, to, "end");
    body.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

function wrap(before, after, sample) {
  const { selectionStart: from, selectionEnd: to, value } = body;
  const inside = value.slice(from, to) || sample;
  replace(from, to, `${before}${inside}${after}`);
  body.setSelectionRange(from + before.length, from + before.length + inside.length);
}

function prefix(mark) {
  const { value } = body;
  const from = value.lastIndexOf("\n", body.selectionStart - 1) + 1;
  const end = value.indexOf("\n", body.selectionEnd);
  const to = end < 0 ? value.length : end;
  const lines = value.slice(from, to).split("\n");
  const off = lines.every((line) => line.startsWith(mark));
  replace(from, to, lines.map((line) => (off ? line.slice(mark.length) : mark + line)).join("\n"));
}

const marks = {
  heading: () => prefix("## "),
  bold: () => wrap("**", "**", "bold"),
  italic: () => wrap("*", "*", "italic"),
  code: () => (body.value.slice(body.selectionStart, body.selectionEnd).includes("\n") ? wrap("```\n", "\n```", "") : wrap("`", "`", "code")),
  link: () => wrap("[", "](https://)", "text"),
  list: () => prefix("- "),
  tasks: () => prefix("- [ ] "),
  quote: () => prefix("> "),
  table: () => replace(body.selectionEnd, body.selectionEnd, "\n| A | B |\n|---|---|\n|   |   |\n"),
};
const keys = { b: "bold", i: "italic", e: "code", k: "link" };

const toolbar = document.getElementById("toolbar");
if (toolbar) {
  toolbar.hidden = false;
  toolbar.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-mark]")?.dataset.mark;
    if (mark) marks[mark]();
  });
}

// --- files: pasted, dropped or chosen -------------------------------------------------------------------------

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
const refusal = document.getElementById("upload-refused");

function refuse(words) {
  refusal.textContent = words;
  refusal.hidden = !words;
}

function swap(from, to) {
  const at = body.value.indexOf(from);
  if (at < 0) return;
  const { selectionStart, selectionEnd } = body;
  const move = (place) => (place <= at ? place : Math.max(at + to.length, place + to.length - from.length));
  body.setRangeText(to, at, at + from.length);
  body.setSelectionRange(move(selectionStart), move(selectionEnd));
  body.dispatchEvent(new Event("input", { bubbles: true }));
}

let uploads = 0;

async function upload(file) {
  const name = file.name || "picture.png";
  const shown = name.replace(/[\\[\]`*_<>&]/g, "\\$&");
  const waiting = `[${shown}: uploading ${(uploads += 1)}]()`;
  replace(body.selectionEnd, body.selectionEnd, waiting);
  const sent = new FormData();
  sent.append("file", file, name);
  try {
    const answer = await fetch(form.dataset.uploads, {
      method: "POST",
      headers: { "X-CSRFToken": form.elements.namedItem("csrfmiddlewaretoken").value, Accept: "application/json" },
      body: sent,
    });
    const said = await answer.json();
    if (!answer.ok) throw new Error(said.errors[0].detail);
    swap(waiting, `${PICTURES.includes(file.type) ? "!" : ""}[${shown}](${said.url})`);
  } catch (error) {
    swap(waiting, "");
    refuse(`${name} was not attached. ${error instanceof SyntaxError || error instanceof TypeError ? "The server could not be reached." : error.message}`);
  }
}

async function take(files) {
  refuse("");
  if (!form.dataset.uploads) {
    refuse("Create the page first. Files can be put on it from then on.");
    return;
  }
  for (const file of files) await upload(file);
}

body.addEventListener("paste", (event) => {
  const files = [...event.clipboardData.files];
  if (!files.length || event.clipboardData.types.includes("text/plain")) return;
  event.preventDefault();
  take(files);
});
body.addEventListener("dragover", (event) => {
  if (event.dataTransfer.types.includes("Files")) event.preventDefault();
});
body.addEventListener("drop", (event) => {
  if (!event.dataTransfer.files.length) return;
  event.preventDefault();
  take([...event.dataTransfer.files]);
});
const chosen = document.getElementById("attach-files");
document.getElementById("attach")?.addEventListener("click", () => chosen.click());
chosen?.addEventListener("change", async () => {
  await take([...chosen.files]);
  chosen.value = "";
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "s") {
    event.preventDefault();
    save(true);
  } else if (event.key === "Enter") {
    event.preventDefault();
    save(false);
  } else if (event.target === body && keys[key] && toolbar) {
    event.preventDefault();
    marks[keys[key]]();
  }
});

// Enter goes on with the list, and ends it on an empty item.
body.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.ctrlKey || event.metaKey || event.isComposing) return;
  const { selectionStart: at, selectionEnd, value } = body;
  if (at !== selectionEnd) return;
  const from = value.lastIndexOf("\n", at - 1) + 1;
  const item = value.slice(from, at).match(/^(\s*)(?:([-*+]) (\[[ xX]\] )?|(\d{1,9})([.)]) )(.*)$/);
  if (!item) return;
  event.preventDefault();
  if (!item[6].trim()) {
    replace(from, at, "");
    return;
  }
  const next = item[2] ? `${item[2]} ${item[3] ? "[ ] " : ""}` : `${Number(item[4]) + 1}${item[5]} `;
  replace(at, at, `\n${item[1]}${next}`);
});

// In a narrow window text and preview take turns.
const show = document.getElementById("show");
show?.addEventListener("click", () => {
  const panes = document.getElementById("panes");
  const reads = panes.dataset.shows === "text";
  panes.dataset.shows = reads ? "preview" : "text";
  show.setAttribute("aria-pressed", String(reads));
  if (reads) preview();
});
