// The company document's editor: Ctrl S applies, Tab indents, and a problem's line is a click away.

const form = document.getElementById("document-form");
const source = document.getElementById("source");
const opened = source.value;
let leaving = false;

function goTo(line) {
  const lines = source.value.split("\n");
  const from = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  source.focus();
  source.setSelectionRange(from, from + (lines[line - 1] ?? "").length);
  source.scrollTop = (line - 4) * parseFloat(getComputedStyle(source).lineHeight);
}

for (const problem of document.querySelectorAll("[data-problem]")) {
  const line = problem.textContent.match(/\(line (\d+)\)/);
  if (!line) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = `Go to line ${line[1]}`;
  button.addEventListener("click", () => goTo(Number(line[1])));
  problem.after(" ", button);
}

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
    event.preventDefault();
    form.requestSubmit(document.getElementById("save"));
  }
});
form.addEventListener("submit", () => { leaving = true; });
window.addEventListener("beforeunload", (event) => {
  if (!leaving && source.value !== opened) event.preventDefault();
});
