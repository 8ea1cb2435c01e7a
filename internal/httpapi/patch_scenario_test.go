package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const younger = `{"id":"KO_AGE_RANGE","reason_code":"AGE_RANGE","condition_ast":{"op":"lt","field":"age","value":19}}`

// TestPatchOfARuleSet checks that a patch changes only its own entries, and
// that both the answer and a later GET list the differences from the base.
func TestPatchOfARuleSet(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		base := m.get("/v1/rule-sets/" + m.ruleSetID)
		ids := func(a answer) (list []string) {
			for _, k := range a.list("knockouts") {
				entry, _ := k.(map[string]any)
				id, _ := entry["id"].(string)
				list = append(list, id)
			}
			return list
		}
		made := m.post("/v1/rule-sets", `{
			"name":"younger","limit_step":500,
			"patch":{"knockouts":{"set":[`+younger+`],"remove":["KO_EMPLOYMENT"]}}
		}`).
			want(http.StatusCreated)
		want := slices.DeleteFunc(ids(base), func(id string) bool { return id == "KO_EMPLOYMENT" })
		if diff := cmp.Diff(want, ids(made)); diff != "" {
			s.Errorf("knockouts (-want +got):\n%s", diff)
		}
		made.isAt("changes", 0, "section", "knockouts", "change", "changed", "id", "KO_AGE_RANGE")
		made.isAt("changes", 1, "section", "knockouts", "change", "removed", "id", "KO_EMPLOYMENT")
		made.isAt("changes", 2, "section", "limit_step", "change", "changed", "from", 1000.0, "to", 500.0)
		fetched := m.get("/v1/rule-sets/" + made.text("id"))
		for _, member := range []string{"changes", "findings"} {
			if diff := cmp.Diff(made.list(member), fetched.list(member)); diff != "" {
				s.Errorf("%s when it is fetched (-made +fetched):\n%s", member, diff)
			}
		}
		list := m.get("/v1/rule-sets").list("data")
		if strings.Contains(string(m.get("/v1/rule-sets").body), `"changes"`) || len(list) != 3 {
			s.Error("the list compares every version with its base")
		}
		// The fetched document can be sent back.
		m.post("/v1/rule-sets", string(fetched.body)).want(http.StatusCreated).is("checksum", made.text("checksum"))
	})
}

// TestWhatASectionRemoves checks that a section in the request replaces the
// section of the base, and that a finding lists the removed rules.
func TestWhatASectionRemoves(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		made := m.post("/v1/rule-sets", `{"name":"one rule","knockouts":[`+younger+`]}`).want(http.StatusCreated)
		made.isAt("findings", 0, "code", "rules_removed", "severity", "warning",
			"key", "rules_removed@/knockouts", "origin", "new")
		gone, _ := made.at("findings", 0, "ids").([]any)
		if !slices.Contains(gone, "KO_MIN_BUREAU_SCORE") || slices.Contains(gone, "KO_AGE_RANGE") {
			s.Errorf("removed are %v", gone)
		}
		fork := m.post("/v1/rule-sets", `{"name":"fork"}`).want(http.StatusCreated)
		for i := range fork.list("findings") {
			fork.isAt("findings", i, "origin", "inherited")
		}
		if n := len(fork.list("changes")); n != 0 {
			s.Errorf("a fork has %d changes", n)
		}
	})
}

// TestFaultsOfAPatch checks that one refusal lists the faults of the patch, of
// its entries and of the rest of the request, each with a pointer.
func TestFaultsOfAPatch(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		got := m.post("/v1/rule-sets", `{"name":"x","base":7,"limit_step":-1,"patch":{
			"knockouts":{"set":[{"id":"KO_NEW","reason_code":"PAUSED",
				"condition_ast":{"op":"gt","field":"agee","value":1}}],"remove":["KO_ZEBRA"]},
			"pricing_bands":{"set":[{"id":"PB_B","grade":"B","min_score":1,"max_score":899,"interest_rate":14,
				"tenure_months":12,
				"min_limit":20000,"max_limit":500000,"default_limit":50000,"foir_cap":9}]}}}`).
			want(http.StatusUnprocessableEntity).silent(s, "ZEBRA")
		faults := got.faults()
		for _, want := range []string{
			"/base wrong_type", "/limit_step out_of_range", "/patch/knockouts/remove/0 invalid_field",
			"/patch/knockouts/set/0/condition_ast/field unknown_field",
			"/patch/pricing_bands/set/0/foir_cap out_of_range",
		} {
			if !slices.Contains(faults, want) {
				s.Errorf("%s is not told: %v", want, faults)
			}
		}
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.HasSuffix(f, " band_overlap") }) {
			s.Errorf("the overlap is not told: %v", faults)
		}
		m.post("/v1/rule-sets", `{"name":"x","policy_key":"gold","patch":{"knockouts":{"remove":["KO_AGE_RANGE"]}}}`).
			want(http.StatusUnprocessableEntity)
	})
}
