// Following a notification marks it read on the way. Without this it stays unread until its button is pressed.

const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
const PATIENCE = 1500;

function markRead(link) {
  const form = new FormData();
  form.append("id", link.dataset.reads);
  form.append("csrfmiddlewaretoken", token);
  link.closest(".told").classList.remove("is-unread");
  delete link.dataset.reads;
  return fetch("/notifications/read", {
    method: "POST", body: form, keepalive: true, headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(PATIENCE),
  }).catch(() => {}); // it stays unread, which the next screen shows
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-reads]");
  if (!link) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) {
    markRead(link);
    return;
  }
  event.preventDefault(); // the next screen's count is to know of it
  await markRead(link);
  location.assign(link.href);
});
document.addEventListener("auxclick", (event) => {
  const link = event.target.closest("a[data-reads]");
  if (link && event.button === 1) markRead(link);
});
