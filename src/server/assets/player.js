"use strict";
// A time moves the player there, and the transcript follows the sound. Without this, times are links to the sound itself.
{
  const audio = document.querySelector("audio");
  const lines = [...document.querySelectorAll(".transcript [data-from]")];
  const starts = lines.map((line) => Number(line.dataset.from));
  const head = document.querySelector("line.head");
  const from = head ? Number(head.getAttribute("x1")) : 0;
  const until = head ? Number(document.querySelector("line.rule.lane").getAttribute("x2")) : 0;
  const follows = document.querySelector("#follows");
  let now = null;

  const jump = (seconds) => {
    audio.currentTime = seconds;
    // What cannot be played is said by the event `error`.
    audio.play().catch(() => {});
  };

  // The last line that has begun.
  const spoken = (seconds) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= seconds + 0.05) low = middle + 1;
      else high = middle;
    }
    return lines[low - 1] ?? null;
  };

  const follow = () => {
    const line = spoken(audio.currentTime);
    if (line !== now) {
      now?.classList.remove("now");
      line?.classList.add("now");
      if (line && follows?.checked && !audio.paused) line.scrollIntoView({ block: "center" });
      now = line;
    }
    if (head && audio.duration) {
      const x = from + ((until - from) * audio.currentTime) / audio.duration;
      head.setAttribute("x1", x);
      head.setAttribute("x2", x);
    }
  };

  if (audio) {
    document.documentElement.classList.add("playing");
    document.addEventListener("click", (event) => {
      const mark = event.target.closest("[data-at]");
      if (!mark || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      jump(Number(mark.dataset.at));
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
      if (event.key !== " " || event.target.closest("a, audio, button, input, select, summary, textarea")) return;
      event.preventDefault();
      if (!event.repeat) audio.paused ? audio.play().catch(() => {}) : audio.pause();
    });
    audio.addEventListener("error", () => (document.querySelector("#unplayable").hidden = false));
    audio.addEventListener("timeupdate", follow);
    audio.addEventListener("seeked", follow);
    const asked = Number(new URLSearchParams(location.search).get("at"));
    if (asked > 0) audio.currentTime = asked;
  }
}
