// Keeps the entry of the shown part in view in the contents, and opens the part for addresses that were stored when the
// reference was one page, such as "/reference#createDecision". Without this script the contents are links, and such an
// address shows the entry of the part.

const contents = document.querySelector("[data-contents]");

const open = () => {
  const anchor = location.hash.slice(1);
  const target = anchor && document.getElementById(decodeURIComponent(anchor));
  if (!anchor || (target && !contents.contains(target)) || !location.pathname.endsWith("/reference")) return;
  location.replace("reference/" + anchor);
};
open();
addEventListener("hashchange", open);

// Scroll only the contents, not the page.
const entry = contents?.querySelector("[aria-current]");
if (entry) {
  const box = contents.getBoundingClientRect();
  const at = entry.getBoundingClientRect();
  if (at.top < box.top || at.bottom > box.bottom) contents.scrollTop += at.top - box.top - box.height / 3;
}
