"use strict";
// A key presses the button that names it, perhaps beside others. Without this the buttons are clicked.
// Who speaks to a computer may switch keys off: words are letters, too.
{
  let sent = false;
  const box = document.getElementById("keys");
  let off = false;
  try {
    off = localStorage.getItem("keys") === "off";
  } catch {
    // A browser that keeps nothing: the box holds for this page.
  }
  if (box) {
    box.checked = !off;
    box.addEventListener("change", () => {
      off = !box.checked;
      try {
        localStorage.setItem("keys", off ? "off" : "on");
      } catch {}
    });
    box.closest("[hidden]").hidden = false;
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || sent || off) return;
    if (event.target.closest("input:not([type=hidden], [type=radio], [type=checkbox]), select, textarea")) return;
    // There, arrows scroll.
    if (event.key.startsWith("Arrow") && event.target.closest("[tabindex]")) return;
    const wanted = [...document.querySelectorAll("[data-key]")].find((of) => of.dataset.key.split(" ").includes(event.key));
    if (!wanted) return;
    event.preventDefault();
    wanted.click();
  });
  // One decision a page: a second one would decide what is not to be seen yet.
  document.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  addEventListener("pageshow", () => (sent = false));
}
