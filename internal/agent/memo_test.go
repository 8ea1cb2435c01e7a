package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/agent"
	"verdict/internal/application"
	"verdict/internal/decisioning"
	"verdict/internal/document"
)

// rounds returns how often to try a property: usual, or long if VERDICT_LONG is
// set.
func rounds(usual, long int) int {
	if os.Getenv("VERDICT_LONG") != "" {
		return long
	}
	return usual
}

// TestEveryStatementOfAMemoCanBeChecked derives every line of a memo a second
// time from the stored data. If a line was not derived, no test checks its
// statement, so the test fails.
func TestEveryStatementOfAMemoCanBeChecked(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	statements, seen := 0, map[string]bool{}
	for n := range uint64(rounds(50, 3_000)) {
		body := drawn(n)
		if n == 0 { // an applicant with every strength
			body = applicant(`"monthly_income":185000,"foir":0.1,"requested_amount":200000`,
				`"score":830,"enquiries_6m":0`, "")
		}
		run := tree(t, h.underwrite(body))
		for _, s := range checkMemo(h, body, run) {
			key, _, _ := strings.Cut(s.Cites[0], " = ")
			seen[s.Section+" "+key] = true
			statements++
		}
		checkAmounts(h, body, run)
		if t.Failed() {
			t.Fatalf("%s\n%s", body, run["memo"])
		}
	}
	for _, kind := range []string{
		"Strengths rule", "Strengths factor", "Strengths bureau_own_max_dpd_12m", "Bureau profile enquiries_6m",
	} {
		if !seen[kind] {
			t.Errorf("no statement was checked that cites %s", kind)
		}
	}
	if statements < 200 {
		t.Errorf("only %d statements were checked", statements)
	}
}

// TestStatementsAboutBlocksCanBeChecked checks the memos of applications with random blocks, under a policy with
// conditions. It fails if some kind of statement never occurs, because no test would check that kind.
func TestStatementsAboutBlocksCanBeChecked(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	h.lend()
	seen := map[string]int{}
	for n := range uint64(rounds(80, 3_000)) {
		h.pass(n)
		body := drawnWithBlocks(n)
		run := tree(t, h.underwrite(body))
		for _, s := range checkMemo(h, body, run) {
			seen[s.Section]++
			for _, c := range s.Cites {
				key, _, _ := strings.Cut(c, " = ")
				seen[s.Section+" "+key]++
			}
		}
		if t.Failed() {
			t.Fatalf("%s\n%s", body, run["memo"])
		}
	}
	for _, kind := range kinds() {
		if seen[kind] == 0 {
			t.Errorf("no statement was checked that cites %s", kind)
		}
	}
}

// kinds returns the kinds of statements, by section and citation.
func kinds() []string {
	out := []string{
		"Decision request", "Decision decision.status", "Decision decision.offer.limit", "Reasons reason",
		"Reasons rule", "Reasons threshold", "Reasons missing", "Checks rule", "Checks check at", "Missing missing",
		"Missing rule", "Counter-offers then", "Changes that would help then", "To collect decision.offer.conditions",
		"To collect field", "Income and FOIR monthly_income", "Income and FOIR foir", "Income and FOIR foir_cap",
		"Income and FOIR decision.offer.max_emi", "Income and FOIR decision.offer.post_offer_foir",
		"Strengths factor", "Bureau profile bureau_score",
	}
	for _, s := range signalTexts {
		out = append(out, "Checks "+s.field)
	}
	for _, b := range bankTexts {
		out = append(out, "Checks "+b.field)
	}
	return out
}

// checkMemo compares a memo line by line with the account of its run, and returns
// the statements.
func checkMemo(h *house, body string, run map[string]any) []told {
	h.Helper()
	a := h.accountOf(body, run)
	recommended, _, _ := a.recommendation()
	var said []told
	section := ""
	for i, line := range strings.Split(strings.TrimSuffix(text(run, "memo"), "\n"), "\n") {
		switch {
		case line == "":
		case i == 0 && line == "# Credit memo: "+recommended, i == 2 && unescape(line) == a.summary():
		case strings.HasPrefix(line, "## "):
			section = line[len("## "):]
		default:
			s := readStatement(section, line)
			said = append(said, s)
			if !slices.ContainsFunc(a.said, func(want told) bool { return cmp.Equal(want, s) }) {
				h.Errorf("a statement nobody checks, or that is not so: %s", line)
			}
		}
	}
	if diff := cmp.Diff(a.said, said); diff != "" {
		h.Errorf("what can be derived (-) and what the memo says (+):\n%s", diff)
	}
	return said
}

// readStatement splits a line into text and citations. Brackets within the text
// are escaped, so an unescaped one begins the citations.
func readStatement(section, line string) told {
	words, cites, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(line, "- "), "]"), " [")
	s := told{Section: section, Text: unescape(words)}
	for c := range strings.SplitSeq(cites, "; ") {
		s.Cites = append(s.Cites, unescape(c))
	}
	return s
}

// unescape removes the backslashes that agent.Escape adds.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// checkAmounts previews every counter-offer and improvement of a run and
// compares the amounts.
func checkAmounts(h *house, body string, run map[string]any) {
	h.Helper()
	offers, _ := run["counter_offers"].([]any)
	for _, o := range offers {
		changes, _ := member(o, "changes").(map[string]any)
		overrides := map[string]json.Number{}
		for name := range changes {
			path := "applicant." + name // both kinds of request use this name
			overrides[path] = json.Number(fmt.Sprint(changes[name]))
		}
		h.checkOffer(body, overrides, o)
	}
	improvements, _ := run["improvements"].([]any)
	for _, x := range improvements {
		overrides := map[string]json.Number{}
		changes, _ := member(x, "changes").([]any)
		for _, c := range changes {
			overrides[paths[text(c, "field")]] = json.Number(text(c, "to"))
		}
		h.checkOffer(body, overrides, x)
	}
}

func (h *house) checkOffer(body string, overrides map[string]json.Number, told any) {
	h.Helper()
	decided := h.previewed(body, overrides)
	for _, name := range []string{"limit", "tenure_months", "interest_rate", "emi"} {
		if got, want := text(told, name), text(decided, "offer."+name); got != want {
			h.Errorf("%s is told as %s and decided as %s with %v", name, got, want, overrides)
		}
	}
}

// paths maps the fields that can change to their paths in a request.
var paths = map[string]string{
	"foir": "applicant.foir", "foir_effective": "applicant.foir", "requested_amount": "applicant.requested_amount",
	"requested_tenure_months": "applicant.tenure_months", "enquiries_6m": "bureau_report.enquiries_6m",
}

// previewed previews a request with overrides, as a caller would.
func (h *house) previewed(body string, overrides map[string]json.Number) map[string]any {
	h.Helper()
	previewed, err := h.cases.Decisions.Preview(h.Context(), h.caller, decisioning.WhatIf{
		Request:   application.EitherRequest(parse(h, body)),
		Overrides: application.NewOverrides(parse(h, encode(overrides))),
	})
	if err != nil {
		h.Fatal(err)
	}
	return tree(h, document.AppendDecision(nil, previewed.Variant))
}

// TestRecommendationsFollowTheEngine checks that the agent never contradicts the
// engine. A declined or referred application must not be recommended for approval
// unchanged, and the engine must approve the recommended changes.
func TestRecommendationsFollowTheEngine(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	seen := map[string]int{}
	for n := range uint64(rounds(80, 3_000)) {
		run := tree(t, h.underwrite(drawn(1_000+n)))
		status := text(run, "decision.status")
		offers, _ := run["counter_offers"].([]any)
		recommended := text(run, "recommendation")
		seen[recommended]++
		right := map[string]bool{
			"APPROVE":              status == "APPROVED" && text(run, "decision.offer.is_counter_offer") == "false",
			"APPROVE_WITH_CHANGES": len(offers) > 0,
			"REFER":                status != "DECLINED" || len(offers) > 0,
			"DECLINE":              status == "DECLINED" && len(offers) == 0,
		}[recommended]
		// Without a requested amount there can be no smaller offer.
		if !right && !(recommended == "APPROVE" && status == "APPROVED") {
			t.Fatalf("%s of what was %s, with %d offers: %v", recommended, status, len(offers), run["memo"])
		}
	}
	for _, r := range []string{"APPROVE", "APPROVE_WITH_CHANGES", "REFER", "DECLINE"} {
		if seen[r] < 3 {
			t.Errorf("too few of %s were seen: %v", r, seen)
		}
	}
}
