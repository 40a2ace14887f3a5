"use strict";
// One report at a time; each score is kept at once, and saved as a file when it is asked for.
{
  const sheet = document.getElementById("sheet");
  const reports = [...document.querySelectorAll(".report")];
  const name = document.querySelector("#who input");
  const status = document.querySelector("#who output");
  const key = `taskgen-scores-${sheet.dataset.sheet}`;
  const place = (rater) => `${key}/${rater}`;
  // By report and criterion, each person's apart; a browser that may keep nothing still lets one score and save.
  const read = (rater) => {
    try {
      return JSON.parse(localStorage.getItem(place(rater))) ?? {};
    } catch {
      return {};
    }
  };
  const last = () => {
    try {
      return localStorage.getItem(key) ?? "";
    } catch {
      return "";
    }
  };
  const kept = { rater: last(), scores: {} };
  kept.scores = read(kept.rater);
  let at = 0;
  let row = 0;
  // Whether something is neither in a file nor kept by the browser.
  let loose = false;

  const rows = () => [...reports[at].querySelectorAll(".row")];
  const idOf = (element) => JSON.stringify([element.closest(".report").dataset.report, element.dataset.criterion]);
  const keep = () => {
    try {
      localStorage.setItem(key, kept.rater);
      localStorage.setItem(place(kept.rater), JSON.stringify(kept.scores));
    } catch {
      loose = true;
    }
  };

  const show = () => {
    reports.forEach((report, index) => (report.hidden = index !== at));
    rows().forEach((element, index) => {
      element.classList.toggle("now", index === row);
      const score = kept.scores[idOf(element)];
      for (const button of element.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(Number(button.textContent) === score));
      }
    });
    const all = document.querySelectorAll(".row").length;
    document.getElementById("place").textContent = `report ${at + 1} of ${reports.length}`;
    status.textContent = `${Object.keys(kept.scores).length} of ${all} scores given`;
  };

  const score = (element, value) => {
    if (value === null) delete kept.scores[idOf(element)];
    else kept.scores[idOf(element)] = value;
    keep();
    const of = rows();
    row = of.indexOf(element);
    if (value !== null && row < of.length - 1) row += 1;
    show();
  };

  const go = (step) => {
    at = Math.min(Math.max(at + step, 0), reports.length - 1);
    row = 0;
    show();
    scrollTo(0, 0);
  };

  const save = () => {
    if (!name.value.trim()) {
      status.textContent = "Your name is missing: it tells people apart, and is not shown to anybody who scores.";
      name.focus();
      return;
    }
    const scores = Object.entries(kept.scores).map(([id, value]) => {
      const [report, criterion] = JSON.parse(id);
      return { report, criterion: criterion || null, score: value };
    });
    const file = { schema_version: 1, sheet: sheet.dataset.sheet, rater: name.value.trim(), scores };
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([JSON.stringify(file, null, 1)], { type: "application/json" }));
    link.download = `scores-${name.value.trim().replace(/[^\p{L}\p{N}-]+/gu, "-")}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    loose = false;
    status.textContent = `${scores.length} scores saved as ${link.download}`;
  };

  for (const element of document.querySelectorAll(".row")) {
    for (let value = 0; value <= 10; value += 1) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = String(value);
      button.addEventListener("click", () => score(element, value));
      element.querySelector(".marks").append(button);
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input")) return;
    const now = rows()[row];
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (/^[0-9]$/.test(event.key)) score(now, Number(event.key));
    else if (event.key === "x") score(now, 10);
    else if (event.key === "Backspace") score(now, null);
    else if (event.key === "ArrowLeft") go(-1);
    else if (event.key === "ArrowRight") go(1);
    else if (event.key === "s") save();
    // In the report's own text they scroll.
    else if (step && !event.target.closest(".text")) {
      row = Math.min(Math.max(row + step, 0), rows().length - 1);
      show();
    } else return;
    event.preventDefault();
  });
  document.getElementById("back").addEventListener("click", () => go(-1));
  document.getElementById("on").addEventListener("click", () => go(1));
  document.getElementById("save").addEventListener("click", save);
  document.getElementById("who").addEventListener("submit", (event) => event.preventDefault());
  name.value = kept.rater;
  // Another name is another person, who sees nothing of what the one before gave. What was scored without a name is whose
  // name comes first.
  name.addEventListener("change", () => {
    const rater = name.value.trim();
    const nameless = kept.rater === "" && Object.keys(kept.scores).length > 0;
    const own = read(rater);
    kept.rater = rater;
    if (!nameless || Object.keys(own).length > 0) kept.scores = own;
    keep();
    show();
  });
  addEventListener("beforeunload", (event) => {
    if (loose) event.preventDefault();
  });
  sheet.hidden = false;
  show();
}
