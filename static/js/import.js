// Bringing a file in: how many rows are done while they come in, and the report in its place. Without it the form waits.

const form = document.querySelector("[data-import]");
const far = form?.querySelector("[data-far]");
const numbers = new Intl.NumberFormat("en");
let running = false;

function show(place, html) {
  place.innerHTML = html;
  place.querySelector("#report-title")?.focus();
}

function tell(step) {
  const bar = far.querySelector("progress");
  bar.max = Math.max(1, step.total);
  bar.value = step.done;
  far.querySelector("[role=status]").textContent =
    `${numbers.format(step.done)} of ${numbers.format(step.total)} rows done`;
}

async function* linesOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    const lines = (rest + piece.value).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}

async function bring(data) {
  const said = form.querySelector("[data-said]");
  const told = document.getElementById("import-told");
  const answer = await fetch(form.action, { method: "POST", body: data, headers: { "HX-Request": "true" } });
  if (!answer.headers.get("Content-Type")?.startsWith("application/x-ndjson")) {
    show(said, await answer.text());
    return;
  }
  let isWhole = false;
  for await (const line of linesOf(answer.body)) {
    const step = JSON.parse(line);
    if (step.html === undefined) { tell(step); continue; }
    isWhole = true;
    show(told, step.html);
  }
  if (!isWhole) throw new Error("cut short");
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (running) return;
  const data = new FormData(form, event.submitter);
  const buttons = form.querySelectorAll("button");
  running = true;
  for (const button of buttons) button.disabled = true;
  form.querySelector("[data-said]").replaceChildren();
  document.getElementById("import-told").replaceChildren();
  far.querySelector("progress").removeAttribute("value");
  far.querySelector("[role=status]").textContent = "The file is on its way";
  far.hidden = false;
  try {
    await bring(data);
  } catch {
    const note = document.createElement("div");
    note.className = "note bad";
    note.setAttribute("role", "alert");
    note.textContent = "The connection broke. What came in before stays; send the file again for the rest.";
    form.querySelector("[data-said]").replaceChildren(note);
  } finally {
    running = false;
    far.hidden = true;
    for (const button of buttons) button.disabled = false;
  }
});

window.addEventListener("beforeunload", (event) => { if (running) event.preventDefault(); });
