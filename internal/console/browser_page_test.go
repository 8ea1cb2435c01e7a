package console_test

import (
	"maps"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/tenant"
)

// paths are the pages that name something in particular, and those that are
// worth more than one look; nil for those that are looked at elsewhere. Most
// looks are at live, where there is more to see.
func (s *stage) paths(t *testing.T) map[string][]look {
	t.Helper()
	live := "/console/live"
	all := map[string][]look{
		"/console": nil, "/console/{$}": nil, "/console/signin": nil, "/console/signup": nil, "/console/invite/{token}": nil,
		"/console/{env}":                         {{path: live}, {path: "/console/sandbox", name: "sandbox"}},
		"/console/{env}/keys/{id}":               {{path: live + "/keys/" + s.key(t)}},
		"/console/{env}/runs/{id}":               s.runs(t),
		"/console/{env}/scorecards/{id}":         {{path: live + "/scorecards/" + s.scorecard(t)}},
		"/console/{env}/backtests/{id}":          s.backtests(t),
		"/console/{env}/fraud/alerts/{id}":       s.alerts(t),
		"/console/{env}/decisions/{id}":          nil,
		"/console/{env}/decisions/{id}/features": nil,
		"/console/{env}/policies/fields":         nil, // asked for by the editor's script
		"/console/{env}/reference":               {{path: live + "/reference", cut: ".reference > :nth-child(n+4)"}},
	}
	for _, status := range []string{"APPROVED", "REFERRED", "DECLINED"} {
		id, features := s.decision(t, status)
		all["/console/{env}/decisions/{id}"] = append(all["/console/{env}/decisions/{id}"], look{path: live + "/decisions/" + id, name: status})
		if features && all["/console/{env}/decisions/{id}/features"] == nil {
			all["/console/{env}/decisions/{id}/features"] = []look{{path: live + "/decisions/" + id + "/features"}}
		}
	}
	if all["/console/{env}/decisions/{id}/features"] == nil {
		t.Error("no decision has features")
	}
	maps.Copy(all, s.policies(t))
	return all
}

// list is one page of everything.
var list = decisioning.List{Limit: 100}

// decision is one of a status, with features and a fraud block if there is any.
func (s *stage) decision(t *testing.T, status string) (id string, features bool) {
	t.Helper()
	p := s.caller(tenant.Live)
	page, err := s.service.Decisions(t.Context(), p, decisioning.DecisionFilter{Status: status}, list)
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("no decision is %s: %v", status, err)
	}
	for _, d := range page.Data {
		if _, err := s.service.Features(t.Context(), p, d.ID, decisioning.FeatureFilter{}, decisioning.List{Limit: 1}); err == nil {
			return d.ID, true
		}
	}
	for _, d := range page.Data {
		if d.Endpoint == decisioning.EndpointEvaluate {
			return d.ID, false
		}
	}
	return page.Data[0].ID, false
}

func (s *stage) key(t *testing.T) string {
	t.Helper()
	keys, err := s.service.APIKeys(t.Context(), s.caller(tenant.Live))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.Environment == tenant.Live && k.RevokedAt.IsZero() {
			return k.ID
		}
	}
	t.Fatal("there is no live key")
	return ""
}

// runs are one of each agent.
func (s *stage) runs(t *testing.T) []look {
	t.Helper()
	page, err := s.service.AgentRuns(t.Context(), s.caller(tenant.Live), decisioning.RunFilter{}, list)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var looks []look
	for _, r := range page.Data {
		if !seen[r.Agent] {
			seen[r.Agent] = true
			looks = append(looks, look{path: "/console/live/runs/" + r.ID, name: r.Agent})
		}
	}
	if len(looks) < 2 {
		t.Errorf("agents with runs: %v", seen)
	}
	return looks
}

// scorecard is the newest one.
func (s *stage) scorecard(t *testing.T) string {
	t.Helper()
	page, err := s.service.Scorecards(t.Context(), s.caller(tenant.Live), "", list)
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("no scorecards: %v", err)
	}
	return page.Data[0].ID
}

// backtests are one of a file, with a challenger, and one that was cancelled.
func (s *stage) backtests(t *testing.T) []look {
	t.Helper()
	page, err := s.service.Backtests(t.Context(), s.caller(tenant.Live), "", list)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var looks []look
	for _, b := range page.Data {
		if name := b.Source + "-" + b.Status; !seen[name] && (b.Source == "csv" || b.Status == "cancelled") {
			seen[name] = true
			looks = append(looks, look{path: "/console/live/backtests/" + b.ID, name: name})
		}
	}
	return looks
}

// alerts are one of each state.
func (s *stage) alerts(t *testing.T) []look {
	t.Helper()
	var looks []look
	for _, state := range decisioning.AlertStates() {
		page, err := s.service.Alerts(t.Context(), s.caller(tenant.Live), decisioning.AlertFilter{Status: state}, list)
		if err != nil || len(page.Data) == 0 {
			t.Fatalf("no alert is %s: %v", state, err)
		}
		looks = append(looks, look{path: "/console/live/fraud/alerts/" + page.Data[0].ID, name: state})
	}
	return looks
}

// policies are the pages about versions of a policy: of the draft, which has
// findings.
func (s *stage) policies(t *testing.T) map[string][]look {
	t.Helper()
	p := s.caller(tenant.Live)
	page, err := s.service.RuleSets(t.Context(), p, decisioning.RuleSetFilter{PolicyKey: "default"}, list)
	if err != nil {
		t.Fatal(err)
	}
	var draft, active string
	for _, set := range page.Data {
		switch {
		case set.Status == "active":
			active = set.ID
		case set.Status == "draft" && draft == "":
			draft = set.ID
		}
	}
	at := "/console/live/policies/"
	return map[string][]look{
		"/console/{env}/policies/compare":     {{path: at + "compare?a=" + active + "&b=" + draft}},
		"/console/{env}/policies/{id}":        {{path: at + draft, name: "draft"}, {path: at + active, name: "active"}},
		"/console/{env}/policies/{id}/edit":   {{path: at + draft + "/edit?open=knockouts/1"}},
		"/console/{env}/policies/{id}/try":    {{path: at + draft + "/try"}},
		"/console/{env}/policies/{id}/impact": {{path: at + draft + "/impact"}},
	}
}
