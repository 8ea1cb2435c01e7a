// What makes the console nicer for those who run scripts. Every page works
// without it.

// Copy buttons are hidden until here, because without a script they do nothing.
const copy = async (button) => {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    // Without TLS there is no clipboard to write to; a selection there is.
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

// announcer is a place from which a screen reader hears what was done.
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

// A page that shows a secret answers a form; reloading it must not post that
// form again.
const settled = document.querySelector("[data-settle]");
if (settled) history.replaceState(null, "", settled.dataset.settle);

// What was wrong is read first. A page that begins elsewhere than at its top
// has the focus where its address says, or else where the page says.
const refused = document.querySelector("[data-focus]");
const begin = document.querySelector("main[data-begin]");
if (refused) refused.focus();
else if (begin) {
  const named = document.getElementById(location.hash.slice(1));
  const control = named ?? document.getElementById(begin.dataset.begin);
  control?.focus({ preventScroll: true });
  control?.scrollIntoView();
}

// A second press of a button does not post twice.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.dataset.sent) {
    if (form.dataset.sent) event.preventDefault();
    return;
  }
  form.dataset.sent = "1";
  setTimeout(() => delete form.dataset.sent, 4000);
});

// Menus close when somebody goes elsewhere, and with Escape.
const menus = document.querySelectorAll("header.bar details");
document.addEventListener("click", (event) => {
  for (const menu of menus) if (!menu.contains(event.target)) menu.open = false;
});

// A form that is being edited has the keyboard to itself: single keys do
// nothing while a form that posts has changes, nor just after something was
// typed anywhere, for the focus may have been lost. data-editing says so to the
// scripts of pages.
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

// Keys: g and a letter goes to a page, / to the filter, ? shows them all.
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
  if (event.key === "g") {
    going = true;
    setTimeout(() => { going = false; }, 1200);
  } else if (event.key === "/") {
    const field = document.querySelector("[data-search], form.filters input, form.filters select");
    if (field) {
      event.preventDefault();
      field.focus();
    }
  } else if (event.key === "?") {
    document.getElementById("shortcuts")?.showModal();
  }
});
