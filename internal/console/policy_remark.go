package console

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/policydesk"
)

// remark is something that is said about a place of a policy: a fault that
// keeps it from being stored, or a finding of the static analysis.
type remark struct {
	Tone, Label string
	Code        string
	Pointer     string
	Detail      string
	Example     string // an applicant who shows it, "" for none
	Key         string // names the finding when it is acknowledged; "" for a fault
	Origin      string // new, inherited from the base, or "" when that is not known
	Anchor      string // of the line it stands beside
	Place       string // what that line is called

	taken bool
}

// remarks are handed out to the lines of a policy, each to the line that it is
// about; what no line takes is shown above them all.
type remarks []remark

// faultLabel marks the remarks that keep a document from being stored.
const faultLabel = "Fault"

// remarksOn puts what was said of a document into the words of a page, the
// worst first.
func remarksOn(r policydesk.Reading) remarks {
	var list remarks
	for _, f := range r.Faults {
		list = append(list, remark{Tone: "bad", Label: faultLabel, Code: f.Code, Pointer: f.Pointer, Detail: sentence(f.Detail)})
	}
	tones := map[string]string{"error": "bad", "warning": "warn", "info": "info"}
	labels := map[string]string{"error": "Error", "warning": "Warning", "info": "Note"}
	for i := range r.Findings {
		f := &r.Findings[i]
		severity := f.Severity.String()
		out := remark{Tone: tones[severity], Label: labels[severity], Code: f.Code, Pointer: f.Pointer, Detail: f.Detail}
		var example []string
		for _, w := range f.Witness {
			example = append(example, w.Name+" "+w.Value.String())
		}
		out.Example = strings.Join(example, ", ")
		out.Key, out.Origin = f.Key, f.Origin.String()
		list = append(list, out)
	}
	ranks := map[string]int{faultLabel: 0, "Error": 1, "Warning": 2, "Note": 3}
	slices.SortStableFunc(list, func(a, b remark) int { return ranks[a.Label] - ranks[b.Label] })
	return list
}

// Errors are the findings that keep a version out of live until each of them is
// acknowledged.
func (r remarks) Errors() (list remarks) {
	seen := map[string]bool{}
	for i := range r {
		if r[i].Label == "Error" && !seen[r[i].Key] {
			seen[r[i].Key] = true
			list = append(list, r[i])
		}
	}
	return list
}

// remarkGroup is remarks under a title.
type remarkGroup struct {
	Title string
	List  remarks
}

// Groups are the remarks by where they come from: what this version brought
// first. Where that is not known there is one group without a title.
func (r remarks) Groups() []remarkGroup {
	titles := []remarkGroup{{Title: "New in this version"}, {Title: "Inherited from the version it was made from"}, {}}
	at := map[string]int{"new": 0, "inherited": 1, "": 2}
	for i := range r {
		group := &titles[at[r[i].Origin]]
		group.List = append(group.List, r[i])
	}
	if len(titles[0].List)+len(titles[1].List) > 0 {
		titles[2].Title = "About the whole"
	}
	return slices.DeleteFunc(titles, func(g remarkGroup) bool { return len(g.List) == 0 })
}

// about reports whether a remark is about a place or anything inside it.
func (m *remark) about(pointer string) bool {
	return m.Pointer == pointer || strings.HasPrefix(m.Pointer, pointer+"/")
}

// take hands out the remarks about a place that nobody has taken yet, to a
// line of that name.
func (r remarks) take(pointer, name string) []remark { return r.takeFor(pointer, pointer, name) }

// takeFor is take for a place inside a line.
func (r remarks) takeFor(pointer, line, name string) []remark {
	var list []remark
	for i := range r {
		if m := &r[i]; !m.taken && m.about(pointer) {
			m.taken, m.Anchor, m.Place = true, anchorOf(line), name
			list = append(list, *m)
		}
	}
	return list
}

// without drops the remarks about a place: nobody needs to hear that what they
// are about to write is not written yet.
func (r remarks) without(pointer string) remarks {
	var list remarks
	for i := range r {
		if !r[i].about(pointer) {
			list = append(list, r[i])
		}
	}
	return list
}

// faultsIn are the faults inside a place, with pointers that begin there, so
// that a form about that place shows each beside its field.
func (r remarks) faultsIn(pointer, prefix string) []fault.Item {
	var list []fault.Item
	for i := range r {
		if rest, inside := strings.CutPrefix(r[i].Pointer, pointer+"/"); inside && r[i].Label == faultLabel {
			list = append(list, fault.Item{Pointer: "/" + prefix + rest, Code: r[i].Code, Detail: r[i].Detail})
		}
	}
	return list
}

// of counts the remarks of a kind.
func (r remarks) of(label string) (n int) {
	for i := range r {
		if r[i].Label == label {
			n++
		}
	}
	return n
}

// Summary is how many there are of each kind, the worst first.
func (r remarks) Summary() string {
	var parts []string
	for _, kind := range []string{faultLabel, "Error", "Warning", "Note"} {
		if n := r.of(kind); n > 0 {
			parts = append(parts, plural(n, strings.ToLower(kind), strings.ToLower(kind)+"s"))
		}
	}
	return strings.Join(parts, ", ")
}

// Faulty reports whether something keeps the document from being stored.
func (r remarks) Faulty() bool { return r.of(faultLabel) > 0 }

// Grave reports whether something is worth a second look before it decides.
func (r remarks) Grave() bool { return r.of("Error")+r.of("Warning") > 0 }

// plural is a number of things.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	text, _ := count(n)
	return text + " " + many
}

// anchorOf is the id of a line on the page.
func anchorOf(pointer string) string {
	return "at" + strings.ReplaceAll(pointer, "/", "-")
}
