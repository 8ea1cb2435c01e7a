package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// walk follows the cursors of a list to its end and returns the given member of
// every entry.
func (m *member) walk(path, column string) []string {
	m.Helper()
	var all []string
	for cursor := ""; ; {
		at := path
		if cursor != "" {
			at += "&cursor=" + url.QueryEscape(cursor)
		}
		got := m.get(at).want(http.StatusOK)
		all = append(all, got.column(column)...)
		cursor = got.text("pagination", "next_cursor")
		if hasNext := got.at("pagination", "has_next"); hasNext != (cursor != "") {
			m.Fatalf("%s: has_next is %v beside the cursor %q", at, hasNext, cursor)
		}
		if cursor == "" {
			return all
		}
		if len(all) > 1000 {
			m.Fatalf("%s does not end", path)
		}
	}
}

// decideSeven makes seven decisions for two applicants and returns their ids,
// oldest first.
func (m *member) decideSeven() (ids []string) {
	m.Helper()
	for i, score := range []int{742, 560, 742, -1, 560, 742, 742} {
		got := m.post("/v1/decisions",
			fmt.Sprintf(`{"applicant":{"id":"A-%d"},"bureau_report":{"score":%d}}`, i%2, score)).want(http.StatusOK)
		ids = append(ids, got.text("decision_id"))
	}
	return ids
}

func TestListDecisions(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		before := s.clock.now().Add(-time.Second).UTC().Format(time.RFC3339)
		ids := m.decideSeven()
		newest := slices.Clone(ids)
		slices.Reverse(newest)
		pick := func(which ...int) (some []string) {
			some = []string{}
			for _, i := range which {
				some = append(some, ids[i])
			}
			return some
		}
		for path, want := range map[string][]string{
			"/v1/decisions?limit=50":                                      newest,
			"/v1/decisions?limit=2":                                       newest,
			"/v1/decisions?limit=3&order=asc":                             ids,
			"/v1/decisions?limit=7&order=desc":                            newest,
			"/v1/decisions?limit=1&order=asc&status=DECLINED":             pick(1, 4),
			"/v1/decisions?limit=2&order=asc&applicant_id=A-1":            pick(1, 3, 5),
			"/v1/decisions?limit=1&order=asc&grade=NTC":                   pick(3),
			"/v1/decisions?limit=9&order=asc&status=DECLINED&grade=NTC":   {},
			"/v1/decisions?limit=2&order=asc&policy_key=default":          ids,
			"/v1/decisions?limit=2&policy_key=other":                      {},
			"/v1/decisions?limit=4&order=asc&rule_set_id=" + m.ruleSetID:  ids,
			"/v1/decisions?limit=4&from=" + before:                        newest,
			"/v1/decisions?limit=4&to=" + before:                          {},
			"/v1/decisions?limit=4&applicant_id=" + url.QueryEscape("'%"): {},
		} {
			got := m.walk(path, "decision_id")
			if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
				s.Errorf("%s (-want +got):\n%s", path, diff)
			}
		}
		if got := s.signup().get("/v1/decisions").list("data"); len(got) != 0 {
			s.Errorf("another tenant sees %v", got)
		}
	})
}

func TestCursorsBelongToTheirList(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.decideSeven()
		cursor := url.QueryEscape(m.get("/v1/decisions?limit=2").want(http.StatusOK).text("pagination", "next_cursor"))
		m.get("/v1/decisions?limit=5&cursor=" + cursor).want(http.StatusOK)
		for _, path := range []string{
			"/v1/decisions?status=APPROVED&cursor=" + cursor, "/v1/decisions?order=asc&cursor=" + cursor,
			"/v1/decisions?from=2026-01-01T00:00:00Z&cursor=" + cursor, "/v1/rule-sets?cursor=" + cursor,
			"/v1/decisions?cursor=" + cursor + "x", "/v1/decisions?cursor=%0A" + cursor,
			"/v1/decisions?cursor=" + cursor + "%0D%0A", "/v1/decisions?cursor=" + cursor[2:],
			"/v1/decisions?cursor=ZEBRA", "/v1/decisions?cursor=" + strings.Repeat("A", 5000),
		} {
			m.get(path).refused(http.StatusBadRequest, "invalid_cursor").silent(s, "ZEBRA")
		}
		other := s.signup()
		other.decideSeven()
		other.get("/v1/decisions?cursor="+cursor).refused(http.StatusBadRequest, "invalid_cursor")
	})
}

func TestWrongQueries(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct {
			path, code string
			want       []string
		}{
			{"/v1/decisions?limit=0", "invalid_field", []string{"?limit out_of_range"}},
			{"/v1/decisions?limit=201", "invalid_field", []string{"?limit out_of_range"}},
			{"/v1/decisions?limit=ZEBRA", "invalid_field", []string{"?limit out_of_range"}},
			{"/v1/decisions?limit=99999999999999999999", "invalid_field", []string{"?limit out_of_range"}},
			{"/v1/decisions?limit=", "invalid_field", []string{"?limit invalid_field"}},
			{"/v1/decisions?limit=1&limit=2", "invalid_field", []string{"?limit duplicate"}},
			{
				"/v1/decisions?order=ZEBRA&status=ZEBRA&from=ZEBRA&limit=-1",
				"invalid_field",
				[]string{"?from invalid_field", "?limit out_of_range", "?order invalid_field", "?status invalid_field"},
			},
			{"/v1/decisions?grade=%00", "invalid_field", []string{"?grade invalid_field"}},
			{"/v1/decisions?grade=" + strings.Repeat("Z", 257), "invalid_field", []string{"?grade out_of_range"}},
			{"/v1/decisions?limit=%zz", "invalid_field", []string{" invalid_field"}},
			{"/v1/decisions?ZEBRA=1", "unknown_field", []string{" unknown_field"}},
			{"/v1/usage?ZEBRA=1", "unknown_field", []string{" unknown_field"}},
			{"/v1/health?ZEBRA=1", "unknown_field", []string{" unknown_field"}},
			{"/v1/policies?stats=7", "invalid_field", []string{"?stats invalid_field"}},
			{"/v1/policies?stats=91d", "invalid_field", []string{"?stats invalid_field"}},
			{"/v1/rule-sets?status=ZEBRA", "invalid_field", []string{"?status invalid_field"}},
			{"/v1/audit?to=2026-01-01", "invalid_field", []string{"?to invalid_field"}},
			{"/v1/scorecards?order=up", "invalid_field", []string{"?order invalid_field"}},
		} {
			got := m.get(c.path).refused(http.StatusUnprocessableEntity, c.code).silent(s, "ZEBRA")
			if diff := cmp.Diff(c.want, got.faults()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", c.path, diff)
			}
		}
		m.post("/v1/decisions?preview=true", sample).refused(http.StatusUnprocessableEntity, "unknown_field")
		m.post("/v1/rule-sets/"+m.ruleSetID+"/activate?note=ZEBRA", "").
			refused(http.StatusUnprocessableEntity, "unknown_field").silent(s, "ZEBRA")
		m.get("/v1/usage").is("used", 0)
	})
}
