package console

// railEntry is a link to a section of a policy, with the number of its lines and of its findings.
type railEntry struct {
	Anchor, Name string
	Count        int
	Tone         string // the tone of the most severe finding; "" if there is none
	Findings     int
}

// Rail returns the sections of the policy, in the order of the page.
func (t *policyText) Rail() []railEntry {
	list := []railEntry{
		t.entry("knockouts", "Knockouts", len(t.Knockouts)),
		t.entry("adjustments", "Adjustments", len(t.Adjustments)),
		t.entry("scorecard", "Scorecard", len(t.Factors)),
		t.entry("pricing_bands", "Grades and prices", len(t.Bands)),
		t.entry(sectionCaps, "Limit caps", len(t.Caps)),
		t.entry("charges", "Charges", len(t.Charges)),
		t.entry("conditions", "Conditions", len(t.Terms)),
		t.entry("inputs", "Inputs", len(t.Inputs)),
	}
	if t.HasGuarantees() {
		list = append(list, t.entry(sectionGuarantees, "Guarantees", len(t.Guarantees)))
	}
	return append(list, railEntry{Anchor: "at", Name: "Settings"}, railEntry{Anchor: "json", Name: "JSON"})
}

// Marks returns the entries of the rail by their anchors.
func (t *policyText) Marks() map[string]railEntry {
	marks := map[string]railEntry{}
	for _, e := range t.Rail() {
		marks[e.Anchor] = e
	}
	return marks
}

// HasGuarantees reports whether the policy has guarantees, or remarks about them.
func (t *policyText) HasGuarantees() bool {
	return len(t.Guarantees) > 0 || len(t.Sections[sectionGuarantees]) > 0
}

func (t *policyText) entry(section, name string, lines int) railEntry {
	e := railEntry{Anchor: "at-" + section, Name: name, Count: lines}
	for i := range t.Remarks { // the most severe remark comes first
		if m := &t.Remarks[i]; m.about("/"+section) && m.Label != "Note" {
			e.Findings++
			if e.Tone == "" {
				e.Tone = m.Tone
			}
		}
	}
	return e
}

// Faulty reports whether a section of the document has a fault, which prevents the document from being stored.
func (t *policyText) Faulty(section string) bool {
	for i := range t.Remarks {
		if m := &t.Remarks[i]; m.Label == faultLabel && m.about("/"+section) {
			return true
		}
	}
	return false
}
