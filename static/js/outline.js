// The outline of a space by keyboard and pointer: arrows walk, open and close; Enter follows the link.

const outline = document.getElementById("outline");

const titles = () => [...outline.querySelectorAll(".outline-title")].filter((title) => !title.closest("ul[hidden]"));
const twistyOf = (title) => title.parentElement.querySelector(".twisty");
const isOpen = (twisty) => twisty?.getAttribute("aria-expanded") === "true";
const under = (twisty) => document.getElementById(twisty.getAttribute("aria-controls"));

function open(twisty) {
  const list = under(twisty);
  twisty.setAttribute("aria-expanded", "true");
  list.hidden = false;
  if (!list.childElementCount) htmx.trigger(twisty, "open-branch");
}

function close(twisty) {
  twisty.setAttribute("aria-expanded", "false");
  under(twisty).hidden = true;
}

function walk(event) {
  const title = event.target.closest(".outline-title");
  if (!title || event.ctrlKey || event.metaKey || event.altKey) return;
  const all = titles();
  const at = all.indexOf(title);
  const twisty = twistyOf(title);
  const rtl = getComputedStyle(outline).direction === "rtl";
  const [opens, closes] = rtl ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  const steps = { ArrowDown: all[at + 1], ArrowUp: all[at - 1], Home: all[0], End: all[all.length - 1] };
  if (event.key in steps) {
    steps[event.key]?.focus();
  } else if (event.key === opens && twisty) {
    if (isOpen(twisty)) all[at + 1]?.focus();
    else open(twisty);
  } else if (event.key === closes) {
    if (isOpen(twisty)) close(twisty);
    else title.closest("ul").closest("li")?.querySelector(".outline-title")?.focus();
  } else {
    return;
  }
  event.preventDefault();
}

outline?.addEventListener("keydown", walk);
outline?.addEventListener("click", (event) => {
  const twisty = event.target.closest(".twisty");
  if (!twisty || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (isOpen(twisty)) close(twisty);
  else open(twisty);
});
// A branch that could not be read says why, and is asked for again next time it opens.
outline?.addEventListener("htmx:sendError", (event) => {
  if (event.target.matches(".twisty")) close(event.target);
});

outline?.querySelector(".is-here .outline-title")?.focus();
