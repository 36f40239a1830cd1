// The board: a card is dragged to another column, or moved there by Alt with an arrow. Each is one write of a status;
// where it is refused, the card goes back to where it was and the note says why.

const token = document.querySelector("#board-form [name=csrfmiddlewaretoken]")?.value;
let dragged = null;

const columnOf = (element) => element?.closest?.("[data-column]");
const cardOf = (element) => element?.closest?.("[data-card]");

function say(words, isBad = false) {
  const said = document.getElementById("board-said");
  if (!said) return;
  said.textContent = words;
  said.classList.toggle("is-bad", isBad);
  said.classList.toggle("unseen", !isBad);
  if (!isBad) return;
  const again = document.createElement("a");
  again.href = location.href;
  again.append("Show the board as it is now");
  said.append(" ", again);
}

function count(column, by) {
  const shown = column.querySelector("[data-count]");
  shown.textContent = String(Number(shown.textContent.replace(/\D/g, "")) + by);
}

async function move(card, target) {
  const source = columnOf(card);
  if (!target || target === source || card.dataset.moving) return;
  const next = card.nextElementSibling;
  const hadFocus = card.contains(document.activeElement);
  const key = card.dataset.card;
  const name = target.querySelector("h2").firstChild.nextSibling?.textContent.trim() ?? target.dataset.column;
  card.dataset.moving = "1";
  target.querySelector("[data-cards]").prepend(card);
  count(source, -1);
  count(target, 1);
  if (hadFocus) card.querySelector("[data-item]").focus();
  let why = "The server could not be reached.";
  try {
    const form = new FormData();
    form.append("csrfmiddlewaretoken", token);
    form.append("status", target.dataset.column);
    form.append("base_version", card.dataset.version);
    const answer = await fetch(`/tracker/items/${key}/status`, {
      method: "POST", body: form, headers: { "HX-Request": "true" },
    });
    const told = await answer.text();
    if (answer.ok) {
      const holder = document.createElement("template");
      holder.innerHTML = told;
      const fresh = holder.content.querySelector("[data-card]");
      const focused = card.contains(document.activeElement);
      card.replaceWith(fresh);
      if (focused) fresh.querySelector("[data-item]").focus();
      say(`${key}: ${name}`);
      return;
    }
    const holder = document.createElement("template");
    holder.innerHTML = told;
    why = holder.content.textContent.trim();
  } catch { /* the card goes back below */ }
  delete card.dataset.moving;
  source.querySelector("[data-cards]").insertBefore(card, next);
  count(source, 1);
  count(target, -1);
  say(`${key} was not moved. ${why}`, true);
}

document.addEventListener("dragstart", (event) => {
  const card = cardOf(event.target);
  if (!card || card.getAttribute("draggable") !== "true") return;
  dragged = card;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", card.dataset.card);
  requestAnimationFrame(() => card.classList.add("is-dragged"));
});

document.addEventListener("dragover", (event) => {
  const column = dragged && columnOf(event.target);
  if (!column) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "move";
  for (const one of document.querySelectorAll("[data-column]")) one.classList.toggle("is-target", one === column);
});

function endDrag() {
  dragged?.classList.remove("is-dragged");
  dragged = null;
  for (const one of document.querySelectorAll("[data-column].is-target")) one.classList.remove("is-target");
}

document.addEventListener("drop", (event) => {
  const column = dragged && columnOf(event.target);
  if (!column) return;
  event.preventDefault();
  const card = dragged;
  endDrag();
  move(card, column);
});
document.addEventListener("dragend", endDrag);

document.addEventListener("keydown", (event) => {
  const card = cardOf(document.activeElement);
  if (!card || event.ctrlKey || event.metaKey) return;
  if (event.altKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
    event.preventDefault();
    if (card.getAttribute("draggable") !== "true") return;
    const columns = [...document.querySelectorAll("[data-column]")];
    const here = columns.indexOf(columnOf(card));
    move(card, columns[here + (event.key === "ArrowRight" ? 1 : -1)]);
    return;
  }
  if (event.altKey || !["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].includes(event.key)) return;
  event.preventDefault();
  const columns = [...document.querySelectorAll("[data-column]")];
  const inColumn = [...columnOf(card).querySelectorAll("[data-card]")];
  const at = inColumn.indexOf(card);
  let aimed = null;
  if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    aimed = inColumn[at + (event.key === "ArrowDown" ? 1 : -1)];
  } else {
    const step = event.key === "ArrowRight" ? 1 : -1;
    for (let index = columns.indexOf(columnOf(card)) + step; columns[index] && !aimed; index += step) {
      const there = [...columns[index].querySelectorAll("[data-card]")];
      aimed = there[Math.min(at, there.length - 1)];
    }
  }
  const link = aimed?.querySelector("[data-item]");
  link?.focus();
  link?.scrollIntoView({ block: "nearest", inline: "nearest" });
});
