package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"verdict/internal/agent"
	"verdict/internal/engine"
)

// rounds is how often a property is tried: usually, and when there is time.
func rounds(usual, long int) int {
	if os.Getenv("VERDICT_LONG") != "" {
		return long
	}
	return usual
}

// drawn is the n-th of a sequence of applicants that looks random and is the
// same every time.
func drawn(n uint64) string {
	next := func(low, high uint64) uint64 {
		n = n*6364136223846793005 + 1442695040888963407
		return low + (n>>33)%(high-low+1)
	}
	optional := func(percent uint64, format string, args ...any) string {
		if next(1, 100) > percent {
			return ""
		}
		return fmt.Sprintf(","+format, args...)
	}
	return fmt.Sprintf(`{"applicant":{"id":"A-7"%s%s%s%s%s},"bureau_report":{"score":%d%s%s%s%s}%s}`,
		optional(90, `"monthly_income":%d`, next(12, 150)*1000), optional(90, `"foir":0.%02d`, next(5, 70)),
		optional(90, `"requested_amount":%d`, next(5, 900)*1000), optional(50, `"tenure_months":%d`, next(1, 10)*6),
		optional(70, `"age":%d,"employment_type":"SALARIED"`, next(18, 65)), next(640, 850),
		optional(80, `"enquiries_6m":%d`, next(0, 14)), optional(80, `"active_tradelines":%d`, next(0, 14)),
		optional(80, `"max_dpd_12m":%d`, next(0, 2)*25), optional(30, `"overdue_amount":%d`, next(0, 9)*1000),
		optional(30, `"purpose":"school [fees](x) <b>"`))
}

// Every statement of a memo is checked against the decision and the facts that
// are stored, the policy, and the engine itself.
func TestEveryStatementOfAMemoCanBeChecked(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	statements := 0
	for n := range uint64(rounds(50, 3_000)) {
		body := drawn(n)
		run := tree(t, h.underwrite(body))
		statements += checkMemo(h, body, run)
		checkAmounts(h, body, run)
		if t.Failed() {
			t.Fatalf("%s\n%s", body, run["memo"])
		}
	}
	if statements < 200 {
		t.Errorf("only %d statements were checked", statements)
	}
}

// A memo of an evaluate request speaks of its blocks, and can be checked too.
func TestStatementsAboutBlocksCanBeChecked(t *testing.T) {
	t.Parallel()
	h := onSQLite(t, agent.Options{})
	run := tree(t, h.underwrite(withBlocks))
	if checkMemo(h, withBlocks, run) < 8 || !strings.Contains(text(run, "memo"), "## Checks") {
		t.Error(run["memo"])
	}
}

// checkAmounts has the engine decide every counter-offer and improvement of a
// run by preview, and holds the amounts against each other.
func checkAmounts(h *house, body string, run map[string]any) {
	h.Helper()
	offers, _ := run["counter_offers"].([]any)
	for _, o := range offers {
		changes, _ := member(o, "changes").(map[string]any)
		overrides := map[string]json.Number{}
		for name := range changes {
			path := "applicant." + name // both requests' own names for what is asked for
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

// checkMemo checks the statements of one memo and counts them.
func checkMemo(h *house, body string, run map[string]any) int {
	h.Helper()
	facts := h.factsOf(body)
	memo, _ := run["memo"].(string)
	count := 0
	for line := range strings.SplitSeq(memo, "\n") {
		if !strings.HasPrefix(line, "- ") {
			continue
		}
		open := strings.LastIndex(line, " [")
		if open < 0 || !strings.HasSuffix(line, "]") {
			h.Errorf("nothing is cited: %s", line)
			continue
		}
		count++
		overrides, then := map[string]json.Number{}, ""
		for part := range strings.SplitSeq(line[open+2:len(line)-1], "; ") {
			key, value, ok := strings.Cut(part, " = ")
			if name, isChange := strings.CutPrefix(key, "change "); isChange {
				overrides[paths[name]] = json.Number(value)
				continue
			}
			if key == "then" {
				then = value
				continue
			}
			if !ok || !holds(run, facts, key, value) {
				h.Errorf("%q does not hold: %s", part, line)
			}
		}
		if then != "" && h.preview(body, overrides) != then {
			h.Errorf("the engine says %s: %s", h.preview(body, overrides), line)
		}
	}
	return count
}

// paths are where a request has the fields that change.
var paths = map[string]string{
	"foir": "applicant.foir", "requested_amount": "applicant.requested_amount",
	"requested_tenure_months": "applicant.tenure_months", "enquiries_6m": "bureau_report.enquiries_6m",
}

// holds checks one citation.
func holds(run, facts map[string]any, key, value string) bool {
	switch {
	case key == "decision.offer.conditions":
		return strings.Contains(encode(member(run, key)), value)
	case strings.HasPrefix(key, "decision."):
		return text(run, key) == value
	case key == "reason" || key == "threshold":
		return strings.Contains(encode(member(run, "decision.reasons")), value)
	case key == "rule":
		return slices.ContainsFunc(engine.DefaultPolicy().Knockouts, func(k engine.Knockout) bool { return k.ID == value }) ||
			slices.ContainsFunc(engine.DefaultPolicy().Adjustments, func(a engine.Adjustment) bool { return a.ID == value })
	case key == "missing":
		return facts[value] == nil
	case key == "check at":
		return strings.Contains(encode(run["bank_checks"]), `"threshold":`+value)
	case key == "field":
		return value != ""
	case key == "request":
		return value == "purpose"
	case key == "final_score" || key == "offer_limit": // what the engine found stands in the reason
		return strings.Contains(encode(member(run, "decision.reasons")), value)
	default:
		return fmt.Sprint(facts[key]) == value
	}
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // it was decoded a moment ago
	}
	return string(b)
}

// factsOf are the facts of a request as a preview shows them.
func (h *house) factsOf(body string) map[string]any {
	h.Helper()
	answer, err := h.cases.Preview(h.Context(), h.caller, parse(h, body))
	if err != nil {
		h.Fatal(err)
	}
	facts, _ := tree(h, answer.Body)["facts"].(map[string]any)
	return facts
}

// preview is the outcome of a request with other values.
func (h *house) preview(body string, overrides map[string]json.Number) string {
	h.Helper()
	return text(h.previewed(body, overrides), "status")
}

// previewed decides a request with other values, the way a caller would.
func (h *house) previewed(body string, overrides map[string]json.Number) map[string]any {
	h.Helper()
	with := strings.TrimSuffix(body, "}") + `,"overrides":` + encode(overrides) + "}"
	answer, err := h.cases.Preview(h.Context(), h.caller, parse(h, with))
	if err != nil {
		h.Fatal(err)
	}
	return tree(h, answer.Body)
}

// The agent never contradicts the engine: nothing declined or referred is
// recommended for approval as it stands, and what is to change was approved.
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
		// Without an amount nothing can be less than what was asked for.
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
