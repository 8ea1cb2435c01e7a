// The condition builder. It edits the JSON of a text field with menus and inputs. The
// form still sends the text field, so without this script it is edited by hand.

const operators = {
  number: [["lt", "is below"], ["lte", "is at most"], ["gt", "is above"], ["gte", "is at least"], ["eq", "is"], ["ne", "is not"],
    ["between", "is between"], ["in", "is one of"], ["not_in", "is none of"],
    ["in_list", "is in the list"], ["not_in_list", "is not in the list"], ["exists", "is given"], ["absent", "is absent"]],
  string: [["eq", "is"], ["ne", "is not"], ["in", "is one of"], ["not_in", "is none of"],
    ["in_list", "is in the list"], ["not_in_list", "is not in the list"], ["starts_with", "starts with"],
    ["ends_with", "ends with"], ["contains", "contains"], ["exists", "is given"], ["absent", "is absent"]],
  boolean: [["eq", "is"], ["exists", "is given"], ["absent", "is absent"]],
};
const groups = [["and", "All of these hold"], ["or", "At least one of these holds"], ["not", "This does not hold"]];
const single = ["lt", "lte", "gt", "gte", "eq", "ne", "starts_with", "ends_with", "contains"];
const lookups = ["in_list", "not_in_list"];

// The fields that a condition can name: the list on the page, and the inputs that the
// policy declares.
const fields = new Map();
const list = document.getElementById("fields");
for (const option of list?.options ?? []) {
  fields.set(option.value, {
    type: option.dataset.type, meaning: option.label, values: option.dataset.values ? option.dataset.values.split("|") : [],
  });
}
try {
  for (const input of JSON.parse(document.getElementById("inputs")?.dataset.inputs || "[]")) {
    fields.set(input.name, { type: input.type, meaning: input.meaning ?? "an input of this policy", values: [] });
    list?.append(new Option(input.meaning ?? "", input.name));
  }
} catch {
  // The page itself reports inputs that cannot be read.
}

// learnAbsence shows how often each field was absent lately, in the suggestions and below a chosen field. It requests
// the counts once, when a condition gets the focus. The page works without them.
let asked = false;
const learnAbsence = async () => {
  if (asked || !list?.dataset.absence) return;
  asked = true;
  const answer = await fetch(list.dataset.absence);
  if (!answer.ok || answer.redirected) return;
  const { applications, absent } = await answer.json();
  if (applications === 0) return;
  const latest = applications === 1 ? "the latest application" : `the latest ${applications} applications`;
  for (const [name, count] of Object.entries(absent)) {
    const known = fields.get(name);
    if (!known) continue;
    const percent = Math.round((100 * count) / applications);
    const share = percent === 0 ? "in under 1 %" : `in ${percent} %`;
    known.absent = count === 0 ? `never absent in ${latest}` : count === applications ? `absent in all of ${latest}` : `absent ${share} of ${latest}`;
  }
  for (const option of list.options) {
    const known = fields.get(option.value);
    if (known?.absent) option.label = describe(known);
  }
  // Do not draw the tree again, because somebody may be typing into a field.
  for (const row of document.querySelectorAll(".builder .node")) {
    const known = fields.get(row.querySelector('[data-at$="/field"]')?.value);
    if (known) row.querySelector(".means")?.replaceChildren(describe(known));
  }
};
const describe = (known) => (known.absent ? `${known.meaning} · ${known.absent}` : known.meaning);

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// chooser returns a select. The attribute data-at of a control names its node and
// the part of the node that it edits, such as "0.1/op". Listeners of the whole tree
// find the node by this name, so a control can stay when the tree is drawn again.
const chooser = (label, at, pairs, value) => {
  const select = make("select", { ariaLabel: label }, ...pairs.map(([v, text]) => new Option(text, v, false, v === value)));
  select.dataset.at = at;
  return select;
};

// patch changes an element to equal another one. It changes only what differs, so that
// controls keep their focus and cursor.
const patch = (from, to) => {
  if (from.nodeName !== to.nodeName) {
    from.replaceWith(to);
    return;
  }
  if (from.nodeType === Node.TEXT_NODE) {
    if (from.data !== to.data) from.data = to.data;
    return;
  }
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  const old = [...from.childNodes];
  const now = [...to.childNodes];
  now.forEach((child, i) => (i < old.length ? patch(old[i], child) : from.append(child)));
  for (const extra of old.slice(now.length)) extra.remove();
  if ("value" in to && from.value !== to.value) from.value = to.value;
};

const typeOf = (name) => fields.get(name)?.type ?? "number";
const isGroup = (node) => groups.some(([op]) => op === node?.op);
// Nodes that the menus cannot show, such as arithmetic, are kept unchanged.
const isSimple = (node) => typeof node?.field === "string" && node.left === undefined && node.right === undefined
  && Object.values(operators).some((known) => known.some(([op]) => op === node.op));
const fresh = () => ({ op: "lt", field: "bureau_score", value: 650 });

// typed reads the typed value of a field. A text that is not a number stays a text, which
// the check reports.
const typed = (text, type) => {
  if (type === "boolean") return text === "true";
  const plain = text.replaceAll(/[,\s₹]/g, "");
  return type === "number" && plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : text;
};

// argsOf returns the nodes inside a group.
const argsOf = (node) => (node.op === "not" ? [node.arg] : (node.args ?? []));

// withArgs returns a group of the same kind with other nodes inside; null if there are
// none.
const withArgs = (node, args) => {
  if (args.length === 0) return null;
  if (node.op === "not") return { op: "not", arg: args.length === 1 ? args[0] : { op: "and", args } };
  return { op: node.op, args };
};

class Builder {
  constructor(box) {
    this.box = box;
    this.past = []; // the text before each removal
    this.area = box.querySelector("textarea");
    this.reads = box.querySelector("[data-reads]");
    this.reads.setAttribute("aria-live", "polite");
    this.tree = make("div", { className: "builder" });
    this.tree.setAttribute("role", "group");
    this.tree.setAttribute("aria-label", `${this.label()}, built from choices`);
    this.fold = make("details", { className: "fold" }, make("summary", { textContent: "As JSON" }));
    const field = this.area.closest(".field");
    box.prepend(make("p", { className: "builder-title", textContent: this.label() }), this.tree);
    this.fold.append(field);
    this.reads.after(this.fold);
    this.area.addEventListener("input", () => this.read());
    this.stage = this.area.form.querySelector('[name="row.stage"]');
    this.stage?.addEventListener("change", () => this.check());
    this.tree.addEventListener("click", (event) => this.press(event.target.closest("button")));
    this.tree.addEventListener("input", (event) => this.type(event.target));
    this.tree.addEventListener("change", (event) => this.chosen(event.target));
    this.tree.addEventListener("focusin", () => learnAbsence());
    this.read();
  }

  label() {
    return (this.area.labels[0]?.firstChild.textContent ?? "Condition").trim();
  }

  // read draws the condition of the text. A text that is not JSON is left unchanged.
  read() {
    const text = this.area.value.trim();
    this.past = [];
    try {
      this.root = text === "" ? null : JSON.parse(text);
      this.draw();
    } catch {
      this.tree.replaceChildren(make("p", { className: "means", textContent: "The JSON below cannot be read." }));
      this.fold.open = true;
    }
    this.check();
  }

  // changed writes the tree back into the text and reports the edit to the form. It draws
  // the tree after the browser has moved the focus, because a field reports its change
  // before the next control has the focus.
  changed(focus) {
    this.area.value = this.root === null ? "" : JSON.stringify(this.root, null, 2);
    this.area.form.dispatchEvent(new Event("input", { bubbles: true }));
    this.check();
    clearTimeout(this.drawing);
    this.drawing = setTimeout(() => this.draw(focus));
  }

  // draw draws the tree. The focus stays on its control, or moves to the one that the
  // parameter focus names.
  draw(focus) {
    const at = focus ?? (this.tree.contains(document.activeElement) ? document.activeElement.dataset.at : undefined);
    const drawn = make("div");
    if (this.root === null) drawn.append(this.tools("", false));
    else {
      drawn.append(this.node(this.root, ""));
      if (!isGroup(this.root)) {
        drawn.append(make("div", { className: "tools" }, this.button("Add with AND", "/and"), this.button("Add with OR", "/or")));
      }
    }
    if (this.past.length > 0) {
      drawn.append(make("div", { className: "tools undo" }, make("span", { textContent: "Removed." }), this.button("Undo", "/undo", "Undo the removal")));
    }
    for (const { name } of [...this.tree.attributes]) drawn.setAttribute(name, this.tree.getAttribute(name));
    patch(this.tree, drawn);
    const control = at === undefined ? null : this.tree.querySelector(`[data-at="${CSS.escape(at)}"]`);
    if (control && control !== document.activeElement) control.focus();
    else if (focus !== undefined && !control) this.tree.querySelector("input, select, button")?.focus();
  }

  button(text, at, label) {
    const button = make("button", { type: "button", textContent: text });
    if (label) button.ariaLabel = label;
    button.dataset.at = at;
    return button;
  }

  // tools add a condition or a group to the group at a path.
  tools(path, removable) {
    const tools = make("div", { className: "tools" }, this.button("Add a condition", `${path}/add`), this.button("Add a group", `${path}/group`));
    if (removable) tools.append(this.button("Remove the group", `${path}/remove`));
    return tools;
  }

  // at returns the node at a path: "" is the root, "1.0" the first node inside
  // the second one inside it.
  at(path) {
    return path.split(".").filter((i) => i !== "").reduce((node, i) => argsOf(node)[Number(i)], this.root);
  }

  // put replaces the node at a path. null removes the node, and its group if that is then
  // empty.
  put(path, to) {
    if (path === "") {
      this.root = to;
      return;
    }
    const above = path.split(".").slice(0, -1).join(".");
    const i = Number(path.split(".").at(-1));
    const group = this.at(above);
    const args = [...argsOf(group)];
    if (to === null) args.splice(i, 1);
    else args[i] = to;
    this.put(above, withArgs(group, args));
  }

  // inside returns the path of a node inside another.
  inside(path, i) {
    return path === "" ? String(i) : `${path}.${i}`;
  }

  // press runs the action of a button.
  press(button) {
    if (!button) return;
    const [path, act] = button.dataset.at.split("/");
    switch (act) {
      case "and":
      case "or":
        this.settle();
        this.root = { op: act, args: [this.root, fresh()] };
        this.changed("1/field");
        break;
      case "add":
      case "group": {
        this.settle();
        const added = act === "add" ? fresh() : { op: "or", args: [fresh(), fresh()] };
        const group = this.root === null ? null : this.at(path);
        const args = group === null ? [] : argsOf(group);
        const grown = group === null ? added : withArgs(group, [...args, added]);
        this.put(path, grown);
        // A "not" has one argument, so several nodes go into a group inside it.
        const within = group === null ? path : this.inside(grown.arg ? this.inside(path, 0) : path, args.length);
        this.changed(act === "add" ? `${within}/field` : `${within}/kind`);
        break;
      }
      case "remove":
        this.past.push(this.area.value);
        this.put(path, null);
        this.changed("/undo");
        break;
      case "undo":
        this.area.value = this.past.pop();
        this.root = JSON.parse(this.area.value);
        this.changed("/undo");
        break;
    }
  }

  // type stores a value while it is typed, without drawing the tree.
  type(control) {
    const [path, part] = control.dataset.at?.split("/") ?? [];
    if (control.tagName !== "INPUT") return;
    if (part === "field") {
      this.find(control.value);
      return;
    }
    const node = this.at(path);
    const type = typeOf(node.field);
    if (part === "list") {
      node.list = control.value.trim();
    } else if (part === "values") {
      node.values = control.value.split(",").map((v) => v.trim()).filter((v) => v !== "").map((v) => typed(v, type));
    } else {
      node[part] = typed(control.value, type);
    }
    this.area.value = JSON.stringify(this.root, null, 2);
    this.settle();
    this.check();
  }

  // settle removes the undo button, because undoing would also undo later changes.
  settle() {
    this.past = [];
    this.tree.querySelector(".undo")?.remove();
  }

  // chosen stores a choice, a field's name or a part that was typed as JSON.
  chosen(control) {
    const [path, part] = control.dataset.at?.split("/") ?? [];
    const node = this.at(path ?? "");
    if (part === "kind") this.put(path, this.withKind(node, control.value));
    else if (part === "field") this.put(path, this.refit(node, control.value.trim()));
    else if (part === "op") this.put(path, this.withOp(node, control.value));
    else if (part === "json") {
      try {
        this.put(path, JSON.parse(control.value));
      } catch {
        control.setAttribute("aria-invalid", "true");
        return;
      }
    } else if (control.tagName === "SELECT") node[part] = typed(control.value, typeOf(node.field));
    else return; // type has already stored the value
    this.settle();
    this.changed();
  }

  // node draws the node at a path.
  node(node, path) {
    if (isGroup(node)) return this.group(node, path);
    return isSimple(node) ? this.predicate(node, path) : this.raw(node, path);
  }

  group(node, path) {
    const box = make("fieldset", {}, make("legend", {}, chooser("Kind of group", `${path}/kind`, groups, node.op)));
    argsOf(node).forEach((arg, i) => box.append(this.node(arg, this.inside(path, i))));
    box.append(this.tools(path, true));
    return box;
  }

  // withKind returns the group as another kind of group.
  withKind(node, op) {
    const args = argsOf(node);
    const inner = node.op === "not" && isGroup(node.arg) && node.arg.op !== "not" ? node.arg.args : args;
    if (op === "not") return { op, arg: args.length === 1 ? args[0] : { op: node.op === "not" ? "and" : node.op, args } };
    return { op, args: inner };
  }

  predicate(node, path) {
    const known = fields.get(node.field);
    const type = typeOf(node.field);
    const name = make("input", { value: node.field, className: "mono", ariaLabel: "Field", autocomplete: "off", spellcheck: false });
    name.setAttribute("list", "fields");
    name.dataset.at = `${path}/field`;
    const verb = chooser("Operator", `${path}/op`, operators[type] ?? operators.number, node.op);
    const row = make("div", { className: "node" }, name, verb, ...this.values(node, path, type, known?.values ?? []));
    row.append(this.button("✕", `${path}/remove`, "Remove this condition"));
    if (known) row.append(make("p", { className: "means", textContent: describe(known) }));
    return row;
  }

  // values returns the controls for the values that a field is compared with.
  values(node, path, type, vocabulary) {
    const one = (label, part) => {
      const value = node[part];
      if (type === "boolean") return chooser(label, `${path}/${part}`, [["true", "true"], ["false", "false"]], String(value));
      if (vocabulary.length > 0) return chooser(label, `${path}/${part}`, vocabulary.map((v) => [v, v]), value);
      const input = make("input", { className: "value", value: value ?? "", ariaLabel: label, autocomplete: "off" });
      if (type === "number") input.inputMode = "decimal";
      input.dataset.at = `${path}/${part}`;
      return input;
    };
    if (single.includes(node.op)) return [one("Value", "value")];
    if (node.op === "between") return [one("Minimum", "min"), make("span", { textContent: "and" }), one("Maximum", "max")];
    if (lookups.includes(node.op)) {
      const input = make("input", { className: "value mono", value: node.list ?? "", ariaLabel: "Name of the list", autocomplete: "off", spellcheck: false });
      input.dataset.at = `${path}/list`;
      return [input];
    }
    if (node.op !== "in" && node.op !== "not_in") return [];
    const input = make("input", {
      className: "value", value: (node.values ?? []).join(", "), ariaLabel: "Values, separated by commas", autocomplete: "off", placeholder: vocabulary.join(", "),
    });
    input.dataset.at = `${path}/values`;
    return [input];
  }

  // raw draws a node that the menus cannot show, as JSON.
  raw(node, path) {
    const area = make("textarea", { className: "mono", rows: 4, value: JSON.stringify(node, null, 2), ariaLabel: "This part as JSON", spellcheck: false });
    area.dataset.at = `${path}/json`;
    return make("div", { className: "node" }, area, this.button("✕", `${path}/remove`, "Remove this condition"));
  }

  // refit keeps the operator and values that are still valid for another field.
  refit(node, field) {
    const before = typeOf(node.field);
    const after = typeOf(field);
    if (before === after && !fields.get(field)?.values.length) return { ...node, field };
    const op = (operators[after] ?? operators.number).some(([known]) => known === node.op) ? node.op : (operators[after] ?? operators.number)[0][0];
    return this.withOp({ field }, op);
  }

  withOp(node, op) {
    const { field } = node;
    const type = typeOf(field);
    const begins = type === "boolean" ? true : type === "string" ? (fields.get(field)?.values[0] ?? "") : 0;
    if (single.includes(op)) return { op, field, value: single.includes(node.op) ? node.value : (node.min ?? node.values?.[0] ?? begins) };
    if (op === "between") return { op, field, min: node.value ?? 0, max: node.value ?? 0 };
    if (lookups.includes(op)) return { op, field, list: node.list ?? "" };
    if (op === "in" || op === "not_in") return { op, field, values: node.values ?? [node.value ?? begins] };
    return { op, field };
  }

  // find requests the features whose names match the typed text.
  find(text) {
    clearTimeout(this.finding);
    if (text.length < 4 || fields.has(text)) return;
    this.finding = setTimeout(async () => {
      const answer = await fetch(`${this.box.dataset.find}?q=${encodeURIComponent(text.replaceAll("_", " "))}`);
      if (!answer.ok || answer.redirected) return;
      for (const f of await answer.json()) {
        if (fields.has(f.name)) continue;
        fields.set(f.name, { type: f.type, meaning: `${f.type} · ${f.meaning}`, values: [] });
        list?.append(new Option(`${f.type} · ${f.meaning}`, f.name));
      }
    }, 250);
  }

  // check asks the server to put the condition into words.
  check() {
    clearTimeout(this.checking);
    this.checking = setTimeout(async () => {
      const text = this.area.value.trim();
      if (text === "") {
        this.reads.textContent = "";
        return;
      }
      const body = new URLSearchParams({
        condition: text, stage: this.stage?.value ?? "1", inputs: document.getElementById("inputs")?.dataset.inputs ?? "",
        semantics: document.getElementById("inputs")?.dataset.semantics ?? "",
      });
      const answer = await fetch(this.box.dataset.check, { method: "POST", body });
      if (answer.redirected) { // to the page for signing in
        this.reads.classList.add("bad");
        this.reads.textContent = "Your session has ended. Press “Apply changes” to sign in again and continue here.";
        return;
      }
      if (!answer.ok) return;
      const said = await answer.json();
      if (this.area.value.trim() !== text) return; // the text has changed meanwhile
      this.reads.classList.toggle("bad", said.faults.length > 0);
      if (said.faults.length > 0) {
        this.reads.textContent = said.faults.map((f) => `${f.pointer ? `${f.pointer}: ` : ""}${f.detail}`).join(" ");
      } else {
        this.reads.replaceChildren("In words: ", make("code", { className: "cond", textContent: said.text }));
      }
    }, 200);
  }
}

for (const box of document.querySelectorAll("[data-condition]")) new Builder(box);
if (document.activeElement?.closest(".builder")) learnAbsence(); // the page begins with the focus in a condition
