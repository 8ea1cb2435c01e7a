package console_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var (
	refusedList = regexp.MustCompile(`(?s)id="refused".*?</div>`)
	refusedLine = regexp.MustCompile(`<li>(?:<a href="#([^"]+)">([^<]+)</a>: )?(.*?)</li>`)
	aName       = regexp.MustCompile(`^/|[a-z0-9]_[a-z0-9]|[a-z]\.[a-z]`)
)

// TestRefusalsNameTheirControls fills every text of many forms with nonsense. It checks that each fault in the list
// above a refused form names a control by its label, which is on the page, and links to the control.
func TestRefusalsNameTheirControls(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	policy := "/policies/pol_" + b.between("/console/sandbox/policies", "/console/sandbox/policies/pol_", "\"")
	lines := 0
	for _, path := range []string{
		"/keys/new", "/webhooks/new", "/decisions/new", "/fraud/blocked", "/fraud/thresholds", "/fraud/pincodes",
		"/lender", "/privacy/erase", "/privacy/hold", "/privacy/retention", "/scorecards/fit",
		"/backtests/new?from=synthetic", "/backtests/new?from=decisions", policy + "/try", policy + "/impact",
	} {
		at := "/console/sandbox" + path
		page := b.get(at).want(http.StatusOK).body
		for form := range postForms(page) {
			action, _, _ := strings.Cut(form.member("action"), "#")
			if strings.HasPrefix(action, "/console/theme") || strings.HasPrefix(action, "/console/signout") ||
				form.member("enctype") != "" {
				continue
			}
			var pairs []string
			for field := range tags(form.inner(), "input", "textarea", "select") {
				value, sent := valueOf(field)
				switch kind := field.member("type"); {
				case field.member("name") == "request", field.member("name") == "note":
				case kind == "hidden" || kind == "radio" || field.name == "select":
					if sent {
						pairs = append(pairs, field.member("name"), value)
					}
				case kind != "checkbox":
					pairs = append(pairs, field.member("name"), "~")
				}
			}
			shown := b.post(action, pairs...)
			if shown.status != http.StatusUnprocessableEntity {
				continue
			}
			for _, line := range refusedLine.FindAllStringSubmatch(refusedList.FindString(shown.body), -1) {
				lines++
				control, label := line[1], html.UnescapeString(line[2])
				if control == "" || !strings.Contains(shown.body, ` id="`+control+`"`) {
					t.Errorf("%s: the fault has no link to a control: %s", action, line[0])
				}
				if aName.MatchString(label) || strings.Count(shown.body, line[2]) < 2 {
					t.Errorf("%s: %q is no label of the page", action, label)
				}
				if aName.MatchString(line[3]) && strings.HasPrefix(line[3], "/") {
					t.Errorf("%s: the fault names a pointer: %s", action, line[3])
				}
			}
		}
	}
	if lines < 40 {
		t.Errorf("only %d faults were listed", lines)
	}
}

// TestRefusalOfABox checks the label of a group of boxes, which is a legend, and that a fault about the whole form is a
// sentence without a link.
func TestRefusalOfABox(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	b.post("/console/sandbox/keys", "name", "").want(http.StatusUnprocessableEntity).
		has(`<a href="#f-name">Name</a>: `, `<a href="#f-scopes">What it may do</a>: choose at least one`)
}
