package console

import (
	"strings"

	"verdict/internal/policydesk"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// binFields lists the members of a bin. Each is a column of the table in which the bins of a
// factor are edited.
var binFields = []editField{
	{Name: "gte", Label: "From", Kind: asNumber},
	{Name: "lt", Label: "Below", Kind: asNumber},
	{Name: "in", Label: "Or values"},
	{Name: "points", Label: "Points", Kind: asNumber},
	{Name: "reason_code", Label: "Reason code"},
	{Name: "woe", Label: "Weight of evidence", Kind: asNumber},
}

const (
	spareBins = 3   // empty rows below the bins
	elseBin   = "*" // the text that marks the bin for all other values
	binPrefix = "bin."
)

// binRow is a bin as a row of the table.
type binRow struct {
	Number  int
	Cells   []binCell
	Remarks []remark
}

type binCell struct{ Name, Label, Value string }

// binRows returns the rows of a factor's table, with empty rows for new bins.
func binRows(factor map[string]any, said []binLine) []binRow {
	bins, _ := factor["bins"].([]any)
	var rows []binRow
	for i := range len(bins) + spareBins {
		bin := map[string]any{}
		row := binRow{Number: i + 1}
		if i < len(bins) {
			bin, _ = bins[i].(map[string]any)
			if i < len(said) {
				row.Remarks = said[i].Remarks
			}
		}
		for j := range binFields {
			f := &binFields[j]
			text := f.typed(bin)
			if f.Name == "in" {
				text = typedValues(bin)
			}
			row.Cells = append(row.Cells, binCell{binPrefix + f.Name, f.Label, text})
		}
		rows = append(rows, row)
	}
	return rows
}

// typedValues returns the values of a bin as text. The text is elseBin for the bin of all other values. For any
// other bin it has the values separated by commas, or as JSON if a value contains a comma or a bracket.
func typedValues(bin map[string]any) string {
	if on, _ := bin["else"].(bool); on {
		return elseBin
	}
	list, _ := bin["in"].([]any)
	if special, ok := bin["special"].([]any); ok {
		list = special
	}
	var texts []string
	for _, e := range list {
		text := plainText(e)
		if strings.ContainsAny(text, ",[") {
			return plainText(list)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// takeBins reads the bins from the table. Empty rows are skipped.
func takeBins(factor map[string]any, f *form, types map[string]string) {
	field, _ := factor["field"].(string)
	bins := []any{}
	for i := range f.Values(binPrefix + "points") {
		bin := map[string]any{}
		for j := range binFields {
			column := &binFields[j]
			cells := f.Values(binPrefix + column.Name)
			if i >= len(cells) {
				continue
			}
			if column.Name == "in" {
				putValues(bin, strings.TrimSpace(cells[i]), types[field])
				continue
			}
			column.put(bin, cells[i])
		}
		if len(bin) > 0 {
			bins = append(bins, bin)
		}
	}
	factor["bins"] = bins
}

// putValues sets the values of a bin from the typed text. A text that begins with a bracket is read as a JSON list.
// Otherwise, if the field is neither a text nor a boolean, the values are special values, which are numbers.
func putValues(bin map[string]any, typed, fieldType string) {
	switch {
	case typed == "":
		return
	case typed == elseBin:
		bin["else"] = true
		return
	case strings.HasPrefix(typed, "["):
		if v, err := wire.Parse([]byte(typed)); err == nil {
			bin["in"] = editable(v)
			return
		}
	}
	if fieldType != "string" && fieldType != "boolean" {
		bin["special"] = split(typed, ",", func(s string) any {
			if v, err := wire.Parse([]byte(s)); err == nil && v.Kind() == wire.Number {
				return editable(v)
			}
			return s // the check of the draft reports the fault beside this bin
		})
		return
	}
	bin["in"] = split(typed, ",", func(s string) any {
		if fieldType == "boolean" && (s == "true" || s == "false") {
			return s == "true"
		}
		return s
	})
}

// typesOf returns the types of the fields that a draft can name, except features.
func typesOf(d *draft) map[string]string {
	types := map[string]string{}
	for _, f := range policydesk.PolicyFields() {
		types[f.Name] = f.Type.String()
	}
	described, _ := d.root["tables"].([]any)
	for _, t := range described {
		table, _ := t.(map[string]any)
		columns, _ := table["columns"].([]any)
		for _, c := range columns {
			column, _ := c.(map[string]any)
			types[rule.TableFact(plainText(table["name"]), plainText(column["name"]))] = plainText(column["type"])
		}
	}
	for _, section := range []string{sectionInputs, sectionFactors} {
		lines, _ := d.list(section)
		for _, line := range lines {
			in, _ := line.(map[string]any)
			name, _ := in[map[string]string{sectionInputs: "name", sectionFactors: "field"}[section]].(string)
			if t, is := in["type"].(string); is {
				types[name] = t
			}
		}
	}
	return types
}
