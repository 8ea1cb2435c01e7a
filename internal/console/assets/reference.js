// Marks the section of the reference that is on the screen in the contents, and keeps its entry in view. Without this
// script the contents are links.

const contents = document.querySelector("[data-contents]");
const entries = new Map();
for (const link of contents?.querySelectorAll('a[href^="#"]') ?? []) {
  const section = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  if (section) entries.set(section, link);
}

let marked;
const mark = (link) => {
  if (link === marked) return;
  marked?.removeAttribute("aria-current");
  marked = link;
  link.setAttribute("aria-current", "true");
  // Scroll only the contents, not the page.
  const box = contents.getBoundingClientRect();
  const at = link.getBoundingClientRect();
  if (at.top < box.top || at.bottom > box.bottom) contents.scrollTop += at.top - box.top - box.height / 3;
};

// The section that is read is the last one whose beginning is in the upper third of the screen or above it. A group is
// also around its operations, so the innermost section that crosses the line counts.
const crossing = new Set();
const watcher = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) crossing[isIntersecting ? "add" : "delete"](target);
    const innermost = [...crossing].findLast((one) => ![...crossing].some((other) => other !== one && one.contains(other)));
    if (innermost) mark(entries.get(innermost));
  },
  { rootMargin: "-25% 0px -74% 0px" },
);
for (const section of entries.keys()) watcher.observe(section);
