package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/tenant"
)

// featureEntries follows the cursors of a feature list to its end and returns
// the raw entries.
func (m *member) featureEntries(path string) (all []json.RawMessage) {
	m.Helper()
	for cursor := ""; ; {
		at := path
		if cursor != "" {
			at += "&cursor=" + url.QueryEscape(cursor)
		}
		got := m.get(at).want(http.StatusOK)
		var page struct {
			Data       []json.RawMessage
			Pagination struct {
				Next    string `json:"next_cursor"`
				HasNext bool   `json:"has_next"`
			}
		}
		if err := json.Unmarshal(got.body, &page); err != nil {
			m.Fatal(err)
		}
		all = append(all, page.Data...)
		if cursor = page.Pagination.Next; page.Pagination.HasNext != (cursor != "") || len(all) > 4000 {
			m.Fatalf("%s does not end well: %.300s", at, got.body)
		}
		if cursor == "" {
			return all
		}
	}
}

type featureEntry struct {
	Name, Metric, Product, Aggregation string
	WindowDays                         int             `json:"window_days"`
	Value                              json.RawMessage // the original JSON text
	Used                               bool            `json:"used_by_policy"`
	Provenance                         *struct {
		Meaning, Formula, From, To string
		CoveredFrom                string `json:"covered_from"`
		Total                      int    `json:"records_total"`
		Records                    []struct {
			Part, Kind, Date string
			Position         *int
			Value            float64
		}
	}
}

func (m *member) features(path string) (list []featureEntry) {
	m.Helper()
	for _, raw := range m.featureEntries(path) {
		var e featureEntry
		if err := json.Unmarshal(raw, &e); err != nil {
			m.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

// TestFeatureVector checks the whole vector, read page by page, and its hash.
func TestFeatureVector(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(namedRules)
		s.clock.advance(stale)
		decided := m.post("/v1/evaluate", evaluation(742, history, askFeatures, bank)).want(http.StatusOK)
		path := "/v1/decisions/" + decided.text("decision_id") + "/features"
		head := m.get(path).want(http.StatusOK).
			is("decision_id", decided.text("decision_id"), "count", 3492, "as_of", "2026-11-10",
				"vector_hash", decided.text("features", "vector_hash"), "pagination.limit", 50,
				"pagination.has_next", true)
		if n := len(head.list("data")); n != 50 {
			s.Errorf("the first page has %d", n)
		}
		all := m.features(path + "?limit=200")
		names := make([]string, 0, len(all))
		var canonical strings.Builder
		populated, used := 0, []string{}
		for i, e := range all {
			names = append(names, e.Name)
			if e.Name != fmt.Sprintf("%s__%s__%dd__%s", e.Metric, e.Product, e.WindowDays, e.Aggregation) {
				s.Errorf("%s does not follow from its parts", e.Name)
			}
			if string(e.Value) != "null" {
				populated++
			}
			if e.Used {
				used = append(used, e.Name)
			}
			fmt.Fprintf(&canonical, "%s[%q,%s]", map[bool]string{true: "", false: ","}[i == 0], e.Name, e.Value)
		}
		if len(names) != 3492 || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != 3492 {
			s.Errorf("%d names, sorted %v", len(names), slices.IsSorted(names))
		}
		sum := sha256.Sum256([]byte("[" + canonical.String() + "]"))
		decided.is("features.vector_hash", "sha256:"+hex.EncodeToString(sum[:]), "features.populated", populated)
		if diff := cmp.Diff(decided.list("features", "used_by_policy"), anys(used)); diff != "" {
			s.Errorf("used (-answer +list):\n%s", diff)
		}
		odd := m.features(path + "?limit=7&metric=enquiry")
		if len(odd) != 11*36 {
			s.Errorf("%d entries in pages of seven", len(odd))
		}
	})
}

func anys(list []string) (out []any) {
	for _, e := range list {
		out = append(out, e)
	}
	return out
}

// TestFeatureFilters checks that each query selects the same features as a
// filter over the whole list.
func TestFeatureFilters(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(namedRules)
		s.clock.advance(stale)
		id := m.post("/v1/evaluate", evaluation(742, history, askFeatures)).want(http.StatusOK).text("decision_id")
		path := "/v1/decisions/" + id + "/features?limit=200"
		all := m.features(path)
		for query, keep := range map[string]func(e featureEntry) bool{
			"&name=enquiry__all__365d__count": func(e featureEntry) bool {
				return e.Name == "enquiry__all__365d__count"
			},
			"&name=ZEBRA":          func(featureEntry) bool { return false },
			"&prefix=dpd_":         func(e featureEntry) bool { return strings.HasPrefix(e.Name, "dpd_") },
			"&metric=emi":          func(e featureEntry) bool { return e.Metric == "emi" },
			"&product=credit_card": func(e featureEntry) bool { return e.Product == "credit_card" },
			"&window=90":           func(e featureEntry) bool { return e.WindowDays == 90 },
			"&aggregation=trend":   func(e featureEntry) bool { return e.Aggregation == "trend" },
			"&used_only=true":      func(e featureEntry) bool { return e.Used },
			"&used_only=true&populated_only=true": func(e featureEntry) bool {
				return e.Used && string(e.Value) != "null"
			},
			"&populated_only=true": func(e featureEntry) bool { return string(e.Value) != "null" },
			"&metric=enquiry&product=all&window=30&aggregation=sum&populated_only=true": func(e featureEntry) bool {
				return e.Name == "enquiry__all__30d__sum"
			},
		} {
			want := slices.DeleteFunc(slices.Clone(all), func(e featureEntry) bool { return !keep(e) })
			if diff := cmp.Diff(namesOf(want), namesOf(m.features(path+query))); diff != "" {
				s.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		for query, want := range map[string]string{
			"&window=45":          "?window invalid_field",
			"&aggregation=median": "?aggregation invalid_field",
			"&used_only=yes":      "?used_only invalid_field",
			"&metrics=emi":        " unknown_field",
			"&name=":              "?name invalid_field",
		} {
			got := m.get(path + query).want(http.StatusUnprocessableEntity).faults()
			if diff := cmp.Diff([]string{want}, got); diff != "" {
				s.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		m.get("/v1/decisions/"+id+"/features?limit=201").refused(http.StatusUnprocessableEntity, "invalid_field")
		cursor := m.get(path).text("pagination", "next_cursor")
		m.get(path+"&window=90&cursor="+cursor).refused(http.StatusBadRequest, "invalid_cursor")
		m.get(path + "&provenance=true&cursor=" + cursor).want(http.StatusOK)
		other := m.post("/v1/evaluate", evaluation(742, history, askFeatures)).text("decision_id")
		m.get("/v1/decisions/"+other+"/features?limit=200&cursor="+cursor).
			refused(http.StatusBadRequest, "invalid_cursor")
	})
}

func namesOf(list []featureEntry) (names []string) {
	for _, e := range list {
		names = append(names, e.Name)
	}
	return names
}

// TestFeatureProvenance checks that every feature has a provenance, and that
// counts and sums agree with their records.
func TestFeatureProvenance(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		undated := `"accounts":[{"accountType":"gold_loan","sanctionedAmount":50000,"currentBalance":1000},
			{"accountType":"personal_loan","openDate":"2026-08-20","sanctionedAmount":200000,"currentBalance":120000,
				"emi":6900}],
			"enquiries":[{"date":"2026-11-01","product":"personal_loan","amount":100000},
				{"date":"2026-10-03","product":"personal_loan","amount":50000}],
			"reportDate":"2026-11-10"`
		id := m.post("/v1/evaluate", evaluation(742, undated, askFeatures, bank)).
			want(http.StatusOK).text("decision_id")
		path := "/v1/decisions/" + id + "/features?limit=200&provenance=true"
		explained := m.features(path)
		if len(explained) != 3492 {
			s.Errorf("%d features", len(explained))
		}
		for _, e := range explained {
			p := e.Provenance
			if p == nil || p.Meaning == "" || p.Formula == "" || p.Total != len(p.Records) {
				s.Fatalf("%s is not explained: %+v", e.Name, p)
			}
			if e.Aggregation == "count" && string(e.Value) != "null" && string(e.Value) != fmt.Sprint(p.Total) {
				s.Errorf("%s is %s of %d records", e.Name, e.Value, p.Total)
			}
			if e.Aggregation == "sum" && string(e.Value) != "null" {
				total := 0.0
				for _, r := range p.Records {
					total += r.Value
				}
				if value, _ := json.Number(e.Value).Float64(); value-total > 0.001 || total-value > 0.001 {
					s.Errorf("%s is %s, its records add up to %v", e.Name, e.Value, total)
				}
			}
		}
		enquiries := m.features(path + "&name=enquiry__personal_loan__30d__sum")
		if len(enquiries) != 1 || string(enquiries[0].Value) != "100000" {
			s.Fatalf("%+v", enquiries)
		}
		p := enquiries[0].Provenance
		if p.From != "2026-10-12" || p.To != "2026-11-10" || p.Total != 1 || p.Records[0].Kind != "enquiry" ||
			*p.Records[0].Position != 0 || p.Records[0].Date != "2026-11-01" {
			s.Errorf("the provenance is %+v", p)
		}
		plain := m.features("/v1/decisions/" + id + "/features?name=enquiry__all__30d__sum")
		if plain[0].Provenance != nil {
			s.Error("explained without being asked")
		}
	})
}

// TestFeaturesThatAreNotThere checks that an unknown decision and a decision
// without features are refused with different codes.
func TestFeaturesThatAreNotThere(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, posted := range []answer{m.post("/v1/decisions", sample), m.post("/v1/evaluate", evaluation(742, ""))} {
			m.get("/v1/decisions/"+posted.want(http.StatusOK).text("decision_id")+"/features").
				refused(http.StatusNotFound, "features_not_generated")
		}
		with := m.post("/v1/evaluate", evaluation(742, "", askFeatures)).
			want(http.StatusOK).is("features.populated", 0).text("decision_id")
		n := len(m.get("/v1/decisions/" + with + "/features?populated_only=true").want(http.StatusOK).list("data"))
		if n != 0 {
			s.Errorf("%d features of a bare score have a value", n)
		}
		for _, id := range []string{"ZEBRA", "dec_0000000000000000000000000A", m.ruleSetID} {
			m.get("/v1/decisions/"+id+"/features").refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		}
		s.signup().get("/v1/decisions/"+with+"/features").refused(http.StatusNotFound, "not_found")
		m.with(tenant.Live, tenant.Admin, m.userID).
			get("/v1/decisions/"+with+"/features").refused(http.StatusNotFound, "not_found")
		m.with(tenant.Sandbox, tenant.Decide, m.userID).
			get("/v1/decisions/"+with+"/features").refused(http.StatusForbidden, "insufficient_scope")
		m.with(tenant.Sandbox, tenant.Read, m.userID).
			post("/v1/evaluate", evaluation(742, "")).refused(http.StatusForbidden, "insufficient_scope")
		m.post("/v1/decisions/"+with+"/features", "{}").refused(http.StatusMethodNotAllowed, "method_not_allowed")
	})
}
