// Progress of uploads and of runs. Both pages work without this script: the form is posted
// like any other, and the page of a run reloads itself.

const form = document.querySelector("form[data-upload]");
if (form) {
  const shown = form.querySelector(".sending");
  const bar = shown.querySelector("progress");
  const word = shown.querySelector("span");
  const button = form.querySelector("button.primary");

  // Show the faults where the page would show them, and keep the chosen file.
  const refuse = (markup) => {
    const page = new DOMParser().parseFromString(markup, "text/html");
    for (const old of document.querySelectorAll("main > .notice, .field > .fault")) old.remove();
    for (const old of form.querySelectorAll(".wrong")) old.classList.remove("wrong");
    const notice = page.querySelector("main .notice.bad, main h1 + p, main .lead") ?? page.createElement("p");
    const box = document.importNode(notice, true);
    if (!box.classList.contains("notice")) {
      box.className = "notice bad";
      box.setAttribute("role", "alert");
    }
    box.tabIndex = -1;
    document.querySelector("main").prepend(box);
    for (const fault of page.querySelectorAll("form[data-upload] .field > .fault")) {
      const field = form.querySelector(`#f-${CSS.escape(fault.id.slice(2))}`)?.closest(".field");
      if (!field) continue;
      field.classList.add("wrong");
      field.append(document.importNode(fault, true));
      const folded = field.closest("details");
      if (folded) folded.open = true;
    }
    box.focus();
  };

  const rest = () => {
    shown.hidden = true;
    button.disabled = false;
    delete form.dataset.sent;
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("X-Verdict-Upload", "1");
    request.upload.addEventListener("progress", (sent) => {
      if (!sent.lengthComputable) return;
      const share = Math.floor((100 * sent.loaded) / sent.total);
      bar.value = share;
      word.textContent = share < 100 ? `${share} % sent` : "All sent; the rows are being decided";
      if (share >= 100) bar.removeAttribute("value");
    });
    request.addEventListener("load", () => {
      const next = request.getResponseHeader("Location");
      if (request.status === 201 && next) {
        location.assign(next);
        return;
      }
      rest();
      refuse(request.responseText);
    });
    request.addEventListener("error", () => {
      rest();
      refuse("<main><p class=\"notice bad\">The connection was lost before the answer arrived. The run may have started: look at the list of backtests before you try again.</p></main>");
    });
    bar.value = 0;
    word.textContent = "Sending";
    shown.hidden = false;
    button.disabled = true;
    request.send(new FormData(form));
  });
}

// Refresh the page of a run until it has finished.
const look = async () => {
  const section = document.querySelector("[data-refresh]");
  if (!section) return;
  try {
    const response = await fetch(location.href, { headers: { Accept: "text/html" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.querySelector("[data-refresh]");
    if (!response.ok || !fresh) {
      location.reload();
      return;
    }
    for (const part of ["h2", "progress", "p + p"]) {
      const was = section.querySelector(part);
      const is = fresh.querySelector(part);
      if (was && is && was.outerHTML !== is.outerHTML) was.replaceWith(document.importNode(is, true));
    }
  } catch {
    // Try again; the network may come back.
  }
  setTimeout(look, 1500);
};
if (document.querySelector("[data-refresh]")) setTimeout(look, 1000);
