// The editor of a policy. This script stores typed values in the person's working copy. Without
// the script, the buttons of the form do so.

const editor = document.querySelector("form.editor");
const kept = editor?.querySelector("[data-kept]");
const quietMillis = 700; // after the last key
const changedMillis = 250; // after a control was left, so that a pressed button is sent first

let touched = editor?.dataset.unsaved !== undefined;
let timer;
let running = null;

// focused returns the id of the control that gets the focus when the step is opened again.
const focused = () => (editor.contains(document.activeElement) ? document.activeElement.id : "");

// keep posts the form to the working copy. Only one request runs at a time; what is typed in the
// meantime is sent afterwards.
const keep = async () => {
  clearTimeout(timer);
  if (running) {
    await running;
    if (!touched) return;
  }
  running = send();
  await running;
  running = null;
};

const send = async () => {
  touched = false;
  kept.textContent = "storing…";
  const body = new URLSearchParams(new FormData(editor));
  // The text of the document counts only when its own button is pressed.
  body.set("document", editor.elements.document.defaultValue);
  body.set("focus", focused());
  try {
    const answer = await fetch(editor.dataset.keep, { method: "POST", body });
    if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
    const { step } = await answer.json();
    editor.elements.step.value = step;
    history.replaceState(null, "", `${location.pathname}?step=${step}`);
    kept.textContent = "stored";
    document.getElementById("undo-step")?.removeAttribute("data-idle");
    refresh(step);
    measure(step);
  } catch {
    // The buttons of the form send everything again, and ask to sign in if the session has ended.
    touched = true;
    kept.textContent = "not stored yet; press a button to try again";
  }
};

// refresh takes the parts of the page that depend on the whole document, such as the findings, from
// the page of a step.
const refresh = async (step) => {
  const live = [...document.querySelectorAll("[data-live]")];
  for (const part of live) part.classList.add("stale");
  try {
    const answer = await fetch(`${location.pathname}?step=${step}`);
    if (!answer.ok || editor.elements.step.value !== String(step)) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of live) {
      const now = page.querySelector(`[data-live="${part.dataset.live}"]`);
      if (now) part.replaceChildren(...now.childNodes);
      part.classList.remove("stale");
    }
  } catch {
    // The parts stay marked as stale.
  }
};

// measure shows the effect of a step on recent applications. A later step cancels the measurement.
const effect = document.querySelector("[data-effect]");
let measuring;
const measure = async (step) => {
  measuring?.abort();
  measuring = new AbortController();
  effect.hidden = false;
  effect.classList.add("stale");
  if (!effect.firstChild) effect.textContent = "Measuring the effect of your edit…";
  try {
    const answer = await fetch(`${effect.dataset.effect}?step=${step}`, { signal: measuring.signal });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const now = page.getElementById("effect");
    if (!answer.ok || !now) throw new Error(String(answer.status));
    effect.replaceChildren(...now.childNodes);
    effect.classList.remove("stale");
  } catch (error) {
    if (error.name !== "AbortError") effect.textContent = "The effect of your edit could not be measured.";
  }
};

// soon stores what was typed after a while without further input.
const soon = (millis) => {
  clearTimeout(timer);
  timer = setTimeout(keep, millis);
};

if (editor) {
  editor.addEventListener("input", (event) => {
    touched = true;
    if (event.target.name !== "document") soon(quietMillis);
  });
  editor.addEventListener("change", (event) => {
    if (touched && event.target.name !== "document") soon(changedMillis);
  });
  // A button waits for a running request, so that its step follows the one that the request stores.
  editor.addEventListener("submit", (event) => {
    clearTimeout(timer);
    if (running) {
      event.preventDefault();
      event.stopPropagation();
      const button = event.submitter;
      running.then(() => editor.requestSubmit(button));
      return;
    }
    touched = false;
  });
  addEventListener("beforeunload", (event) => { if (touched) event.preventDefault(); });

  if (effect && Number(editor.elements.step.value) > 0) measure(editor.elements.step.value);
}

// Arrow up and down move between the rows of a grid.
for (const grid of document.querySelectorAll(".binedit")) {
  grid.addEventListener("keydown", (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const cell = event.target.closest("td");
    if (!by || !cell) return;
    const rows = [...grid.tBodies[0].rows].filter((row) => row.querySelector("input"));
    const to = rows[rows.indexOf(cell.parentNode) + by]?.cells[cell.cellIndex]?.querySelector("input");
    if (!to) return;
    event.preventDefault();
    to.focus();
    to.select();
  });
}

// Rules can be dragged to another place. The buttons with arrows do the same with the keyboard.
for (const list of document.querySelectorAll("ol[data-order]")) {
  const lines = [...list.children].filter((line) => line.querySelector(".rule-side"));
  const indexOf = (line) => Number(line.id.split("-").at(-1));
  let dragged = null;
  for (const line of lines) {
    line.draggable = true;
    line.addEventListener("dragstart", (event) => {
      dragged = line;
      event.dataTransfer.effectAllowed = "move";
      line.classList.add("dragged");
    });
    line.addEventListener("dragend", () => line.classList.remove("dragged"));
    line.addEventListener("dragover", (event) => {
      if (!dragged) return;
      event.preventDefault();
      line.classList.toggle("over", line !== dragged);
    });
    line.addEventListener("dragleave", () => line.classList.remove("over"));
    line.addEventListener("drop", (event) => {
      event.preventDefault();
      line.classList.remove("over");
      if (!dragged || dragged === line) return;
      const button = document.createElement("button");
      button.name = "act";
      button.value = `move:${list.dataset.order}/${indexOf(dragged)}/${indexOf(line)}`;
      button.hidden = true;
      editor.append(button);
      editor.requestSubmit(button);
    });
  }
}

// Sections that were unfolded stay unfolded after the next step.
const unfolded = "verdict-unfolded";
const parts = [...document.querySelectorAll(".editor .part > details")];
const nameOf = (part) => part.querySelector(".part-body").id;
const remembered = new Set(JSON.parse(sessionStorage.getItem(unfolded) ?? "[]"));
const unfolds = parts.filter((part) => !part.open && remembered.has(nameOf(part)));
for (const part of unfolds) part.open = true;
// What is below an unfolded section has moved, so scroll again to where the page begins.
if (unfolds.length > 0) {
  const begins = document.activeElement === document.body ? document.querySelector(":target") : document.activeElement;
  begins?.scrollIntoView();
}
for (const part of parts) {
  part.addEventListener("toggle", () => {
    sessionStorage.setItem(unfolded, JSON.stringify(parts.filter((p) => p.open).map(nameOf)));
  });
}
