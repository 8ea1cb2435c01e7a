package console

import (
	"bytes"
	"errors"
	"html"
	"html/template"
	"strings"
	"testing"
	"unicode/utf8"

	"verdict/internal/agent"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzDraft types arbitrary text into the editor of a policy. The result is a
// document or a refusal, and sending back the text that a field shows changes
// nothing.
func FuzzDraft(f *testing.F) {
	f.Add([]byte(`{"name":"x","knockouts":[{"id":"K","condition_ast":{"op":"eq","field":"foir","value":1}}],
		"scorecard":{"factors":[{"factor":"f","bins":[{"in":["a,b"],"points":1}]}]}}`),
		"knockouts/0", "0.45", `{"op":"lt","field":"age","value":21}`)
	f.Add([]byte(`{"knockouts":[1,null],"scorecard":[],"pricing_bands":{}}`), "pricing_bands/7", "−1", `[`)
	f.Add([]byte(`{}`), "factors/0", "₹5,00,000", "*")
	f.Add([]byte(`{"inputs":[{"name":"x"}]}`), "inputs/-1", "12, x , 24", "\xff")
	f.Fuzz(func(t *testing.T, document []byte, at, number, text string) {
		v, err := wire.Parse(document)
		if err != nil {
			return
		}
		d, err := draftOf(v)
		if err != nil {
			return
		}
		for section, fields := range sectionFields {
			where := d.add(section)
			row, ok := d.row(where.Section, where.Index)
			if !ok {
				t.Fatalf("the line that was added to %s is not there", section)
			}
			for i := range fields {
				fields[i].put(row, map[bool]string{
					true:  number,
					false: text,
				}[fields[i].Kind == asNumber || fields[i].Kind == asNumbers])
				stays(t, d, &fields[i], row)
				if v, err := wire.Parse([]byte(number)); err == nil && v.Kind() == wire.Number &&
					fields[i].Kind == asNumber && plainText(row[fields[i].Name]) != strings.TrimSpace(number) {
					t.Errorf("%q became %s", number, plainText(row[fields[i].Name]))
				}
			}
			if section == sectionFactors {
				takeBins(row, &form{values: map[string][]string{
					"bin.points": {number, "", "1"},
					"bin.in":     {text, "*"},
					"bin.gte":    {number},
					"bin.lt":     {text, text, text, text},
				}}, typesOf(d))
				binRows(row, nil)
			}
			d.move(d.move(where, -1), 1)
		}
		if place, ok := d.placeOf(at); ok {
			d.move(place, 1)
			d.remove(place)
		}
		if _, err := d.body("rs_1"); err != nil {
			var refusal *fault.Error
			if !errors.As(err, &refusal) {
				t.Errorf("not a refusal: %v", err)
			}
		}
	})
}

// stays checks that sending back the text that a field shows changes nothing.
func stays(t *testing.T, d *draft, f *editField, row map[string]any) {
	t.Helper()
	before := d.bytes()
	shown := f.typed(row)
	f.put(row, shown)
	if after := d.bytes(); !bytes.Equal(before, after) && utf8.ValidString(shown) {
		t.Errorf("%s shows %q, and sent back it changes\n%s\n%s", f.Name, shown, before, after)
	}
}

// FuzzMemo shows arbitrary memos on a page. The page must show them as text,
// without any tag.
func FuzzMemo(f *testing.F) {
	f.Add("# Credit memo: REFER\n\nText with \\<b> and \\[x\\](y).\n\n" +
		"## Checks\n\n- A statement [foir = 0.3; rule = K]\n- bare\n")
	f.Add("- [x](javascript:alert(1)) [<script>]\n## <img src=x>\n\\")
	page := template.Must(template.New("memo").
		Parse(`{{range .}}{{.Heading}}{{.Text}}{{range .Items}}{{.Text}}{{.Cites}}{{end}}{{end}}`))
	f.Fuzz(func(t *testing.T, memo string) {
		blocks := readMemo(&agent.Record{Memo: memo})
		var shown bytes.Buffer
		if err := page.Execute(&shown, blocks); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(shown.String(), "<>\"") {
			t.Errorf("%q let a tag through: %s", memo, &shown)
		}
		if text := html.UnescapeString(shown.String()); len(text) > 3*len(memo) {
			t.Errorf("%q became %q", memo, text)
		}
	})
}
