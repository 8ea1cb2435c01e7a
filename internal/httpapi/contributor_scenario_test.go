package httpapi_test

import (
	"net/http"
	"testing"
)

// TestTopContributorsBeginWithWhatDecided checks the order of the top
// contributors: first the features that are named by knockouts with a hit,
// however many points other features earned, and then the features with points.
func TestTopContributorsBeginWithWhatDecided(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s.begin(november)
		m := s.signup()
		m.arm(`"patch":{
			"knockouts":{"set":[
				{"id":"RF_SEEN","action":"refer","on_absent":"refer",
					"condition_ast":{"op":"gte","field":"enquiry__all__180d__count","value":1}},
				{"id":"KO_SEEN","on_absent":"refer","condition_ast":{"op":"gte",
					"field":"enquiry__personal_loan__365d__count","value":1}},
				{"id":"KO_UNSEEN","on_absent":"refer","condition_ast":{"op":"gte","field":"enquiry__all__30d__count",
					"value":900}}]},
			"factors":{"set":[{"factor":"many","field":"enquiry__all__365d__count","missing_points":0,
				"bins":[{"lt":1,"points":0},{"gte":1,"points":-90}]}]}}`)
		s.clock.advance(stale)
		got := m.post("/v1/evaluate", evaluation(742, history, askFeatures)).
			want(http.StatusOK).is("status", "DECLINED")
		for i, want := range []string{
			"enquiry__personal_loan__365d__count", "enquiry__all__180d__count", "enquiry__all__365d__count",
			"enquiry__all__30d__count",
		} {
			if name := got.at("features", "top_contributors", i, "feature"); name != want {
				s.Errorf("contributor %d is %v, want %s", i, name, want)
			}
		}
		if got.at("features", "top_contributors", 0, "direction") != "adverse" ||
			got.at("features", "top_contributors", 0, "points") != nil {
			s.Errorf("the first contributor is %v", got.at("features", "top_contributors", 0))
		}
	})
}
