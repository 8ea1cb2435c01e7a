// A link to a section opens the fold that contains the section, and printing opens the folds that belong on paper.
const reveal = () => {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named) return;
  for (let fold = named.closest("details"); fold; fold = fold.parentElement?.closest("details")) fold.open = true;
  named.scrollIntoView();
};
window.addEventListener("hashchange", reveal);
reveal();

let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details[data-print-open]:not([open])")];
  for (const fold of opened) fold.open = true;
});
window.addEventListener("afterprint", () => {
  for (const fold of opened) fold.open = false;
});

const print = document.querySelector("[data-print]");
if (print) {
  print.hidden = false;
  print.addEventListener("click", () => window.print());
}
