// The editor of a policy: it stores what is typed in the person's working copy. Without this
// script the buttons of the form do so.

const editor = document.querySelector("form.editor");
const kept = editor?.querySelector("[data-kept]");
const quietMillis = 700; // after the last key
const changedMillis = 250; // after a control was left, so that a button can come first

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
    if (!touched) delete document.body.dataset.editing;
    editor.dispatchEvent(new CustomEvent("kept", { detail: step }));
  } catch {
    // The buttons of the form send everything again, and ask to sign in if the session has ended.
    touched = true;
    kept.textContent = "not stored yet; press a button to try again";
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
}
