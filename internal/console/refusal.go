package console

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"verdict/internal/fault"
)

// faultLine is a fault of a refused form, in the list above the form.
type faultLine struct {
	Control string // id of the control with the fault; "" if the page has no such control
	Label   string // label of the control, or the name of the field in words; "" if the whole form is at fault
	Detail  string
}

// faultLines returns a line for each fault. content is the content of the page, from which the labels are read, so that
// the list names every control as the page does.
func faultLines(content string, faults []fault.Item) (list []faultLine) {
	for _, item := range faults {
		line := faultLine{Detail: item.Detail}
		if name := fieldOf(item.Pointer); name != "" {
			line.Label = fieldLabel(name)
			if label, found := labelOf(content, "f-"+name); found {
				line.Control = "f-" + name
				if label != "" {
					line.Label = label
				}
			}
		}
		if line.Label == "" {
			line.Detail = sentence(line.Detail)
		}
		if !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

var markup = regexp.MustCompile(`<[^>]*>`)

// labelOf returns the label of the control with an id, as the template pieces of fields write it. found is false if the
// page has no such control. The label is "" if the control has none.
func labelOf(content, id string) (label string, found bool) {
	mark := ` id="` + html.EscapeString(id) + `"`
	before, after, found := strings.Cut(content, mark)
	if !found {
		return "", false
	}
	members, inside, _ := strings.Cut(after, ">")
	members = before[strings.LastIndexByte(before, '<'):] + mark + members
	_, named, labelled := strings.Cut(content, `<label for="`+html.EscapeString(id)+`">`)
	switch {
	case labelled:
		label, _, _ = strings.Cut(named, "</label>")
		label, _, _ = strings.Cut(label, `<span class="optional">`)
	case strings.HasPrefix(members, "<fieldset"):
		_, label, _ = strings.Cut(inside, "<legend>")
		label, _, _ = strings.Cut(label, "</legend>")
	case strings.Contains(members, ` aria-label="`):
		_, label, _ = strings.Cut(members, ` aria-label="`)
		label, _, _ = strings.Cut(label, `"`)
	case strings.HasPrefix(inside, " <span>"): // a checkbox inside its label
		label, _, _ = strings.Cut(inside, "</span>")
	}
	return strings.Join(strings.Fields(html.UnescapeString(markup.ReplaceAllString(label, ""))), " "), true
}
