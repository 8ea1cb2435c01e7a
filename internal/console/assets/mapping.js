// Shows the first rows of a chosen CSV file, with the meaning of each column above them. A choice is written into the
// fields of the form, which work without this script.

const file = document.querySelector("#f-file");
const preview = document.querySelector("#preview");
const map = document.querySelector("#f-map");
const shownRows = 5;
const shownColumns = 40;
const beginning = 64 * 1024;

// Fields of the form that name a column, with the words for them.
const roles = {
  outcome_column: "Outcome",
  id_column: "Id",
  status_column: "Past decision",
  weight_column: "Weight",
  protected_column: "Group",
  month_column: "Months until bad",
};
const guesses = { outcome_column: /^(outcome|bad|default|label)$/i, id_column: /^(loan_?id|application_?id|id)$/i };

// records reads the records of a CSV text. The last record may be cut off, so it is left out unless the file is complete.
const records = (text, complete) => {
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || cell !== "") rows.push(row);
    row = [];
    cell = "";
  };
  for (let i = 0; i < text.length && rows.length <= shownRows; i++) {
    const c = text[i];
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') {
        cell += c;
        i++;
      } else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"') quoted = true;
    else if (c === ",") {
      row.push(cell);
      cell = "";
    } else if (c === "\n") endRow();
    else if (c !== "\r") cell += c;
  }
  if (complete && rows.length <= shownRows && (row.length > 0 || cell !== "")) endRow();
  return rows.slice(0, shownRows + 1);
};

const pairs = () =>
  new Map(
    map.value
      .split(",")
      .map((pair) => pair.split("=").map((part) => part.trim()))
      .filter((pair) => pair.length === 2 && pair[0] && pair[1]),
  );

// choose stores the choice for a column: "" keeps its own name, "role:…" writes the column into that field of the form,
// and any other choice is the name to which the column is mapped.
const choose = (column, choice) => {
  const mapped = pairs();
  mapped.delete(column);
  for (const role of Object.keys(roles)) {
    const field = document.querySelector(`#f-${role}`);
    if (field.value === column) field.value = "";
  }
  if (choice.startsWith("role:")) document.querySelector(`#f-${choice.slice(5)}`).value = column;
  else if (choice) mapped.set(column, choice);
  map.value = [...mapped].map(([from, to]) => `${from}=${to}`).join(", ");
};

const chosen = (column) => {
  for (const role of Object.keys(roles)) if (document.querySelector(`#f-${role}`).value === column) return `role:${role}`;
  return pairs().get(column) ?? "";
};

const element = (name, text, more = {}) => Object.assign(document.createElement(name), { textContent: text }, more);

const selectFor = (column, known) => {
  const select = element("select", "");
  select.setAttribute("aria-label", `Meaning of the column ${column}`);
  select.append(element("option", known.includes(column) ? "as named" : "by its name, or not read", { value: "" }));
  const fields = element("optgroup", "", { label: "Field" });
  for (const name of known) if (name !== column) fields.append(element("option", name, { value: name }));
  const others = element("optgroup", "", { label: "Use as" });
  for (const [role, words] of Object.entries(roles)) others.append(element("option", words, { value: `role:${role}` }));
  select.append(fields, others);
  const was = chosen(column);
  if (was && ![...select.options].some((o) => o.value === was)) select.append(element("option", was, { value: was }));
  select.value = was;
  select.addEventListener("change", () => {
    choose(column, select.value);
    for (const other of preview.querySelectorAll("select")) other.value = chosen(other.dataset.column);
  });
  select.dataset.column = column;
  return select;
};

const draw = (rows) => {
  const known = preview.dataset.columns.split(" ");
  const header = rows[0].slice(0, shownColumns).map((name) => name.trim());
  for (const [role, like] of Object.entries(guesses)) {
    const field = document.querySelector(`#f-${role}`);
    const found = header.find((name) => like.test(name));
    if (!field.value && found && !chosen(found)) field.value = found;
  }
  const table = element("table", "");
  const more = rows[0].length > header.length ? `, ${header.length} of ${rows[0].length} columns` : "";
  table.append(element("caption", `First ${rows.length - 1} rows${more}. Choose what each column means.`));
  const head = table.createTHead();
  const names = head.insertRow();
  const means = head.insertRow();
  for (const name of header) {
    names.append(element("th", name, { scope: "col" }));
    means.insertCell().append(selectFor(name, known));
  }
  const body = table.createTBody();
  for (const row of rows.slice(1)) {
    const line = body.insertRow();
    for (let i = 0; i < header.length; i++) line.append(element("td", (row[i] ?? "").slice(0, 60)));
  }
  preview.replaceChildren(table);
  preview.hidden = false;
};

file?.addEventListener("change", async () => {
  preview.hidden = true;
  const one = file.files[0];
  if (!one || /\.gz$/i.test(one.name)) return;
  const text = await one.slice(0, beginning).text();
  const rows = records(text.replace(/^\uFEFF/, ""), one.size <= beginning);
  if (rows.length > 0) draw(rows);
});
