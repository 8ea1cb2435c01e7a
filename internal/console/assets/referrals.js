// Keys for the queue of referrals: j and k move through it, 1 to 3 choose an outcome, o
// opens the decision. Without this script there are links for the same.
const rows = [...document.querySelectorAll("[data-row]")];
const hint = document.querySelector("[data-keyhint]");
if (hint) hint.hidden = false;

// The list may be longer than its box. Scroll the open case into view without moving the
// page.
const current = rows.find((row) => row.getAttribute("aria-current"));
const list = current?.closest("ol");
const box = list && list.scrollHeight > list.clientHeight ? list : list?.parentElement;
if (box) box.scrollTop = current.offsetTop - box.offsetTop;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("textarea, select, input:not([type=radio])")) return;
  // Keys neither leave nor change a review that is being written.
  if (document.body.dataset.editing !== undefined && !event.target.closest("input[type=radio]")) return;
  if (document.body.dataset.editing === "changed" && "jko".includes(event.key)) return;
  const here = rows.findIndex((row) => row.getAttribute("aria-current"));
  const outcomes = document.querySelectorAll('#review input[name="outcome"]');
  switch (event.key) {
    case "j":
      rows[here + 1]?.click();
      break;
    case "k":
      rows[here - 1]?.click();
      break;
    case "o":
      document.querySelector("[data-story]")?.click();
      break;
    case "1":
    case "2":
    case "3": {
      const outcome = outcomes[Number(event.key) - 1];
      if (outcome) {
        outcome.checked = true;
        outcome.focus();
        event.preventDefault();
      }
      break;
    }
  }
});
