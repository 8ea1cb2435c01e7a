package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const scorecard = `{"name":"PL v1","base_points":650,"pdo":40,"anchor_score":700,"anchor_odds":30,"min_score":300,
	"max_score":900,
	"factors":[{"factor":"foir","field":"foir","bins":[{"lt":0.3,"points":30,"woe":0.62},{"gte":0.3,"points":10}]},
	{"factor":"income","field":"monthly_income","bins":[{"lt":50000,"points":0},{"gte":50000,"points":32}],
		"weight":1}]}`

func TestScorecards(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		card := m.post("/v1/scorecards", scorecard).want(http.StatusCreated).
			is("name", "PL v1", "version", 1, "status", "active", "min_points", 660, "max_points", 712)
		id := card.text("id")
		m.post("/v1/scorecards", string(card.body)).
			want(http.StatusCreated).is("version", 2, "checksum", card.text("checksum"))
		if diff := cmp.Diff([]string{"2", "1"}, m.get("/v1/scorecards?name=PL+v1").column("version")); diff != "" {
			s.Errorf("versions (-want +got):\n%s", diff)
		}
		if n := len(m.walk("/v1/scorecards?limit=1", "id")); n != 3 {
			s.Errorf("%d scorecards", n)
		}

		score := func(body string) answer { return m.post("/v1/scorecards", body).want(http.StatusOK) }
		score(`{"scorecard_id":"`+id+`","input":{"foir":0.25,"monthly_income":60000}}`).
			is("scorecard_id", id, "final_score", 712, "odds", 36.93, "pd", 0.0264, "grade", "B")
		score(`{"scorecard_id":"`+id+`","input":{"foir":0.25,"monthly_income":60000,"bureau_is_ntc":true}}`).
			is("grade", "NTC")
		partly := score(`{"scorecard_id":"` + id + `","input":{"foir":0.25}}`)
		partly.is("final_score", 680)
		if diff := cmp.Diff([]any{"monthly_income"}, partly.list("missing")); diff != "" {
			s.Errorf("missing (-want +got):\n%s", diff)
		}
		if first := partly.at("score_contributions", 0, "factor"); first != "base" {
			s.Errorf("the first factor is %v", first)
		}
		many := score(`{"scorecard_id":"` + id + `","inputs":[{"foir":0.25},{"foir":0.35},{}]}`)
		if diff := cmp.Diff([]string{"680", "660", "650"}, many.column("final_score")); diff != "" {
			s.Errorf("scores (-want +got):\n%s", diff)
		}
		inline := score(`{"base_points":600,"factors":[],"input":{}}`)
		inline.is("scorecard_id", nil, "final_score", 600, "odds", nil, "pd", nil)
		if n := len(m.get("/v1/scorecards").list("data")); n != 3 {
			s.Errorf("scoring stored something: %d", n)
		}
		m.get("/v1/usage").is("used", 0)
		s.signup().post("/v1/scorecards", `{"scorecard_id":"`+id+`","input":{}}`).
			refused(http.StatusNotFound, "not_found")
	})
}

func TestWrongScorecards(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		id := m.post("/v1/scorecards", scorecard).want(http.StatusCreated).text("id")
		for _, c := range []struct {
			body string
			want []string
		}{
			{`{}`, []string{"/base_points required", "/factors required", "/name required"}},
			{`{"name":"x","factors":[],"ZEBRA":1}`, []string{"/ZEBRA unknown_field", "/base_points required"}},
			{`{"input":{}}`, []string{"/scorecard_id required"}},
			{`{"scorecard_id":"` + id + `","factors":[],"input":{}}`, []string{"/scorecard_id invalid_field"}},
			{`{"scorecard_id":7,"input":{}}`, []string{"/scorecard_id wrong_type"}},
			{`{"scorecard_id":"` + id + `","input":{},"inputs":[]}`, []string{"/inputs invalid_field"}},
			{`{"scorecard_id":"` + id + `","inputs":{}}`, []string{"/inputs wrong_type"}},
			{`{"scorecard_id":"` + id + `","input":7}`, []string{"/input wrong_type"}},
			{`{"scorecard_id":"` + id + `","inputs":[{"foir":"ZEBRA"},{},{"ZEBRA":1},7]}`,
				[]string{"/inputs/0/foir wrong_type", "/inputs/2/ZEBRA unknown_field", "/inputs/3 wrong_type"}},
			{`{
				"scorecard_id":"` + id + `",
				"inputs":[{"foir":35},{"monthly_income":-1},{"enquiries_6m":1.5},{"employment_type":"ZEBRA"}]
			}`,
				[]string{
					"/inputs/0/foir out_of_range", "/inputs/1/monthly_income out_of_range",
					"/inputs/2/enquiries_6m out_of_range", "/inputs/3/employment_type out_of_range",
				}},
		} {
			got := m.post("/v1/scorecards", c.body).want(http.StatusUnprocessableEntity)
			if diff := cmp.Diff(c.want, got.faults()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", c.body, diff)
			}
		}
		units := m.post("/v1/scorecards", `{"scorecard_id":"`+id+`","input":{"foir":35,"monthly_incom":1}}`).
			want(http.StatusUnprocessableEntity)
		for _, want := range []string{"it is a ratio, where 0.35 means 35 percent", "did you mean monthly_income?"} {
			if !strings.Contains(string(units.body), want) {
				s.Errorf("%q is not said: %s", want, units.body)
			}
		}
		m.post("/v1/scorecards", `{"scorecard_id":"ZEBRA","input":{}}`).
			refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		m.post("/v1/scorecards", `{"scorecard_id":"","input":{}}`).refused(http.StatusNotFound, "not_found")
	})
}

// TestDoubtfulInputs checks that a valid input that looks like a mistake is
// scored with a warning.
func TestDoubtfulInputs(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const card = `{"base_points":600,"factors":[
			{"factor":"foir","field":"report.incomeAssessment.foir",
				"bins":[{"lt":40,"points":20},{"gte":40,"points":0}]},
			{"factor":"segment","field":"applicant.segment","type":"string",
				"bins":[{"in":["prime"],"points":5},{"else":true,"points":0}]}],`
		one := m.post("/v1/scorecards",
			card+`"input":{"report.incomeAssessment.foir":0.35,"applicant.segmnet":"prime"}}`).want(http.StatusOK)
		one.isAt("warnings", 0, "code", "unit_doubtful", "pointer", "/input/report.incomeAssessment.foir")
		one.isAt("warnings", 1, "code", "unknown_field", "pointer", "/input/applicant.segmnet",
			"detail", "no factor of the scorecard reads this, and it was ignored; did you mean applicant.segment?")
		many := m.post("/v1/scorecards", card+`"inputs":[{"report.incomeAssessment.foir":35},
			{"report.incomeAssessment.foir":0.35}]}`).want(http.StatusOK)
		many.isAt("warnings", 0, "pointer", "/inputs/1/report.incomeAssessment.foir")
		if n := len(many.list("warnings")); n != 1 {
			s.Errorf("%d warnings", n)
		}
	})
}

// TestScoringIsBounded checks the limit on the product of applicants and
// factors. The size of the answer grows with both numbers.
func TestScoringIsBounded(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		body := func(factors, inputs int) string {
			card := &strings.Builder{}
			for i := range factors {
				fmt.Fprintf(card,
					`,{"factor":"f%d","field":"foir","bins":[{"lt":0.3,"points":1},{"gte":0.3,"points":0}]}`, i)
			}
			return `{"base_points":600,"factors":[` + strings.TrimPrefix(card.String(), ",") + `],"inputs":[` +
				strings.TrimPrefix(strings.Repeat(`,{}`, inputs), ",") + `]}`
		}
		for _, c := range []struct{ factors, most int }{{0, 1000}, {2, 1000}, {50, 1000}, {300, 166}, {500, 100}} {
			got := m.post("/v1/scorecards", body(c.factors, c.most)).want(http.StatusOK)
			if n := len(got.list("data")); n != c.most {
				s.Errorf("%d factors: %d scores, want %d", c.factors, n, c.most)
			}
			if missing := fmt.Sprint(got.at("data", 0, "missing")); c.factors > 0 && missing != "[foir]" {
				s.Errorf("%d factors of one field that is not there: missing %s", c.factors, missing)
			}
			got = m.post("/v1/scorecards", body(c.factors, c.most+1)).
				refused(http.StatusUnprocessableEntity, "invalid_field")
			if diff := cmp.Diff([]string{"/inputs too_many"}, got.faults()); diff != "" {
				s.Errorf("%d factors (-want +got):\n%s", c.factors, diff)
			}
			if want := fmt.Sprintf("has more than %d entries", c.most); !strings.Contains(got.text("detail"), want) {
				s.Errorf("%d factors: %s, want %s", c.factors, got.text("detail"), want)
			}
		}
	})
}
