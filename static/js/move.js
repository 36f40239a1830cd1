// Moving a page: the form as a dialog on the page's own screen, and the page to file it under found by title and keyboard.

const opener = document.querySelector("[data-move]");
const menu = opener?.closest("details");

function choicesIn(list) {
  return [...list.querySelectorAll('[role="option"]:not([aria-disabled])')];
}

function setUp(form) {
  const space = form.querySelector("#container");
  const words = form.querySelector("#parent");
  const list = form.querySelector("#parent-options");
  if (!words || !list) return;
  let asked = 0;
  let soon = 0;
  let picked = words.value;

  const current = () => list.querySelector('[aria-selected="true"]');
  const isOpen = () => !list.hidden;

  function select(option) {
    current()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) words.setAttribute("aria-activedescendant", option.id);
    else words.removeAttribute("aria-activedescendant");
  }

  function close() {
    asked += 1; // an answer on its way is too late
    list.hidden = true;
    words.setAttribute("aria-expanded", "false");
    select(null);
  }

  async function search() {
    const mine = (asked += 1);
    const query = new URLSearchParams({ q: words.value, container: space.value, within: "1", but: form.dataset.page });
    let found = null;
    try {
      const answer = await fetch(`/knowledge/link-options?${query}`, { headers: { "HX-Request": "true" } });
      if (answer.ok) found = await answer.text();
    } catch {
      // The title can be typed all the same; the server says where there is none.
    }
    if (mine !== asked || found === null) return;
    list.innerHTML = found; // the server's own fragment, in which every title is escaped
    list.hidden = false;
    words.setAttribute("aria-expanded", "true");
    select(words.value.trim() ? choicesIn(list)[0] : null);
  }

  function choose(option) {
    if (!option || option.hasAttribute("aria-disabled")) return;
    // a title of digits would be read as a page's number
    words.value = /^\d+$/.test(option.dataset.title) ? option.dataset.address.split("/").at(-1) : option.dataset.title;
    picked = words.value;
    close();
  }

  words.addEventListener("input", () => {
    clearTimeout(soon);
    soon = setTimeout(search, 120);
  });
  words.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Escape" && isOpen()) close();
    else if (event.key === "Enter" && isOpen() && current()) choose(current());
    else if (event.key === "ArrowDown" && !isOpen()) search();
    else if (isOpen() && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      const all = choicesIn(list);
      const step = event.key === "ArrowDown" ? 1 : -1;
      const from = current() ? all.indexOf(current()) : step > 0 ? -1 : 0;
      select(all[(from + step + all.length) % all.length]);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  words.addEventListener("blur", close);
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => choose(event.target.closest('[role="option"]')));
  space.addEventListener("change", () => {
    if (words.value === picked) words.value = picked = ""; // a page of the space that was left
    close();
  });
}

async function open() {
  const answer = await fetch(opener.href, { headers: { "HX-Request": "true" } });
  if (!answer.ok) throw new Error(`the form was answered ${answer.status}`);
  const dialog = document.createElement("dialog");
  dialog.className = "dialog-form";
  dialog.setAttribute("aria-labelledby", "move-heading");
  dialog.innerHTML = await answer.text();
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    dialog.remove();
    menu?.querySelector("summary")?.focus();
  });
  dialog.querySelector("[data-cancel]").addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  setUp(dialog.querySelector("form"));
  if (menu) menu.open = false;
  dialog.showModal();
  dialog.querySelector("#parent").focus();
}

opener?.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  open().catch(() => location.assign(opener.href)); // the form is a screen of its own, too
});

for (const form of document.querySelectorAll("form[data-page]")) setUp(form);
