package console

import (
	"slices"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/policydesk"
)

// remark is a fault of a policy document or a finding of the static analysis. A document with a
// fault cannot be stored.
type remark struct {
	Tone, Label string
	Code        string
	Pointer     string
	Detail      string
	Example     string // an applicant that demonstrates the finding; "" for none
	Key         string // identifies the finding when it is acknowledged; "" for a fault
	Origin      string // "new", "inherited", or "" if unknown
	Unproved    bool   // whether the finding is not certain
	Anchor      string // anchor of the line that shows the remark
	Place       string // name of the line that shows the remark

	claimed bool // whether a line shows the remark
}

// remarks lists the remarks about a policy. Each remark is shown beside the line that it is about.
// Remarks that no line claims are shown above all lines.
type remarks []remark

// faultLabel is the label of faults, which prevent a document from being stored.
const faultLabel = "Fault"

// remarksOn returns the faults and findings of a document as remarks, the most severe first.
func remarksOn(r policydesk.Reading) remarks {
	var list remarks
	for _, f := range r.Faults {
		list = append(list, remark{
			Tone:    "bad",
			Label:   faultLabel,
			Code:    f.Code,
			Pointer: f.Pointer,
			Detail:  sentence(lenderText(f.Detail)),
		})
	}
	tones := map[string]string{"error": "bad", "warning": "warn", "info": "info"}
	labels := map[string]string{"error": "Error", "warning": "Warning", "info": "Note"}
	for i := range r.Findings {
		f := &r.Findings[i]
		severity := f.Severity.String()
		var example []string
		for _, w := range f.Witness {
			example = append(example, w.Name+" "+amountText(w.Name, w.Value.String()))
		}
		list = append(list, remark{
			Tone:    tones[severity],
			Label:   labels[severity],
			Code:    f.Code,
			Pointer: f.Pointer,
			Detail:  lenderText(f.Detail),
			Example: strings.Join(example, ", "),
			Key:     f.Key,
			Origin:  f.Origin.String(),

			Unproved: !f.Proved,
		})
	}
	ranks := map[string]int{faultLabel: 0, "Error": 1, "Warning": 2, "Note": 3}
	slices.SortStableFunc(list, func(a, b remark) int { return ranks[a.Label] - ranks[b.Label] })
	return list
}

// Errors returns the findings that a person must acknowledge before a version is activated in
// live.
func (r remarks) Errors() (list remarks) {
	seen := map[string]bool{}
	for i := range r {
		if r[i].Label == "Error" && r[i].Code != fault.CodeGuaranteeViolated && !seen[r[i].Key] {
			seen[r[i].Key] = true
			list = append(list, r[i])
		}
	}
	return list
}

// Violated returns the findings about guarantees that the version violates. Nobody can acknowledge them: the version
// cannot be activated in any environment.
func (r remarks) Violated() (list remarks) {
	for i := range r {
		if r[i].Label == "Error" && r[i].Code == fault.CodeGuaranteeViolated {
			list = append(list, r[i])
		}
	}
	return list
}

// remarkGroup holds remarks with a common title.
type remarkGroup struct {
	Title  string
	List   remarks
	Folded bool // the list is shown only on demand
}

// Groups returns the remarks in the order in which they need attention. Faults and errors come first, whatever
// their origin. Then come the findings that are new in this version, those without an origin, those inherited from
// the version that it was made from, and the older notes. Inherited findings and notes are folded if another group
// comes before them.
func (r remarks) Groups() []remarkGroup {
	groups := []remarkGroup{
		{Title: "Errors"},
		{Title: "New in this version"},
		{},
		{Title: "Inherited from the version it was made from"},
		{Title: "Notes"},
	}
	for i := range r {
		at := 2
		switch m := &r[i]; {
		case m.Label == faultLabel || m.Label == "Error":
			at = 0
		case m.Label == "Note" && m.Origin != "new":
			at = 4
		case m.Origin == "new":
			at = 1
		case m.Origin == "inherited":
			at = 3
		}
		groups[at].List = append(groups[at].List, r[i])
	}
	slices.SortStableFunc(groups[0].List, func(a, b remark) int { return a.rank() - b.rank() })
	if len(groups[0].List)+len(groups[1].List) > 0 && len(groups[2].List) > 0 {
		groups[2].Title = "About the whole policy"
	}
	first := len(groups[0].List)+len(groups[1].List)+len(groups[2].List) > 0
	groups[3].Folded = first
	groups[4].Folded = first || len(groups[3].List) > 0
	return slices.DeleteFunc(groups, func(g remarkGroup) bool { return len(g.List) == 0 })
}

// rank returns the sort key of a fault or an error: faults come first, then new errors, then inherited errors.
func (m *remark) rank() int {
	switch {
	case m.Label == faultLabel:
		return 0
	case m.Origin != "inherited":
		return 1
	}
	return 2
}

// about reports whether the remark is about the value at pointer or about a value inside it.
func (m *remark) about(pointer string) bool {
	return m.Pointer == pointer || strings.HasPrefix(m.Pointer, pointer+"/")
}

// claim returns the unclaimed remarks about the line at pointer and assigns them to that line,
// which has the given name.
func (r remarks) claim(pointer, name string) []remark { return r.claimFor(pointer, pointer, name) }

// claimFor returns the unclaimed remarks about the value at pointer, which is part of a line, and
// assigns them to the line.
func (r remarks) claimFor(pointer, line, name string) []remark {
	var list []remark
	for i := range r {
		if m := &r[i]; !m.claimed && m.about(pointer) {
			m.claimed, m.Anchor, m.Place = true, anchorOf(line), name
			list = append(list, *m)
		}
	}
	return list
}

// without returns the remarks except those about the value at pointer. The editor leaves out the
// remarks about a new line while the line is being filled in.
func (r remarks) without(pointer string) remarks {
	var list remarks
	for i := range r {
		if !r[i].about(pointer) {
			list = append(list, r[i])
		}
	}
	return list
}

// faultsIn returns the faults inside the value at pointer. Their pointers are relative to that
// value, so that a form for the value shows each fault beside its field.
func (r remarks) faultsIn(pointer, prefix string) []fault.Item {
	var list []fault.Item
	for i := range r {
		if rest, inside := strings.CutPrefix(r[i].Pointer, pointer+"/"); inside && r[i].Label == faultLabel {
			list = append(list, fault.Item{Pointer: "/" + prefix + rest, Code: r[i].Code, Detail: r[i].Detail})
		}
	}
	return list
}

// of returns the number of remarks with the label.
func (r remarks) of(label string) (n int) {
	for i := range r {
		if r[i].Label == label {
			n++
		}
	}
	return n
}

// Summary returns the number of remarks of each kind as a text, the most severe first.
func (r remarks) Summary() string {
	var parts []string
	for _, kind := range []string{faultLabel, "Error", "Warning", "Note"} {
		if n := r.of(kind); n > 0 {
			parts = append(parts, plural(n, strings.ToLower(kind), strings.ToLower(kind)+"s"))
		}
	}
	return strings.Join(parts, ", ")
}

// Faulty reports whether there is a fault, which prevents the document from being stored.
func (r remarks) Faulty() bool { return r.of(faultLabel) > 0 }

// Grave reports whether there is an error or a warning.
func (r remarks) Grave() bool { return r.of("Error")+r.of("Warning") > 0 }

// plural writes a number with the singular or the plural of a noun.
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	text, _ := count(n)
	return text + " " + many
}

// anchorOf returns the HTML id of the line at a pointer.
func anchorOf(pointer string) string {
	return "at" + strings.ReplaceAll(pointer, "/", "-")
}
