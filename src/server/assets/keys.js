"use strict";
// A key presses the button that names it, perhaps beside others. Without this the buttons are clicked.
{
  let sent = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || sent) return;
    if (event.target.closest("input:not([type=hidden]):not([type=radio]), select, textarea")) return;
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
