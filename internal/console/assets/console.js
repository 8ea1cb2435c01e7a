// Improvements for browsers that run scripts. Every page works without them.

// Show the copy buttons, which do nothing without a script.
const copy = async (button) => {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    // Without TLS the clipboard is not available, so select the text instead.
    const area = document.createElement("textarea");
    area.value = button.dataset.copy;
    area.className = "away";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.classList.add("done");
  const status = document.getElementById("said") ?? announcer();
  status.textContent = "Copied";
  setTimeout(() => button.classList.remove("done"), 1500);
};

// announcer returns an element whose text screen readers announce.
const announcer = () => {
  const status = document.createElement("div");
  status.id = "said";
  status.className = "away";
  status.setAttribute("role", "status");
  document.body.append(status);
  return status;
};

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}

// A page that shows a secret is the answer to a form. Reloading it must not post that form
// again.
const settled = document.querySelector("[data-settle]");
if (settled) history.replaceState(null, "", settled.dataset.settle);

// Faults get the focus first. Otherwise the focus goes to the fragment of the address, or
// to the control that the page names.
const refused = document.querySelector("[data-focus]");
const begin = document.querySelector("main[data-begin]");
if (refused) refused.focus();
else if (begin) {
  const named = document.getElementById(location.hash.slice(1));
  const control = named ?? document.getElementById(begin.dataset.begin);
  control?.focus({ preventScroll: true });
  control?.scrollIntoView();
}

// Prevent a second press of a button from posting twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.dataset.sent) {
    if (form.dataset.sent) event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  setTimeout(() => delete form.dataset.sent, 4000);
});

// Menus close on a click elsewhere, and with Escape.
const menus = document.querySelectorAll("header.bar details");
document.addEventListener("click", (event) => {
  for (const menu of menus) if (!menu.contains(event.target)) menu.open = false;
});

// Shortcut keys are off while a posting form has changes. They are also off for a second
// after something was typed anywhere, because the focus may have been lost. The attribute
// data-editing tells this to the scripts of pages.
const quietMillis = 1000;
let quiet;
const edited = (event) => {
  const form = event.target.closest("form");
  if (form?.method === "post" && !form.matches("header form")) document.body.dataset.editing = "changed";
};
document.addEventListener("input", edited);
document.addEventListener("change", edited);
document.addEventListener("submit", () => delete document.body.dataset.editing);
document.addEventListener("reset", () => delete document.body.dataset.editing);
document.addEventListener("keydown", (event) => {
  if (!event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (document.body.dataset.editing === undefined) document.body.dataset.editing = "typing";
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    if (document.body.dataset.editing === "typing") delete document.body.dataset.editing;
  }, quietMillis);
}, true);

// The rows of a list: j and k move through them, and so do the arrow keys while a row has the focus. The focus is on
// the first link of a row, so Enter opens it. In a list without links the rows themselves get the focus, so that Tab
// leads to the controls of a row. The queue of referrals has its own keys.
const opens = document.querySelector("[data-row]") ? [] :
  [...document.querySelectorAll("main .table tbody tr")]
    .map((row) => (row.hasAttribute("tabindex") ? row : row.querySelector("a[href]")))
    .filter((target) => target?.checkVisibility());
if (opens.length > 0) for (const hint of document.querySelectorAll("[data-keyhint]")) hint.hidden = false;
const moveBy = (event) => {
  const at = opens.indexOf(document.activeElement);
  const step = { j: 1, k: -1, ...(at >= 0 && { ArrowDown: 1, ArrowUp: -1 }) }[event.key];
  if (step === undefined || opens.length === 0) return false;
  const next = at < 0 ? (step > 0 ? 0 : opens.length - 1) : Math.min(Math.max(at + step, 0), opens.length - 1);
  opens[next].focus();
  opens[next].closest("tr").scrollIntoView({ block: "nearest" });
  event.preventDefault();
  return true;
};

// Shortcut keys: "g" and a letter opens a page, "/" goes to the search box, "?" shows all shortcut keys.
let going = false;
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    for (const menu of menus) {
      if (menu.open) menu.querySelector("summary").focus();
      menu.open = false;
    }
    return;
  }
  if (event.target.closest("input, textarea, select, [contenteditable]") || document.body.dataset.editing !== undefined) {
    going = false;
    return;
  }
  if (going) {
    going = false;
    document.querySelector(`nav.side [data-go="${CSS.escape(event.key)}"]`)?.click();
    return;
  }
  if (moveBy(event)) return;
  if (event.key === "g") {
    going = true;
    setTimeout(() => { going = false; }, 1200);
  } else if (event.key === "/") {
    const field = [...document.querySelectorAll("[data-search], form.filters input, form.filters select")]
      .find((input) => input.checkVisibility());
    if (field) {
      event.preventDefault();
      field.focus();
    }
  } else if (event.key === "?") {
    document.getElementById("shortcuts")?.showModal();
  }
});
