package console

import (
	"strings"

	"verdict/internal/policydesk"
	"verdict/internal/wire"
)

// binFields are the members of a bin, each a column of the table in which the
// bins of a factor are edited.
var binFields = []editField{
	{Name: "gte", Label: "From", Kind: asNumber},
	{Name: "lt", Label: "Below", Kind: asNumber},
	{Name: "in", Label: "Or values"},
	{Name: "points", Label: "Points", Kind: asNumber},
	{Name: "reason_code", Label: "Reason code"},
	{Name: "woe", Label: "Weight of evidence", Kind: asNumber},
}

const (
	spareBins = 3   // empty rows beneath the bins
	anyOther  = "*" // what is typed for the bin that takes what no other does
	binPrefix = "bin."
)

// binRow is a bin as it stands in its table.
type binRow struct {
	Number  int
	Cells   []binCell
	Remarks []remark
}

type binCell struct{ Name, Label, Value string }

// binRows are the rows of a factor's table, with a few to add bins in.
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

// typedValues are the values of a bin as they are typed: with commas between,
// and as JSON where one of them has a comma itself.
func typedValues(bin map[string]any) string {
	if on, _ := bin["else"].(bool); on {
		return anyOther
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

// takeBins reads the table back. A row with nothing in it is none.
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

// putValues writes what was typed for a bin of values. Those of a number field
// are special values; whatever is neither a text nor a boolean is a number.
func putValues(bin map[string]any, typed, fieldType string) {
	switch {
	case typed == "":
		return
	case typed == anyOther:
		bin["else"] = true
		return
	case strings.HasPrefix(typed, "["):
		if v, err := wire.Parse([]byte(typed)); err == nil {
			bin["in"] = loose(v)
			return
		}
	}
	if fieldType != "string" && fieldType != "boolean" {
		bin["special"] = split(typed, ",", func(s string) any {
			if v, err := wire.Parse([]byte(s)); err == nil && v.Kind() == wire.Number {
				return loose(v)
			}
			return s // the check of the draft refuses it in its place
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

// typesOf are the types of the fields that a draft can name, features left out.
func typesOf(d *draft) map[string]string {
	types := map[string]string{}
	for _, f := range policydesk.PolicyFields() {
		types[f.Name] = f.Type.String()
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
