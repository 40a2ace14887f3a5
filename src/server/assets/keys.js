"use strict";
// A key presses the button that names it, perhaps beside others. Without this the buttons are clicked.
{
  let pressed = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || pressed) return;
    if (event.target.closest("input:not([type=hidden]), select, textarea")) return;
    const wanted = [...document.querySelectorAll("[data-key]")].find((of) => of.dataset.key.split(" ").includes(event.key));
    if (!wanted) return;
    event.preventDefault();
    // One decision a page: a second key would decide what is not to be seen yet.
    pressed = wanted.matches("button");
    wanted.click();
  });
  addEventListener("pageshow", () => (pressed = false));
}
