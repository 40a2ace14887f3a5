"use strict";
// Shows how far running commands are, as the server tells it. Without this the page shows the moment when it was made.
{
  const list = document.getElementById("running");
  const state = document.getElementById("state");
  const left = (seconds) => {
    if (seconds === null) return "";
    if (seconds < 90) return `${Math.round(seconds)} s left`;
    if (seconds < 5400) return `${Math.round(seconds / 60)} min left`;
    return `${(seconds / 3600).toFixed(1)} h left`;
  };
  const rate = (of) => {
    if (of.per_second === null) return "";
    return of.per_second >= 1 ? `${of.per_second.toFixed(1)} a second` : `${(of.per_second * 60).toFixed(1)} a minute`;
  };

  // What is told stands in the text of elements, never in markup.
  const item = (of) => {
    const item = document.createElement("li");
    const line = document.createElement("p");
    const name = document.createElement("strong");
    name.textContent = of.stage;
    line.append(name, ` ${of.done} of ${of.total}`);
    const bar = document.createElement("progress");
    bar.max = Math.max(of.total, 1);
    bar.value = of.done;
    bar.setAttribute("aria-label", name.textContent);
    const soft = document.createElement("p");
    soft.className = "soft";
    soft.textContent = [rate(of), left(of.seconds_left), of.item].filter(Boolean).join(" · ");
    item.append(line, bar, soft);
    return item;
  };

  const show = (now) => {
    list.replaceChildren(...now.running.map(item));
    state.textContent = now.running.length === 0 ? "No command is running." : "";
    for (const tile of document.querySelectorAll("[data-count]")) {
      tile.textContent = Number(now.counts[tile.dataset.count] ?? 0).toLocaleString("en");
    }
  };

  const source = new EventSource("/events");
  source.addEventListener("now", (event) => show(JSON.parse(event.data)));
  source.addEventListener("error", () => (state.textContent = "The server does not answer: this page waits for it."));
}
