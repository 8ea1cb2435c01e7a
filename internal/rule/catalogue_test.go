package rule_test

import (
	"fmt"
	"strings"
	"testing"

	"verdict/internal/rule"
)

// TestCatalogueRefusesAlikeNames checks that two fields with the same name are
// an error, because a rule that names the field would be ambiguous.
func TestCatalogueRefusesAlikeNames(t *testing.T) {
	t.Parallel()
	_, err := rule.NewCatalogue([]rule.Field{{Name: "age"}, {Name: "foir"}, {Name: "age"}})
	if err == nil || !strings.Contains(err.Error(), "age") {
		t.Errorf("two fields named age: %v", err)
	}
}

func TestCatalogueLookup(t *testing.T) {
	t.Parallel()
	for id := range rule.FieldID(catalogue.Len()) {
		field := catalogue.Field(id)
		if got, ok := catalogue.Lookup(field.Name); !ok || got != id {
			t.Errorf("%s has the id %d and is looked up as %d", field.Name, id, got)
		}
	}
	if _, ok := catalogue.Lookup("Age"); ok {
		t.Error("names are found whatever their case")
	}
}

// TestNearest checks that a misspelt name gets the right suggestion, and that a
// word that is similar to no name gets none.
func TestNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"bureau_scor", "bureau_score"},
		{"bureau_socre", "bureau_score"},
		{"bureauScore", "bureau_score"},
		{"bureauscore", "bureau_score"},
		{"bureau-score", "bureau_score"},
		{"bureau_score ", "bureau_score"},
		{"montly_income", "monthly_income"},
		{"monthly_incme", "monthly_income"},
		{"enquiries_6", "enquiries_6m"},
		{"enquiries_12m", "enquiries_6m"},
		{"is_emulator", ""},
		{"device_emulator", "device_is_emulator"},
		{"location_gps_pin_match", "location_gps_pincode_match"},
		{"employement_type", "employment_type"},
		{"agee", "age"},
		{"aeg", "age"},
		{"ag", "age"},
		{"fior", "foir"},
		{"buraeu", "bureau"},
		{"burea", "bureau"},
		{"grades", "grade"},

		{"", ""},
		{"a", ""},
		{"foo", ""},
		{"x", ""},
		{"xyz", ""},
		{"==", ""},
		{"pan", ""},
		{"shoe_size", ""},
		{"the applicant's mother's maiden name", ""},
		{strings.Repeat("bureau_score", 20), ""},
		{strings.Repeat("x", 1<<20), ""},
	} {
		got, ok := catalogue.Nearest(c.name)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("nearest to %.40q is %q, want %q", c.name, got, c.want)
		}
	}
}

// TestNearestOperator checks the operator that the detail of a fault suggests.
func TestNearestOperator(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ op, want string }{
		{"adn", "and"}, {"nd", "and"}, {"noot", "not"},
		{"neq", "ne"}, {"le", "lte"}, {"ge", "gte"}, {"gtee", "gte"},
		{"notin", "not_in"}, {"not in", "not_in"}, {"beetween", "between"}, {"startswith", "starts_with"},
		{"start_with", "starts_with"}, {"endswith", "ends_with"}, {"contain", "contains"}, {"exist", "exists"},
		{"asbent", "absent"}, {"ture", "true"}, {"fales", "false"},

		{"", ""}, {"=", ""}, {"==", ""}, {"!=", ""}, {"<", ""}, {"<=", ""}, {">", ""}, {">=", ""}, {"&&", ""},
		{"||", ""}, {"regex", ""}, {"xor", "or"}, {"matches", ""}, {"if", "in"},
	} {
		items := readFaults(t, fmt.Sprintf(`{"op":%q}`, c.op))
		want := "is not an operator of the condition language, which has and, or, not, eq, ne, lt, lte, gt, gte, " +
			"in, not_in, in_list, not_in_list, " +
			"between, starts_with, ends_with, contains, exists, absent, true, false"
		if c.want != "" {
			want += fmt.Sprintf("; did you mean %q?", c.want)
		}
		if len(items) != 1 || items[0].Detail != want {
			t.Errorf("%q: %v, want %s", c.op, items, want)
		}
	}
}

// TestNearestIsTheSameEveryTime checks that a suggestion does not depend on map
// iteration order.
func TestNearestIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	scope := &rule.Scope{Catalogue: catalogue, Inputs: map[string]rule.Type{}}
	for letter := 'a'; letter <= 'z'; letter++ {
		scope.Inputs["applicant.x"+string(letter)] = rule.NumberType
	}
	for range 50 {
		if _, detail := scope.Resolve("applicant.x_", false); !strings.Contains(detail, "did you mean applicant.xa?") {
			t.Fatal(detail)
		}
	}
}

// BenchmarkNearest looks up one misspelling among 3,500 names.
func BenchmarkNearest(b *testing.B) {
	var fields []rule.Field
	for _, what := range []string{"enquiries", "tradelines", "outstanding", "overdue", "utilisation", "dpd_max",
		"written_off"} {
		for _, product := range []string{"personal_loan", "credit_card", "gold_loan", "home_loan", "auto_loan",
			"two_wheeler", "consumer", "business", "overdraft", "any"} {
			for _, how := range []string{"count", "sum", "max", "mean", "share"} {
				for _, window := range []string{"30d", "60d", "90d", "180d", "360d", "720d", "1080d", "6m", "12m",
					"24m"} {
					fields = append(fields,
						rule.Field{Name: "feature_" + what + "_" + product + "_" + how + "_" + window})
				}
			}
		}
	}
	large, err := rule.NewCatalogue(fields)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		large.Nearest("feature_outstandings_personal_lone_mean_365_d")
	}
}
