package torture

import (
	"fmt"
	"net/http"
)

// manyDecisions is more than the service erases in one transaction.
const manyDecisions = 103

// declined is an applicant without an offer. The erasure of somebody with an open offer would wait for its end.
var declined = profile{score: 442, income: 85_000, amount: 200_000, foirPercent: 22, enquiries: 1}

// erases decides for an applicant and erases the applicant. Some have so many decisions that the erasure takes
// several transactions, and a fault may come in between. The erasure must be completed in any case: by the request,
// by its repetition, or by the service itself.
func (s *story) erases() {
	decisions := 1 + s.rng.IntN(3)
	if s.rng.IntN(12) == 0 {
		decisions = manyDecisions
	}
	applicant := s.applicant(0)
	var ids []string
	for range decisions {
		r := s.post("/v1/decisions", declined.decision(applicant), http.StatusOK)
		r.learn = learnDecision(r, "POST /v1/decisions", "a declined decision", "")
		a, ok := s.do(r)
		var d toldDecision
		if !ok || !a.read(&d) {
			return
		}
		ids = append(ids, d.ID)
	}
	r := s.post("/v1/erasures", fmt.Sprintf(`{"applicant_ref":%q,"reason":"applicant_request"}`, applicant),
		http.StatusCreated)
	r.learn = learnErasure(r, applicant, ids)
	if decisions == manyDecisions {
		// If the request was interrupted, the service completes the erasure, and the repetition finds nothing.
		r.want = append(r.want, http.StatusNotFound)
		r.decline = func(*model, answer) { r.scope.erase(applicant, ids) }
	}
	s.do(r)
}

// learnErasure returns the function that updates the model with a completed erasure.
func learnErasure(r *request, applicant string, ids []string) func(*model, answer) {
	return func(m *model, a answer) {
		var receipt struct {
			ID     string `json:"id"`
			State  string `json:"state"`
			Erased struct {
				Decisions int `json:"decisions"`
			} `json:"erased"`
		}
		if !a.read(&receipt) || receipt.ID == "" || receipt.State != "completed" || receipt.Erased.Decisions != len(ids) {
			m.violate("erasure-form", "%s: %s", r, short(a.body))
			return
		}
		r.scope.erasures[receipt.ID] = struct{}{}
		r.scope.did("applicant.erased", receipt.ID)
		r.scope.erase(applicant, ids)
	}
}

// erase records that decisions are erased.
func (s *scope) erase(applicant string, ids []string) {
	for _, id := range ids {
		if d := s.decisions[id]; d != nil {
			d.erased = applicant
			s.unseen.decisions[id] = struct{}{}
		}
	}
}
