// Builds conditions out of choices over a plain field of JSON. The field stays
// what is sent: without this script it is edited by hand.

const operators = {
  number: [["lt", "is below"], ["lte", "is at most"], ["gt", "is above"], ["gte", "is at least"], ["eq", "is"], ["ne", "is not"],
    ["between", "is between"], ["in", "is one of"], ["not_in", "is none of"], ["exists", "is given"], ["absent", "is absent"]],
  string: [["eq", "is"], ["ne", "is not"], ["in", "is one of"], ["not_in", "is none of"], ["starts_with", "starts with"],
    ["ends_with", "ends with"], ["contains", "contains"], ["exists", "is given"], ["absent", "is absent"]],
  boolean: [["eq", "is"], ["exists", "is given"], ["absent", "is absent"]],
};
const groups = [["and", "All of these hold"], ["or", "At least one of these holds"], ["not", "This does not hold"]];
const single = ["lt", "lte", "gt", "gte", "eq", "ne", "starts_with", "ends_with", "contains"];

// The fields that can be named, from the list on the page and the inputs that
// the policy declares.
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
  // Inputs that cannot be read are told on the page.
}

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

const chooser = (label, pairs, value, changed) => {
  const select = make("select", { ariaLabel: label }, ...pairs.map(([v, text]) => new Option(text, v, false, v === value)));
  select.addEventListener("change", () => changed(select.value));
  return select;
};

const typeOf = (name) => fields.get(name)?.type ?? "number";
const isGroup = (node) => groups.some(([op]) => op === node?.op);
// What the choices cannot show, such as arithmetic, is kept as it is.
const isSimple = (node) => typeof node?.field === "string" && node.left === undefined && node.right === undefined
  && Object.values(operators).some((known) => known.some(([op]) => op === node.op));
const fresh = () => ({ op: "lt", field: "bureau_score", value: 650 });

// typed reads what was typed for a field: a number that is none stays a text,
// and the check says so.
const typed = (text, type) => {
  if (type === "boolean") return text === "true";
  const plain = text.replaceAll(/[,\s₹]/g, "");
  return type === "number" && plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : text;
};

class Builder {
  constructor(box) {
    this.box = box;
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
    this.read();
  }

  label() {
    return (this.area.labels[0]?.firstChild.textContent ?? "Condition").trim();
  }

  // read draws what the text says; a text that is no JSON is left to its writer.
  read() {
    const text = this.area.value.trim();
    try {
      this.root = text === "" ? null : JSON.parse(text);
      this.draw();
    } catch {
      this.tree.replaceChildren(make("p", { className: "means", textContent: "The JSON beneath cannot be read as it is." }));
      this.fold.open = true;
    }
    this.check();
  }

  // changed writes the tree back into the text, and draws it anew unless only a
  // value was typed: whoever types must not lose their place.
  changed(redraw = true) {
    this.area.value = this.root === null ? "" : JSON.stringify(this.root, null, 2);
    if (redraw) this.draw();
    this.check();
  }

  draw() {
    if (this.root === null) {
      this.tree.replaceChildren(this.tools((node) => { this.root = node; }));
      return;
    }
    const children = [this.node(this.root, (to) => { this.root = to; })];
    if (!isGroup(this.root)) {
      const wrap = (op) => this.button(op === "and" ? "And another" : "Or another", () => { this.root = { op, args: [this.root, fresh()] }; });
      children.push(make("div", { className: "tools" }, wrap("and"), wrap("or")));
    }
    this.tree.replaceChildren(...children);
  }

  button(text, act, label) {
    const button = make("button", { type: "button", textContent: text });
    if (label) button.ariaLabel = label;
    button.addEventListener("click", () => { act(); this.changed(); });
    return button;
  }

  // tools add a condition or a group.
  tools(add) {
    return make("div", { className: "tools" },
      this.button("Add a condition", () => add(fresh())),
      this.button("Add a group", () => add({ op: "or", args: [fresh(), fresh()] })));
  }

  // node draws a node; put replaces it in its place, null takes it away.
  node(node, put) {
    if (isGroup(node)) return this.group(node, put);
    return isSimple(node) ? this.predicate(node, put) : this.raw(node, put);
  }

  group(node, put) {
    const args = node.op === "not" ? [node.arg] : (node.args ?? []);
    const set = (now) => {
      if (now.length === 0) put(null);
      else if (node.op === "not") put({ op: "not", arg: now.length === 1 ? now[0] : { op: "and", args: now } });
      else put({ op: node.op, args: now });
    };
    const kind = chooser("Kind of group", groups, node.op, (op) => {
      const inner = node.op === "not" && isGroup(node.arg) && node.arg.op !== "not" ? node.arg.args : args;
      if (op === "not") put({ op, arg: args.length === 1 ? args[0] : { op: node.op === "not" ? "and" : node.op, args } });
      else put({ op, args: inner });
      this.changed();
    });
    const box = make("fieldset", {}, make("legend", {}, kind));
    args.forEach((arg, i) => box.append(this.node(arg, (to) => {
      const now = [...args];
      if (to === null) now.splice(i, 1);
      else now[i] = to;
      set(now);
    })));
    const tools = this.tools((added) => set([...args, added]));
    tools.append(this.button("Remove the group", () => put(null)));
    box.append(tools);
    return box;
  }

  predicate(node, put) {
    const known = fields.get(node.field);
    const type = typeOf(node.field);
    const name = make("input", { value: node.field, className: "mono", ariaLabel: "Field", autocomplete: "off", spellcheck: false });
    name.setAttribute("list", "fields");
    name.addEventListener("input", () => this.find(name.value));
    name.addEventListener("change", () => {
      put(this.refit(node, name.value.trim()));
      this.changed();
    });
    const verb = chooser("Operator", operators[type] ?? operators.number, node.op, (op) => {
      put(this.withOp(node, op));
      this.changed();
    });
    const row = make("div", { className: "node" }, name, verb, ...this.values(node, type, known?.values ?? []));
    row.append(this.button("✕", () => put(null), "Remove this condition"));
    if (known) row.append(make("p", { className: "means", textContent: known.meaning }));
    return row;
  }

  // values are the fields for what a field is compared with.
  values(node, type, vocabulary) {
    const one = (label, value, set) => {
      if (type === "boolean") return chooser(label, [["true", "true"], ["false", "false"]], String(value), (v) => { set(v === "true"); this.changed(); });
      if (vocabulary.length > 0) return chooser(label, vocabulary.map((v) => [v, v]), value, (v) => { set(v); this.changed(); });
      const input = make("input", { className: "value", value: value ?? "", ariaLabel: label, autocomplete: "off" });
      if (type === "number") input.inputMode = "decimal";
      input.addEventListener("input", () => { set(typed(input.value, type)); this.changed(false); });
      return input;
    };
    if (single.includes(node.op)) return [one("Value", node.value, (v) => { node.value = v; })];
    if (node.op === "between") {
      return [one("Least", node.min, (v) => { node.min = v; }), make("span", { textContent: "and" }), one("Most", node.max, (v) => { node.max = v; })];
    }
    if (node.op !== "in" && node.op !== "not_in") return [];
    const input = make("input", {
      className: "value", value: (node.values ?? []).join(", "), ariaLabel: "Values, with commas between", autocomplete: "off", placeholder: vocabulary.join(", "),
    });
    input.addEventListener("input", () => {
      node.values = input.value.split(",").map((v) => v.trim()).filter((v) => v !== "").map((v) => typed(v, type));
      this.changed(false);
    });
    return [input];
  }

  // raw shows what the choices cannot.
  raw(node, put) {
    const area = make("textarea", { className: "mono", rows: 4, value: JSON.stringify(node, null, 2), ariaLabel: "This part as JSON", spellcheck: false });
    area.addEventListener("change", () => {
      try {
        put(JSON.parse(area.value));
        this.changed();
      } catch {
        area.setAttribute("aria-invalid", "true");
      }
    });
    return make("div", { className: "node" }, area, this.button("✕", () => put(null), "Remove this condition"));
  }

  // refit keeps what still makes sense when the field becomes another one.
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
    if (op === "in" || op === "not_in") return { op, field, values: node.values ?? [node.value ?? begins] };
    return { op, field };
  }

  // find asks for features that are named like what is being typed.
  find(text) {
    clearTimeout(this.finding);
    if (text.length < 4 || fields.has(text)) return;
    this.finding = setTimeout(async () => {
      const answer = await fetch(`${this.box.dataset.find}?q=${encodeURIComponent(text.replaceAll("_", " "))}`);
      if (!answer.ok) return;
      for (const f of await answer.json()) {
        if (fields.has(f.name)) continue;
        fields.set(f.name, { type: f.type, meaning: `${f.type} · ${f.meaning}`, values: [] });
        list?.append(new Option(`${f.type} · ${f.meaning}`, f.name));
      }
    }, 250);
  }

  // check has the server put the condition into words.
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
      });
      const answer = await fetch(this.box.dataset.check, { method: "POST", body });
      if (!answer.ok) return;
      const said = await answer.json();
      if (this.area.value.trim() !== text) return; // somebody has typed on
      this.reads.classList.toggle("bad", said.faults.length > 0);
      if (said.faults.length > 0) {
        this.reads.textContent = said.faults.map((f) => `${f.pointer ? `${f.pointer}: ` : ""}${f.detail}`).join(" ");
      } else {
        this.reads.replaceChildren("Reads: ", make("code", { className: "cond", textContent: said.text }));
      }
    }, 200);
  }
}

for (const box of document.querySelectorAll("[data-condition]")) new Builder(box);

// Leaving with changes that are not saved asks first.
const editor = document.querySelector("form.editor");
let touched = editor?.dataset.unsaved !== undefined;
editor?.addEventListener("input", () => { touched = true; });
editor?.addEventListener("submit", () => { touched = false; });
addEventListener("beforeunload", (event) => { if (touched) event.preventDefault(); });
