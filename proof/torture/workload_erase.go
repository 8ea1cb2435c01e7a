package torture

import (
	"fmt"
	"net/http"
)

// manyDecisions is more than the service erases in one transaction.
const manyDecisions = 103

// declined is an applicant without an offer. The erasure of somebody with an open offer would wait until the offer
// ends.
var declined = profile{score: 442, income: 85_000, amount: 200_000, foirPercent: 22, enquiries: 1}

// erases makes decisions about an applicant and then erases the applicant. Some applicants have so many decisions
// that the erasure takes several transactions, and a fault may occur between two of them. The erasure must be
// completed in any case: by the request, by its repetition, or by the service itself.
func (s *story) erases() {
	decisions := 1 + s.rng.IntN(3)
	if s.rng.IntN(12) == 0 {
		decisions = manyDecisions
	}
	applicant := s.applicant(0)
	ids, ok := s.declines(applicant, decisions)
	if !ok {
		return
	}
	r := s.erasure(applicant, http.StatusCreated)
	r.learn = learnErasure(r, applicant, ids)
	s.do(r)
}

// declines decides for an applicant and returns the ids of the decisions.
func (s *story) declines(applicant string, n int) (ids []string, ok bool) {
	for range n {
		r := s.post("/v1/decisions", declined.decision(applicant), http.StatusOK)
		r.learn = learnDecision(r, "POST /v1/decisions", "a declined decision", "")
		a, ok := s.do(r)
		var d toldDecision
		if !ok || !a.read(&d) {
			return nil, false
		}
		ids = append(ids, d.ID)
	}
	return ids, true
}

// erasure returns a request for the erasure of an applicant.
func (s *story) erasure(applicant string, want int) *request {
	return s.post("/v1/erasures", fmt.Sprintf(`{"applicant_ref":%q,"reason":"applicant_request"}`, applicant), want)
}

// defers places a legal hold on an applicant and asks for the erasure, which must wait. The decisions stay readable as
// long as the hold is in force, and after the erasure was withdrawn. After the release they are erased: by the service,
// or by a further request.
func (s *story) defers() {
	applicant := s.applicant(0)
	ids, ok := s.declines(applicant, 1+s.rng.IntN(3))
	if !ok {
		return
	}
	var hold, deferred string
	r := s.post("/v1/legal-holds", fmt.Sprintf(`{"applicant_ref":%q,"reason":"litigation"}`, applicant),
		http.StatusCreated)
	r.learn = learnID(r, "legal_hold.placed", "", &hold)
	if _, ok := s.do(r); !ok {
		return
	}
	r = s.erasure(applicant, http.StatusAccepted)
	r.learn = learnID(r, "erasure.deferred", "deferred", &deferred)
	if _, ok := s.do(r); !ok {
		return
	}
	switch s.rng.IntN(3) {
	case 0: // the hold stays in force
	case 1:
		r = s.post("/v1/erasures/"+deferred+"/withdraw", "", http.StatusOK)
		r.contentType = ""
		r.learn = learnID(r, "erasure.withdrawn", "withdrawn", new(string))
		s.do(r)
	default:
		s.learn(func() { s.scope.release(applicant, ids) }) // from now on the service may erase the applicant
		r = s.post("/v1/legal-holds/"+hold+"/release", "", http.StatusOK)
		r.contentType = ""
		r.learn = learnID(r, "legal_hold.released", "", new(string))
		if _, ok := s.do(r); !ok {
			return
		}
		r = s.erasure(applicant, http.StatusCreated)
		r.learn = learnErasure(r, applicant, ids)
		// The service may have carried out the deferred erasure before.
		r.want = append(r.want, http.StatusNotFound)
		r.decline = func(*model, answer) { r.scope.erase(applicant, ids) }
		s.do(r)
	}
}

// learnID returns the function that records the id of an object, and records that the audit trail must contain an
// action on it. If state is not "", the object must have that state.
func learnID(r *request, action, state string, id *string) func(*model, answer) {
	return func(m *model, a answer) {
		var told struct {
			ID    string `json:"id"`
			State string `json:"state"`
		}
		if !a.read(&told) || told.ID == "" || state != "" && told.State != state {
			m.violate("erasure-form", "%s: %s", r, short(a.body))
			return
		}
		*id = told.ID
		r.scope.did(action, told.ID)
	}
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
		if !a.read(&receipt) || receipt.ID == "" || receipt.State != "completed" ||
			receipt.Erased.Decisions != len(ids) {
			m.violate("erasure-form", "%s: %s", r, short(a.body))
			return
		}
		r.scope.erasures[receipt.ID] = struct{}{}
		r.scope.did("applicant.erased", receipt.ID)
		r.scope.erase(applicant, ids)
	}
}

// release records that decisions will be erased, because nothing defers their erasure any more.
func (s *scope) release(applicant string, ids []string) {
	for _, id := range ids {
		if d := s.decisions[id]; d != nil {
			d.released = applicant
		}
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
