package console_test

import (
	"maps"
	"strings"
	"testing"

	"verdict/internal/decisioning"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// exhibits are the things of a filled tenant in one environment, for tests that
// ask for every page there is.
type exhibits struct {
	service *usecase.Set
	who     tenant.Principal
	at      string // the address of the environment
}

func exhibitsOf(service *usecase.Set, who tenant.Principal) *exhibits {
	return &exhibits{service, who, "/console/" + string(who.Environment)}
}

// look is a page to be looked at.
type look struct {
	path, name string
	cut        string // what is taken off before, for there is too much of it
}

// list is one page of everything.
var list = operation.List{Limit: 100}

// paths are the addresses of the pages that name something in particular, by
// their patterns.
func (x *exhibits) paths(t *testing.T) map[string][]look {
	t.Helper()
	all := map[string][]look{
		"/console/{env}/keys/{id}":         {{path: x.at + "/keys/" + x.key(t)}},
		"/console/{env}/runs/{id}":         x.runs(t),
		"/console/{env}/scorecards/{id}":   {{path: x.at + "/scorecards/" + x.scorecard(t)}},
		"/console/{env}/fraud/alerts/{id}": x.alerts(t),
	}
	for _, status := range []string{"APPROVED", "REFERRED", "DECLINED"} {
		id, features := x.decision(t, status)
		at := x.at + "/decisions/" + id
		all["/console/{env}/decisions/{id}"] = append(all["/console/{env}/decisions/{id}"], look{path: at, name: status})
		if features && all["/console/{env}/decisions/{id}/features"] == nil {
			all["/console/{env}/decisions/{id}/features"] = []look{{path: at + "/features"}}
		}
	}
	if all["/console/{env}/decisions/{id}/features"] == nil {
		t.Error("no decision has features")
	}
	maps.Copy(all, x.backtests(t))
	maps.Copy(all, x.policies(t))
	return all
}

// decision is one of a status, with features and a fraud block if there is any.
func (x *exhibits) decision(t *testing.T, status string) (id string, features bool) {
	t.Helper()
	page, err := x.service.Decisions.Decisions(t.Context(), x.who, decisioning.DecisionFilter{Status: status}, list)
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("no decision is %s: %v", status, err)
	}
	for _, d := range page.Data {
		if _, err := x.service.Decisions.Features(t.Context(), x.who, d.ID, decisioning.FeatureFilter{}, operation.List{Limit: 1}); err == nil {
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

func (x *exhibits) key(t *testing.T) string {
	t.Helper()
	keys, err := x.service.Account.APIKeys(t.Context(), x.who)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.Environment == x.who.Environment && k.RevokedAt.IsZero() {
			return k.ID
		}
	}
	t.Fatalf("there is no %s key", x.who.Environment)
	return ""
}

// runs are one of each agent.
func (x *exhibits) runs(t *testing.T) []look {
	t.Helper()
	page, err := x.service.Decisions.AgentRuns(t.Context(), x.who, decisioning.RunFilter{}, list)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var looks []look
	for _, r := range page.Data {
		if !seen[r.Agent] {
			seen[r.Agent] = true
			looks = append(looks, look{path: x.at + "/runs/" + r.ID, name: r.Agent})
		}
	}
	if len(looks) < 2 {
		t.Errorf("agents with runs: %v", seen)
	}
	return looks
}

// scorecard is the newest one.
func (x *exhibits) scorecard(t *testing.T) string {
	t.Helper()
	page, err := x.service.Policies.Scorecards(t.Context(), x.who, "", list)
	if err != nil || len(page.Data) == 0 {
		t.Fatalf("no scorecards: %v", err)
	}
	return page.Data[0].ID
}

// backtests are one of a file, with a challenger, and one that was cancelled.
func (x *exhibits) backtests(t *testing.T) map[string][]look {
	t.Helper()
	page, err := x.service.Studies.Backtests(t.Context(), x.who, "", list)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var looks []look
	var files []string
	for _, b := range page.Data {
		if name := b.Source + "-" + b.Status; !seen[name] && (b.Source == "csv" || b.Status == "cancelled") {
			seen[name] = true
			looks = append(looks, look{path: x.at + "/backtests/" + b.ID, name: name})
		}
		if b.Status == "succeeded" {
			files = append(files, x.at+"/backtests/"+b.ID)
		}
	}
	if len(files) < 2 {
		t.Fatalf("%d backtests have succeeded", len(files))
	}
	id := func(at string) string { return at[strings.LastIndex(at, "/")+1:] }
	return map[string][]look{
		"/console/{env}/backtests/compare": {{path: x.at + "/backtests/compare?a=" + id(files[0]) + "&b=" + id(files[1])}},
		"/console/{env}/backtests/new": {
			{path: x.at + "/backtests/new"}, {path: x.at + "/backtests/new?from=synthetic", name: "synthetic"},
			{path: x.at + "/backtests/new?from=decisions", name: "decisions"},
		},
		"/console/{env}/backtests/{id}":             looks,
		"/console/{env}/backtests/{id}/report.html": {{path: files[0] + "/report.html"}},
		"/console/{env}/backtests/{id}/rows.csv":    {{path: files[0] + "/rows.csv"}},
	}
}

// alerts are one of each state.
func (x *exhibits) alerts(t *testing.T) []look {
	t.Helper()
	var looks []look
	for _, state := range frauddesk.AlertStates() {
		page, err := x.service.Fraud.Alerts(t.Context(), x.who, frauddesk.AlertFilter{Status: state}, list)
		if err != nil || len(page.Data) == 0 {
			t.Fatalf("no alert is %s: %v", state, err)
		}
		looks = append(looks, look{path: x.at + "/fraud/alerts/" + page.Data[0].ID, name: state})
	}
	return looks
}

// policies are the pages about versions of a policy: of the draft, which has
// findings.
func (x *exhibits) policies(t *testing.T) map[string][]look {
	t.Helper()
	page, err := x.service.Policies.RuleSets(t.Context(), x.who, policydesk.RuleSetFilter{PolicyKey: "default"}, list)
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
	at := x.at + "/policies/"
	return map[string][]look{
		"/console/{env}/policies/compare":     {{path: at + "compare?a=" + active + "&b=" + draft}},
		"/console/{env}/policies/{id}":        {{path: at + draft, name: "draft"}, {path: at + active, name: "active"}},
		"/console/{env}/policies/{id}/edit":   {{path: at + draft + "/edit?open=knockouts/1"}},
		"/console/{env}/policies/{id}/try":    {{path: at + draft + "/try"}},
		"/console/{env}/policies/{id}/impact": {{path: at + draft + "/impact"}},
	}
}
