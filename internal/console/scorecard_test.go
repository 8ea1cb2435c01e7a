package console_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/tenant"
)

// visits returns n rows of CSV. Their outcome depends on the column "visits".
func visits(n int) string {
	var b strings.Builder
	b.WriteString("visits,city,outcome\n")
	for i := range n {
		visits, outcome := i*7%20, "good"
		if (i*i+visits*visits*3)%97 < 4*visits {
			outcome = "bad"
		}
		fmt.Fprintf(&b, "%d,%s,%s\n", visits, []string{"Pune", "Delhi", "Kochi"}[i%3], outcome)
	}
	return b.String()
}

func TestScorecard(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.get("/console/sandbox/scorecards").want(http.StatusOK).has("default", "650")
	b.upload("/console/sandbox/scorecards/fit", visits(2000), "target", "outcome").
		want(http.StatusOK).has("The scorecard was not saved", "Gini", "visits", "<svg")
	b.upload("/console/sandbox/scorecards/fit", visits(2000), "target", "result", "max_bins", "many").
		want(http.StatusUnprocessableEntity).
		has(`id="e-max_bins"`, `value="many"`)
	b.upload("/console/sandbox/scorecards/fit", visits(2000), "target", "result").
		want(http.StatusUnprocessableEntity).has(`value="result"`)
	b.upload("/console/sandbox/scorecards/fit", visits(2000), "target", "outcome", "save", "1").
		want(http.StatusUnprocessableEntity).has(`id="e-name"`)
	shown := b.upload("/console/sandbox/scorecards/fit", visits(2000), "target", "outcome", "save", "1",
		"name", `Visits <b>"x"</b>`).
		want(http.StatusOK).has("The scorecard was saved", "Visits &lt;b&gt;").hasNot("<b>&#34;x", `<b>"x`)
	_, rest, _ := strings.Cut(shown.body, `data-settle="`)
	at, _, _ := strings.Cut(rest, `"`)
	b.get("/console/sandbox/scorecards").want(http.StatusOK).has("Visits &lt;b&gt;", at)
	b.get(at).want(http.StatusOK).has("Base points", "Try it", `name="applicant.visits"`, "and above")
	b.post(at+"/try", "applicant.visits", "3", "applicant.city", "Pune").
		want(http.StatusOK).has("This applicant scores", "chart-waterfall", `value="3"`)
	b.post(at+"/try", "applicant.visits", "three").
		want(http.StatusUnprocessableEntity).has(`id="e-applicant.visits"`, `value="three"`)
	b.post(at + "/try").want(http.StatusOK).has("This applicant scores")

	h.signUp().get(at).want(http.StatusNotFound)
	viewer := b.colleague(tenant.RoleViewer)
	viewer.get(at).want(http.StatusOK).hasNot("Try it")
	viewer.post(at+"/try", "applicant.visits", "3").want(http.StatusForbidden)
	viewer.get("/console/sandbox/scorecards/fit").want(http.StatusForbidden)
}

// TestScorecardOfAMessyFile uploads a file that a spreadsheet program has saved.
// The page must say how the file was read, and warn about a column that looks
// like a leak.
func TestScorecardOfAMessyFile(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	lines := strings.Split(strings.TrimSpace(visits(2000)), "\n")
	lines[0] += ",recovered,w"
	for i := range lines[1:] {
		line, recovered := lines[i+1], ""
		if i%40 == 7 {
			line = "NA" + line[strings.Index(line, ","):]
		}
		if strings.HasSuffix(line, "bad") {
			recovered = "900"
		}
		if i%50 == 3 {
			line = line[:strings.LastIndex(line, ",")] + ",Grey"
		}
		lines[i+1] = strings.Replace(line, "Kochi", "K\xf6chi", 1) + "," + recovered + ",2"
	}
	b.upload(
		"/console/sandbox/scorecards/fit", strings.Join(lines, "\n"), "target", "outcome",
		"indeterminate_values", "grey", "weight", "w", "special_values", "19").want(http.StatusOK).
		has(
			"How the file was read", "Windows-1252", "NA 50 times", "indeterminate were left out (40)",
			"<code>recovered</code>: left out", "special value 19")
	b.upload("/console/sandbox/scorecards/fit", strings.Join(lines, "\n"), "target", "outcome", "special_values", "x").
		want(http.StatusUnprocessableEntity).has(`id="e-special_values"`, `value="x"`)
	many := strings.ReplaceAll(visits(2000), "Kochi", "\x81\x00")
	b.upload("/console/sandbox/scorecards/fit", many, "target", "outcome").
		want(http.StatusBadRequest).has("neither UTF-8 nor Windows-1252")
}
