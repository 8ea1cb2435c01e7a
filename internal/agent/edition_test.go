package agent_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"verdict/internal/agent"
	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/recovery"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// arrears is a loan 100 days past due with an interest rate that looks like a
// ratio. The first edition ranked it low and did not warn of the rate.
const arrears = `{"loan":{"id":"L-1","principal_outstanding":182000,"emi":8965,"overdue_amount":17930,
	"interest_rate":0.16,"dpd":100},
	"as_of":"2026-11-15T12:00:00+05:30"}`

// TestFirstEditionIsRepeated checks that a run stored before there were editions
// is repeated without a change, and that a new run of the same loan uses the
// latest edition.
func TestFirstEditionIsRepeated(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, agent.Options{})
		was, err := h.cases.Agents.KeepAgentRun(t.Context(), h.caller, agentdesk.EndpointCollections,
			func(head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
				return agent.FirstCollections(parse(t, arrears), head, now)
			}, nil)
		if err != nil {
			t.Fatal(err)
		}
		is, err := h.agents.Collect(t.Context(), h.caller, recovery.NewRequest(parse(t, arrears)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			edition         string
			body            []byte
			score, warnings string
		}{{"first", was.Response, "45", "[]"}, {"latest", is.Response, "77", "unit_doubtful"}} {
			run := tree(t, c.body)
			again, err := h.agents.Run(t.Context(), h.caller, text(run, "run_id"))
			if err != nil {
				t.Fatal(err)
			}
			if verified := again.Verified; !verified || text(run, "priority_score") != c.score {
				t.Errorf("%s: verified %t, score %s", c.edition, verified, text(run, "priority_score"))
			}
			first := "[]"
			if warned := list(run, "warnings"); len(warned) > 0 {
				first = text(warned[0], "code")
			}
			if first != c.warnings {
				t.Errorf("%s: warnings %s", c.edition, encode(run["warnings"]))
			}
		}
	})
}

// TestSecondEditionIsRepeated checks that a run of the second edition, whose warnings suggested no member
// names, is repeated without a change.
func TestSecondEditionIsRepeated(t *testing.T) {
	t.Parallel()
	const misspelt = `{"loan":{"id":"L-1","principal_outstanding":182000,"overdue_amount":17930,"dpd":100,"EMI":true,
		"intrest_rate":true},
		"dpd":true,"as_of":"2026-11-15T12:00:00+05:30"}`
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, agent.Options{})
		was, err := h.cases.Agents.KeepAgentRun(t.Context(), h.caller, agentdesk.EndpointCollections,
			func(head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
				return agent.SecondCollections(parse(t, misspelt), head, now)
			}, nil)
		if err != nil {
			t.Fatal(err)
		}
		is, err := h.agents.Collect(t.Context(), h.caller, recovery.NewRequest(parse(t, misspelt)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			edition string
			body    []byte
			nearest string
		}{{"second", was.Response, ""}, {"latest", is.Response, "loan.dpd emi interest_rate"}} {
			run := tree(t, c.body)
			again, err := h.agents.Run(t.Context(), h.caller, text(run, "run_id"))
			if err != nil {
				t.Fatal(err)
			}
			var nearest []string
			for _, w := range list(run, "warnings") {
				if text(w, "code") == "unknown_field" {
					nearest = append(nearest, text(w, "nearest"))
				}
			}
			if verified := again.Verified; !verified {
				t.Errorf("%s: verified %t", c.edition, verified)
			}
			if got := strings.TrimSpace(strings.Join(nearest, " ")); got != c.nearest {
				t.Errorf("%s: told %q", c.edition, got)
			}
		}
	})
}

// TestThirdEditionIsRepeated checks that a run of the third edition is repeated without a change. The run is
// about a microfinance loan whose product name that edition did not recognize.
func TestThirdEditionIsRepeated(t *testing.T) {
	t.Parallel()
	const group = `{
		"loan":{"id":"L-1","product":"JLG","principal_outstanding":18200,"overdue_amount":1793,"dpd":40},
		"as_of":"2026-11-16T12:00:00+05:30"
	}`
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, agent.Options{})
		was, err := h.cases.Agents.KeepAgentRun(t.Context(), h.caller, agentdesk.EndpointCollections,
			func(head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
				return agent.ThirdCollections(parse(t, group), head, now)
			}, nil)
		if err != nil {
			t.Fatal(err)
		}
		is, err := h.agents.Collect(t.Context(), h.caller, recovery.NewRequest(parse(t, group)), nil)
		if err != nil {
			t.Fatal(err)
		}
		for body, warned := range map[string]int{string(was.Response): 0, string(is.Response): 1} {
			run := tree(t, []byte(body))
			again, err := h.agents.Run(t.Context(), h.caller, text(run, "run_id"))
			if err != nil || !again.Verified || len(list(run, "warnings")) != warned {
				t.Errorf("%d warnings wanted: %v, %s", warned, err, encode(run["warnings"]))
			}
		}
	})
}

// TestUnreadableEditionIsAnError checks that a run whose stored edition cannot be
// read is not repeated under some other edition.
func TestUnreadableEditionIsAnError(t *testing.T) {
	t.Parallel()
	for _, edition := range []string{`"second"`, `2.5`, `0`, `-1`, `true`, `1e30`} {
		if again, err := agent.ReadStoredAsk([]byte(`{"edition":` + edition + `,"max_steps":8}`)); err == nil {
			t.Errorf("an underwriting run with edition %s is read as %s", edition, again)
		}
	}
	h := onSQLite(t, agent.Options{})
	stored, err := h.cases.Agents.KeepAgentRun(t.Context(), h.caller, agentdesk.EndpointCollections,
		func(head decisioning.RunHead, now time.Time) (agentdesk.RunRecord, error) {
			record, err := agent.SecondCollections(parse(t, arrears), head, now)
			record.Request = bytes.Replace(record.Request, []byte(`"edition":2`), []byte(`"edition":"two"`), 1)
			return record, err
		}, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := text(tree(t, stored.Response), "run_id")
	if run, err := h.agents.Run(t.Context(), h.caller, id); err == nil || !strings.Contains(err.Error(), "edition") {
		t.Errorf("a collections run with an unreadable edition: verified %t, %v", run.Verified, err)
	}
}
