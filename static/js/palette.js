// The palette (Ctrl K): titles as somebody types, skills by key, the screens of the rail. Enter goes, Ctrl Enter searches.

const palette = document.getElementById("palette");
const input = document.getElementById("palette-q");
const list = document.getElementById("palette-list");
let asked = null;
let later = 0;
let chosen = 0;

const options = () => [...list.querySelectorAll('[role="option"]')];

function choose(index) {
  const all = options();
  chosen = all.length ? (index + all.length) % all.length : 0;
  all.forEach((option, at) => {
    option.id = `palette-${at}`;
    option.setAttribute("aria-selected", String(at === chosen));
  });
  if (all.length) {
    input.setAttribute("aria-activedescendant", all[chosen].id);
    all[chosen].scrollIntoView({ block: "nearest" });
  } else {
    input.removeAttribute("aria-activedescendant");
  }
}

// The screens and spaces of the rail, and a search of all text: they need nobody to be asked.
function near(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const links = [...document.querySelectorAll(".rail nav a")].filter((link) =>
    words.every((word) => link.textContent.toLowerCase().includes(word)));
  const found = links.slice(0, 6).map((link) => {
    const option = link.cloneNode(true);
    option.removeAttribute("aria-current");
    option.removeAttribute("data-key");
    return option;
  });
  if (text.trim()) {
    const all = document.createElement("a");
    all.href = `/search?q=${encodeURIComponent(text.trim())}`;
    all.append(`Search all text for “${text.trim()}”`);
    found.push(all);
  }
  for (const option of found) {
    option.setAttribute("role", "option");
    option.tabIndex = -1;
  }
  return found;
}

async function show() {
  const text = input.value;
  asked?.abort();
  asked = new AbortController();
  let told = "";
  if (text.trim()) {
    try {
      const answer = await fetch(`/search/suggestions?q=${encodeURIComponent(text)}`, {
        signal: asked.signal, headers: { "HX-Request": "true" },
      });
      if (answer.ok) told = await answer.text();
    } catch (error) {
      if (error.name === "AbortError") return;
    }
  }
  list.innerHTML = told;
  list.append(...near(text));
  choose(0);
}

function open() {
  if (palette.open) return;
  input.value = "";
  palette.showModal();
  input.focus();
  show();
}

if (palette) {
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      open();
    }
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-palette]")) open();
    if (event.target === palette) palette.close();
  });
  input.addEventListener("input", () => {
    clearTimeout(later);
    later = setTimeout(show, 80);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(chosen + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      const option = options()[chosen];
      if ((event.ctrlKey || event.metaKey || !option) && input.value.trim()) palette.querySelector("form").submit();
      else option?.click();
    }
  });
}
