package torture

import (
	"encoding/json"
	"time"
)

// toldDecision holds the members of a decision that the guarantees concern.
type toldDecision struct {
	ID     string `json:"decision_id"`
	Status string `json:"status"`
	Hash   string `json:"decision_hash"`
	Policy struct {
		ID       string `json:"id"`
		Checksum string `json:"checksum"`
	} `json:"policy"`
	Fraud *toldFraud `json:"fraud"`
	Env   string     `json:"environment"`
}

type toldFraud struct {
	Signals []struct {
		ID    string `json:"id"`
		Value int    `json:"value"`
	} `json:"signals"`
	AlertIDs []string `json:"alert_ids"`
}

// sharers returns the number of applicants that the answer counts for the
// account. told is false if the answer has no such count.
func (f *toldFraud) sharers() (n int, told bool) {
	for _, s := range f.Signals {
		if s.ID == "beneficiary_account_reuse" {
			return s.Value, true
		}
	}
	return 0, false
}

// learnDecision returns the function that updates the model with a stored
// decision. profile is "" if the facts are not the same in every request.
func learnDecision(r *request, endpoint, profile, accountNo string) func(*model, answer) {
	return func(m *model, a answer) {
		var d toldDecision
		if !a.read(&d) || d.ID == "" || d.Env != r.scope.env {
			m.violate("decision-form", "%s: %s", r, short(a.body))
			return
		}
		if _, twice := r.scope.decisions[d.ID]; twice {
			m.violate("nothing-twice", "%s: the id %s was given before", r, d.ID)
		}
		known := &decided{id: d.ID, hash: d.Hash, body: keep(a.body)}
		r.scope.bill(endpoint, 1)
		m.sameHash(profile, d.Policy.Checksum, d.Hash)
		m.policyWasActive(r, d.Policy.ID)
		if accountNo != "" {
			m.counted(r, accountNo, d.Fraud)
			if d.Fraud != nil {
				known.alerts = d.Fraud.AlertIDs
				for _, id := range known.alerts {
					r.scope.alert(id)
				}
			}
		}
		r.scope.addDecision(known)
	}
}

// learnRun returns the function that updates the model with a run of the
// underwriting agent.
func learnRun(r *request, profile string) func(*model, answer) {
	return func(m *model, a answer) {
		var run struct {
			ID       string       `json:"run_id"`
			Decision toldDecision `json:"decision"`
			Policy   struct {
				ID       string `json:"id"`
				Checksum string `json:"checksum"`
			} `json:"policy"`
		}
		if !a.read(&run) || run.ID == "" || run.Decision.ID == "" {
			m.violate("run-form", "%s: %s", r, short(a.body))
			return
		}
		r.scope.bill("POST /v1/agents/underwrite", 1)
		m.sameHash(profile, run.Policy.Checksum, run.Decision.Hash)
		m.policyWasActive(r, run.Policy.ID)
		r.scope.addDecision(&decided{id: run.Decision.ID, hash: run.Decision.Hash})
		r.scope.runs[run.ID] = keep(a.body)
		r.scope.unseen.others[run.ID] = struct{}{}
	}
}

// learnBacktest returns the function that updates the model with a backtest's
// report. The backtests here have so few rows that each costs one unit.
func learnBacktest(r *request) func(*model, answer) {
	return func(m *model, a answer) {
		var report struct {
			ID string `json:"backtest_id"`
		}
		if !a.read(&report) || report.ID == "" {
			m.violate("backtest-form", "%s: %s", r, short(a.body))
			return
		}
		r.scope.bill("POST /v1/backtest", 1)
		r.scope.did("backtest.created", report.ID)
		r.scope.backtests[report.ID] = keep(a.body)
		r.scope.unseen.others[report.ID] = struct{}{}
	}
}

// learnReview returns the function that updates the model with a review.
func learnReview(r *request, decisionID string) func(*model, answer) {
	return func(m *model, a answer) {
		var review struct {
			ID string `json:"id"`
		}
		if !a.read(&review) || review.ID == "" {
			m.violate("review-form", "%s: %s", r, short(a.body))
			return
		}
		r.scope.reviews[decisionID] = append(r.scope.reviews[decisionID], review.ID)
		r.scope.unseen.decisions[decisionID] = struct{}{}
		r.scope.did("decision.reviewed", decisionID)
	}
}

// learnRuleSet returns the function that updates the model with a new draft.
func learnRuleSet(r *request) func(*model, answer) {
	return func(m *model, a answer) {
		var draft struct {
			ID       string `json:"id"`
			Checksum string `json:"checksum"`
			Status   string `json:"status"`
		}
		if !a.read(&draft) || draft.ID == "" || draft.Checksum == "" || draft.Status != "draft" {
			m.violate("rule-set-form", "%s: %s", r, short(a.body))
			return
		}
		r.scope.ruleSets[draft.ID] = draft.Checksum
		r.scope.unseen.others[draft.ID] = struct{}{}
		r.scope.did("rule_set.created", draft.ID)
	}
}

// counted checks how many applicants an evaluation counted for an account. The evaluation must count every
// applicant whose request was answered before the evaluation was sent. It must not count an applicant whose first
// request was sent after the evaluation was answered.
func (m *model) counted(r *request, accountNo string, told *toldFraud) {
	if told == nil {
		m.violate("fraud-counted", "%s: the answer has no fraud", r)
		return
	}
	n, said := told.sharers()
	if !said {
		m.violate("fraud-counted", "%s: the account is not counted", r)
		return
	}
	least, most := r.scope.bounds(accountNo, r)
	if m.faults.ever("clock") {
		least = 0 // after the clock was set back, the service does not count later observations
	}
	if n < least || n > most {
		m.violate("fraud-counted", "%s: %d applicants on account %s, must be %d to %d", r, n, accountNo, least, most)
	}
}

// bounds returns the smallest and the largest number of applicants that a
// request may count for an account, including its own applicant.
func (s *scope) bounds(accountNo string, r *request) (least, most int) {
	certain, possible := map[string]struct{}{}, map[string]struct{}{}
	known := s.accounts[accountNo]
	if known == nil {
		return 0, 0
	}
	for _, seen := range known.seen {
		other := seen.request
		switch {
		case other.done && other.status >= 400 || other.began.IsZero():
			continue // the other request was refused or never sent
		case other == r || other.done && other.ended.Before(r.began):
			certain[seen.applicant] = struct{}{}
		}
		if !other.began.After(r.ended) {
			possible[seen.applicant] = struct{}{}
		}
	}
	return len(certain), len(possible)
}

// sharedBy records that a request contains an applicant with an account.
func (m *model) sharedBy(r *request, accountNo, applicant string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := r.scope.accounts[accountNo]
	if a == nil {
		a = &account{}
		r.scope.accounts[accountNo] = a
	}
	a.seen = append(a.seen, sighting{applicant, r})
}

// staleFor is how long after the answer to an activation a node may still
// decide with the earlier version. The service guarantees one second; the rest
// is for a busy machine.
const staleFor = 5 * time.Second

// policyWasActive checks that the policy of a decision may have been active
// during the request.
func (m *model) policyWasActive(r *request, policyID string) {
	if !r.scope.mayBeActive(policyID, r.began.Add(-staleFor), r.ended) {
		m.violate("one-active-policy", "%s was decided under %s, which was not active then", r, policyID)
	}
}

// activated returns the id of the rule set that a request activates.
func activated(r *request) string {
	const prefix, suffix = "/v1/rule-sets/", "/activate"
	if len(r.path) < len(prefix)+len(suffix) {
		return ""
	}
	return r.path[len(prefix) : len(r.path)-len(suffix)]
}

// mayBeActive reports whether a rule set may have been active at some time in an interval. The parameters from and
// to are the ends of the interval. The rule set may have been active if its activation began before the end of the
// interval, and if no other activation certainly replaced it before the start.
func (s *scope) mayBeActive(id string, from, to time.Time) bool {
	for _, a := range s.activations {
		if activated(a) != id || a.began.IsZero() || a.began.After(to) || a.done && a.status >= 400 {
			continue
		}
		if !s.replaced(a, from) {
			return true
		}
	}
	return false
}

// replaced reports whether another activation certainly happened after
// activation a and before the given time.
func (s *scope) replaced(a *request, before time.Time) bool {
	if !a.done {
		return false
	}
	for _, b := range s.activations {
		if b != a && b.done && b.status < 400 && b.began.After(a.ended) && b.ended.Before(before) {
			return true
		}
	}
	return false
}

// pagination is the pagination member of a list.
type pagination struct {
	HasNext bool   `json:"has_next"`
	Next    string `json:"next_cursor"`
}

// listed is a page of a list.
type listed struct {
	Data       []json.RawMessage `json:"data"`
	Pagination pagination        `json:"pagination"`
}

// learnStep returns the function that updates the model with a step of an alert. The function sets taken.taken if
// this step changed the alert. If an earlier step had already set the same status, this step has changed nothing.
func learnStep(r *request, id string, taken *step) func(*model, answer) {
	return func(m *model, a answer) {
		var now struct {
			ID, Status, Note string
		}
		if !a.read(&now) || now.ID != id || now.Status != taken.to {
			m.violate("alert-moved", "%s: %s", r, short(a.body))
			return
		}
		if taken.taken = now.Note == taken.note; taken.taken {
			r.scope.did("alert.moved", id)
		}
		r.scope.unseen.others[id] = struct{}{}
	}
}
