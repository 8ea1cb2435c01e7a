"use strict";
(() => {
  const element = id => document.getElementById(id);
  const state = element("state"), results = element("results");
  let capsules = []; // { name, bytes }
  let ready = false;

  // The words for each value of truth. What a sentence says comes from the program.
  const words = { yes: "Yes", NO: "No", unknown: "Unknown", note: "Note" };

  function add(parent, tag, className, text) {
    const made = document.createElement(tag);
    made.className = className;
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function problem(about, text) {
    for (const id of ["log", "witness"]) {
      const shown = element(id + "-problem");
      shown.textContent = id === about ? "This is " + text + "." : "";
      shown.hidden = id !== about;
      element(id).setAttribute("aria-invalid", id === about);
    }
  }

  // check asks the program about a capsule. If the program does not answer, nothing is known.
  function check(bytes, log, witness) {
    try {
      return JSON.parse(globalThis.verdictCheck(bytes, log, witness));
    } catch {
      return { about: "capsule", error: "the check did not complete, so nothing is known about this file" };
    }
  }

  function show(name, answer) {
    const result = add(results, "article", "result " + (answer.holds === true ? "good" : "bad"), "");
    add(result, "h3", "", name);
    if (answer.error) {
      add(result, "p", "verdict", "Not checked.");
      add(result, "p", "", answer.error);
      return;
    }
    add(result, "p", "hint", answer.decision);
    add(result, "p", "verdict", answer.holds === true ? "This capsule is genuine." : "Do not rely on this capsule.");
    const list = add(result, "ul", "", "");
    for (const sentence of answer.sentences) {
      const item = add(list, "li", "", "");
      add(item, "span", "mark " + sentence.truth, words[sentence.truth] ?? sentence.truth);
      add(item, "span", "", sentence.text);
    }
  }

  function update() {
    results.replaceChildren();
    problem("", "");
    const log = element("log").value.trim(), witness = element("witness").value.trim();
    if (!ready) return;
    if (capsules.length === 0 || log === "") {
      state.textContent = "Nothing is checked yet: " + (capsules.length === 0 && log === ""
        ? "the capsule and the public key of the log are missing."
        : capsules.length === 0 ? "the capsule is missing." : "the public key of the log is missing.");
      return;
    }
    let genuine = 0;
    for (const c of capsules) {
      const answer = check(c.bytes, log, witness);
      if (answer.error && answer.about !== "capsule") {
        problem(answer.about, answer.error);
        state.textContent = "Nothing is checked yet: a key cannot be read.";
        return;
      }
      show(c.name, answer);
      if (answer.holds === true) genuine++;
    }
    state.textContent = capsules.length + (capsules.length === 1 ? " capsule checked, " : " capsules checked, ") +
      genuine + " genuine.";
  }

  async function capsuleOf(file) {
    // One byte more than permitted is enough to learn that the file is too large.
    return { name: file.name, bytes: new Uint8Array(await file.slice(0, globalThis.verdictMaxSize + 1).arrayBuffer()) };
  }

  const maxKeys = 64 * 1024;
  const keyText = file => file.slice(0, maxKeys).text();

  // sort tells what a dropped file is by its first characters: a capsule is JSON, and the
  // key of a witness begins with the byte 4.
  async function sort(file) {
    const text = await keyText(file);
    if (/^\s*\{/.test(text)) return "capsule";
    const key = /^[^+\s]+\+[0-9a-f]{8}\+([A-Za-z0-9+/]{4})/.exec(text.trim());
    if (!key) return "capsule"; // the program says what is wrong with it
    return atob(key[1]).charCodeAt(0) === 4 ? "witness" : "log";
  }

  element("capsule").addEventListener("change", async event => {
    capsules = await Promise.all([...event.target.files].map(capsuleOf));
    element("capsule-chosen").textContent = ""; // the field itself names them
    update();
  });
  for (const id of ["log", "witness"]) {
    element(id).addEventListener("input", update);
    element(id + "-file").addEventListener("change", async event => {
      const [file] = event.target.files;
      if (file) element(id).value = await keyText(file);
      update();
    });
  }
  for (const input of document.querySelectorAll("input[type=file]")) {
    // Otherwise choosing the same file again, after it was changed on disk, would have no effect.
    input.addEventListener("click", () => { input.value = ""; });
  }
  element("inputs").addEventListener("submit", event => event.preventDefault());

  addEventListener("dragover", event => {
    event.preventDefault();
    document.body.classList.add("over");
  });
  addEventListener("dragleave", () => document.body.classList.remove("over"));
  addEventListener("drop", async event => {
    event.preventDefault();
    document.body.classList.remove("over");
    const dropped = [];
    for (const file of event.dataTransfer.files) {
      const kind = await sort(file);
      if (kind === "capsule") dropped.push(await capsuleOf(file));
      else element(kind).value = await keyText(file);
    }
    if (dropped.length > 0) {
      capsules = dropped;
      element("capsule-chosen").textContent = "Dropped: " + dropped.map(c => c.name).join(", ");
    }
    update();
  });

  async function start() {
    const packed = Uint8Array.from(atob(element("program").textContent), c => c.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    const go = new Go();
    const { instance } = await WebAssembly.instantiate(await new Response(unpacked).arrayBuffer(), go.importObject);
    go.run(instance); // until the page is closed
    ready = true;
    update();
  }

  start().catch(() => {
    state.textContent = "This browser cannot run the check. Use a current version of Chrome, Edge, Firefox or Safari, " +
      "or the command “verdict verify”.";
  });
})();
