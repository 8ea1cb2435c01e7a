package torture

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"verdict/internal/civil"
)

// retained is a lender with retention periods. It is not part of the model, because its documents disappear by
// themselves. Its own model says which documents must be there on which day.
type retained struct {
	*Workload
	scope *scope
	sent  int // numbers the requests

	mu        sync.Mutex
	decisions []*retainedDecision
	emptied   map[string]int // the documents that were expected to be erased so far, by zone
}

// retainedDecision is a decision of the lender with retention periods.
type retainedDecision struct {
	id, hash, applicant string
	day                 civil.Day // in India
	featured            bool      // it has features and a history
	hold                string    // the id of the legal hold on the applicant, "" if there is none
	released            bool      // the hold was released
	erased              bool      // the applicant was erased on request
	gone                []string  // the zones that were expected to be empty at the last check
}

// retainedDays are the retention periods in days by zone. Documents that are older are erased.
var retainedDays = map[string]civil.Day{"history": 1, "features": 2, "combined": 1, "response": 3}

// retainedZones are the zones in the order in which the service names them.
var retainedZones = []string{"response", "history", "features", "combined"}

// retainedPeriods is the request that sets these periods.
const retainedPeriods = `{"zones":{"history":{"period":"P1D","basis":"purpose_fulfilled"},` +
	`"features":{"period":"P2D","basis":"purpose_fulfilled"},"combined":{"period":"P1D","basis":"legal_obligation"},` +
	`"response":{"period":"P3D","basis":"legal_obligation"}}}`

// newRetained signs the lender up and sets its periods.
func newRetained(ctx context.Context, w *Workload, url string) (*retained, error) {
	const number = 900 // larger than the numbers of the other lenders
	s, err := w.signUp(ctx, w.newLender("retained", number), number, at(ctx, url))
	if err != nil {
		return nil, errors.Join(err, w.model.verdict())
	}
	w.learn(func() { // the checks of the model do not know retention periods
		w.model.scopes = slices.DeleteFunc(w.model.scopes, func(other *scope) bool { return other == s })
	})
	t := &retained{Workload: w, scope: s, emptied: map[string]int{}}
	put := t.request(http.MethodPut, "/v1/retention", retainedPeriods, http.StatusOK)
	put.once = ""
	_, err = t.send(ctx, put, at(ctx, url))
	return t, err
}

// request returns a request of the lender with an Idempotency-Key of its own.
func (t *retained) request(method, path, body string, want int) *request {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent++
	r := &request{
		scope: t.scope, key: t.scope.key, method: method, path: path, body: []byte(body),
		once: fmt.Sprintf("retained-%d", t.sent), writes: method != http.MethodGet, want: []int{want},
		patience: int(settling / pause),
	}
	if body != "" {
		r.contentType = jsonType
	}
	if method == http.MethodGet {
		r.once = ""
	}
	return r
}

// send sends a request until it is answered.
func (t *retained) send(ctx context.Context, r *request, where func() (string, bool)) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	a, ok := t.deliver(ctx, r, where)
	if !ok {
		return a, errors.Join(fmt.Errorf("%s: %d %s", r, a.status, short(a.body)), t.model.verdict())
	}
	return a, nil
}

// decide makes decisions about n new applicants. Every second decision has features.
func (t *retained) decide(ctx context.Context, n int, where func() (string, bool)) ([]*retainedDecision, error) {
	var added []*retainedDecision
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	err := each(list, func(i int) error {
		r := t.request(http.MethodPost, "/v1/decisions", "", http.StatusOK)
		r.contentType = jsonType
		// The number of the request makes the applicant's reference unique.
		d := &retainedDecision{applicant: t.scope.word + "-" + r.once, featured: i%2 == 0}
		r.body = []byte(declined.decision(d.applicant))
		if d.featured {
			n := t.number(r)
			// Share nothing, because an alert would defer the erasure of an applicant. The addresses are IPv4, because
			// an alert counts IPv6 addresses of one network as one.
			r.path, r.body = "/v1/evaluate", []byte(declined.evaluation(shared{
				applicant: d.applicant, account: t.secrets.account(t.scope, d.applicant),
				ip:     fmt.Sprintf("203.%d.%d.%d", n>>16&0xff, n>>8&0xff, n&0xff),
				device: "device " + d.applicant, agent: "AG-" + d.applicant, mobile: fmt.Sprintf("97%08d", n),
				email: d.applicant + "@applicant.example",
			}, true))
		}
		a, err := t.send(ctx, r, where)
		if err != nil {
			return err
		}
		var told struct {
			toldDecision
			CreatedAt time.Time `json:"created_at"`
		}
		if !a.read(&told) || told.ID == "" || told.CreatedAt.IsZero() {
			return fmt.Errorf("%s: %s", r, short(a.body))
		}
		d.id, d.hash, d.day = told.ID, told.Hash, civil.DayAt(told.CreatedAt)
		t.mu.Lock()
		defer t.mu.Unlock()
		t.decisions, added = append(t.decisions, d), append(added, d)
		return nil
	})
	return added, err
}

// number returns the number of a request.
func (t *retained) number(r *request) (n uint64) {
	_, _ = fmt.Sscanf(r.once, "retained-%d", &n) // the method request has written this text
	return n
}

// hold places a legal hold on the applicant of a decision.
func (t *retained) hold(ctx context.Context, d *retainedDecision, where func() (string, bool)) error {
	a, err := t.send(ctx, t.request(http.MethodPost, "/v1/legal-holds",
		fmt.Sprintf(`{"applicant_ref":%q,"reason":"litigation"}`, d.applicant), http.StatusCreated), where)
	var told struct{ ID string }
	if err == nil && (!a.read(&told) || told.ID == "") {
		err = fmt.Errorf("a legal hold without an id: %s", short(a.body))
	}
	d.hold = told.ID
	return err
}

// release releases the legal hold on the applicant of a decision.
func (t *retained) release(ctx context.Context, d *retainedDecision, where func() (string, bool)) error {
	_, err := t.send(ctx, t.request(http.MethodPost, "/v1/legal-holds/"+d.hold+"/release", "", http.StatusOK), where)
	d.released = err == nil
	return err
}

// erase erases the applicant of a decision. The receipt must count that decision.
func (t *retained) erase(ctx context.Context, d *retainedDecision, where func() (string, bool)) error {
	a, err := t.send(ctx, t.request(http.MethodPost, "/v1/erasures",
		fmt.Sprintf(`{"applicant_ref":%q,"reason":"applicant_request"}`, d.applicant), http.StatusCreated), where)
	if err != nil {
		return err
	}
	var receipt struct {
		State  string `json:"state"`
		Erased struct {
			Decisions int `json:"decisions"`
		} `json:"erased"`
	}
	if !a.read(&receipt) || receipt.State != "completed" || receipt.Erased.Decisions != 1 {
		return fmt.Errorf("the receipt of an applicant with one decision is %s", short(a.body))
	}
	d.erased = true
	return nil
}
