"use strict";
// A time plays its recording from there, boxes choose what is shown. Without this the page is read as it is.
{
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  let player = null;
  let now = [];

  document.documentElement.classList.add("live");
  for (const time of all("span[data-at]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "at";
    button.dataset.at = time.dataset.at;
    button.textContent = time.textContent;
    button.setAttribute("aria-label", `Play from ${time.textContent}`);
    time.replaceWith(button);
  }

  const toggle = () => (player.paused ? player.play().catch(() => {}) : player.pause());

  const jump = (mark) => {
    const seminar = mark.closest(".seminar");
    const audio = seminar.querySelector("audio");
    if (player && player !== audio) player.pause();
    player = audio;
    audio.currentTime = Number(mark.dataset.at);
    // What cannot be played is said by the event `error`.
    audio.play().catch(() => {});
    now.forEach((other) => other.classList.remove("now"));
    now = all(`[data-at="${mark.dataset.at}"]`, seminar);
    now.forEach((other) => other.classList.add("now"));
  };

  document.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-at]");
    if (mark) jump(mark);
  });

  // Space plays and pauses wherever it has no other meaning, and on the time that is being played.
  const plays = (event) => {
    const modified = event.ctrlKey || event.altKey || event.metaKey || event.shiftKey;
    const busy = event.target.closest("a, audio, button:not(.now), input, select, summary");
    return event.key === " " && player && !modified && !busy;
  };
  document.addEventListener("keydown", (event) => {
    if (!plays(event)) return;
    event.preventDefault();
    if (!event.repeat) toggle();
  });
  document.addEventListener("keyup", (event) => {
    if (plays(event)) event.preventDefault();
  });

  for (const audio of all("audio")) {
    const seminar = audio.closest(".seminar");
    const head = seminar.querySelector("line.head");
    const from = head ? Number(head.getAttribute("x1")) : 0;
    const until = head ? Number(seminar.querySelector("line.rule.lane").getAttribute("x2")) : 0;
    audio.addEventListener("play", () => {
      if (player && player !== audio) player.pause();
      player = audio;
    });
    audio.addEventListener("error", () => (audio.nextElementSibling.hidden = false));
    audio.addEventListener("timeupdate", () => {
      if (!head || !audio.duration) return;
      const x = from + ((until - from) * audio.currentTime) / audio.duration;
      head.setAttribute("x1", x);
      head.setAttribute("x2", x);
    });
  }

  const filter = document.getElementById("filter");
  if (filter) {
    const boxes = all("select", filter);
    const words = filter.querySelector("input");
    const status = filter.querySelector("[role=status]");
    const groups = all("details");
    let items = null;

    const collect = () =>
      groups.flatMap((group) => {
        const title = group.querySelector("summary").textContent;
        return all("[data-is]", group).map((element) => ({
          element,
          group,
          is: new Set(element.dataset.is.split(" ")),
          text: `${title} ${element.textContent}`.toLowerCase(),
        }));
      });

    const apply = () => {
      items ??= collect();
      const wanted = boxes.map((box) => box.value).filter(Boolean);
      const text = words.value.trim().toLowerCase();
      const active = wanted.length > 0 || text !== "";
      const shown = new Set();
      for (const item of items) {
        const fits = wanted.every((word) => item.is.has(word)) && item.text.includes(text);
        item.element.hidden = !fits;
        if (fits) shown.add(item.group);
      }
      for (const group of groups) group.hidden = active && !shown.has(group);
      const seminars = [...shown].filter((group) => group.matches(".seminar"));
      if (active && seminars.length <= 10) seminars.forEach((group) => (group.open = true));
      const left = all(".seminar li[data-is]:not([hidden])").length;
      status.textContent = active ? `${left} inspirations and tasks of ${seminars.length} seminars fit` : "";
    };

    filter.hidden = false;
    filter.addEventListener("input", apply);
    filter.querySelector("button").addEventListener("click", () => {
      boxes.forEach((box) => (box.value = ""));
      words.value = "";
      apply();
    });
  }

  // What a link leads to is unfolded and shown.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let above = target; above; above = above.parentElement) {
      if (above.matches("details")) above.open = true;
      above.hidden = false;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    folded.forEach((details) => (details.open = true));
  });
  addEventListener("afterprint", () => folded.forEach((details) => (details.open = false)));
}
