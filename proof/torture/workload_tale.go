package torture

import (
	"fmt"
	"net/http"
	"net/url"
)

// decides sends an application and sometimes reads the stored decision.
func (s *story) decides() {
	i := s.rng.IntN(profiles)
	r := s.post("/v1/decisions", profileOf(i).decision(s.applicant(0)), http.StatusOK)
	r.learn = learnDecision(r, "POST /v1/decisions", fmt.Sprintf("decision %d", i), "")
	a, ok := s.do(r)
	if ok && s.rng.IntN(3) == 0 {
		s.readsBack(a)
	}
}

// readsBack reads a decision that an answer of the service contained. Every node
// must return it immediately, with the same bytes.
func (s *story) readsBack(a answer) {
	var d toldDecision
	if !a.read(&d) {
		return
	}
	stored, ok := s.do(s.scope.get("/v1/decisions/" + d.ID))
	if ok {
		s.learn(func() { s.model.storedDecision(s.scope, d.ID, stored.body) })
	}
}

// readsCheckpoint reads the signed checkpoint of the log while faults may be in progress, as a witness would. The next
// check compares it with the leaves.
func (s *story) readsCheckpoint() {
	r := s.scope.get("/v1/log/checkpoint")
	r.want = append(r.want, http.StatusNotFound) // nothing is signed yet
	if a, ok := s.do(r); ok && a.status == http.StatusOK {
		s.learn(func() { s.scope.history.noted = append(s.scope.history.noted, a.body) })
	}
}

// evaluates sends an application with all blocks and with an account that other
// stories use too.
func (s *story) evaluates() {
	i := s.rng.IntN(profiles)
	account := s.secrets.account(s.scope, fmt.Sprintf("pool-%d-%d", s.n/600, s.rng.IntN(4)))
	if a, ok := s.evaluate(i, 0, account); ok && s.rng.IntN(3) == 0 {
		s.readsBack(a)
	}
}

// evaluate sends an application with an account. who selects one of this story's
// applicants.
func (s *story) evaluate(profile, who int, account string) (answer, bool) {
	t := shared{
		applicant: s.applicant(who), account: account, ip: s.secrets.ip(s.n), device: s.text("device"),
		agent: "AG-" + s.scope.word, mobile: s.secrets.mobile(s.n),
		email: fmt.Sprintf("%s@applicant.example", s.applicant(who)),
	}
	r := s.post("/v1/evaluate", profileOf(profile).evaluation(t, s.rng.IntN(4) == 0), http.StatusOK)
	r.learn = learnDecision(r, "POST /v1/evaluate", "", account)
	s.model.sharedBy(r, account, t.applicant)
	return s.do(r)
}

// findsRing sends the applications of two people with the same account and
// handles the alert.
func (s *story) findsRing() {
	account := s.secrets.account(s.scope, fmt.Sprintf("ring-%d", s.n))
	if _, ok := s.evaluate(s.rng.IntN(profiles), 0, account); !ok {
		return
	}
	a, ok := s.evaluate(s.rng.IntN(profiles), 1, account)
	var second toldDecision
	if !ok || !a.read(&second) || second.Fraud == nil {
		return
	}
	if len(second.Fraud.AlertIDs) == 0 {
		s.violate("alert-raised", "%s: a second applicant on account %s raised no alert", s.scope, account)
		return
	}
	id := second.Fraud.AlertIDs[0]
	if s.rng.IntN(4) > 0 {
		if _, ok := s.moves(id, "acknowledged", "", s.text("acknowledged")); !ok {
			return
		}
	}
	resolution := []string{"confirmed_fraud", "false_positive", "other", ""}[s.rng.IntN(4)]
	if resolution == "" {
		return
	}
	// Without an answer, it is unknown whether the alert is closed.
	if _, closed := s.moves(id, "closed", resolution, s.text("closed")); s.rng.IntN(3) == 0 && closed {
		s.reopens(id)
	}
}

// moves changes the status of an alert. Repeating the same step changes
// nothing, so the request needs no Idempotency-Key.
func (s *story) moves(id, to, resolution, note string) (answer, bool) {
	body := fmt.Sprintf(`{"status":%q,"note":%q}`, to, note)
	if resolution != "" {
		body = fmt.Sprintf(`{"status":%q,"resolution":%q,"note":%q}`, to, resolution, note)
	}
	r := s.post("/v1/fraud/alerts/"+id, body, http.StatusOK)
	r.method, r.once = http.MethodPatch, ""
	// Many stories may share the entity of an alert, and each of them changes
	// the alert, so allow a conflict.
	r.want = append(r.want, http.StatusConflict)
	taken := &step{to: to, resolution: resolution, note: note}
	s.learn(func() { known := s.scope.alert(id); known.steps = append(known.steps, taken) })
	r.learn = learnStep(r, id, taken)
	return s.do(r)
}

// reopens tries to reopen a closed alert. The service must refuse that.
func (s *story) reopens(id string) {
	r := s.post("/v1/fraud/alerts/"+id, `{"status":"acknowledged"}`, http.StatusConflict)
	r.method, r.once, r.writes = http.MethodPatch, "", false
	s.do(r)
}

// reviews adds a review to a referred decision.
func (s *story) reviews() {
	r := s.post("/v1/decisions", referred(s.applicant(0)), http.StatusOK)
	r.learn = learnDecision(r, "POST /v1/decisions", "referred", "")
	a, ok := s.do(r)
	var d toldDecision
	if !ok || !a.read(&d) {
		return
	}
	if d.Status != "REFERRED" {
		s.violate("referral", "%s: a repayment 45 days late is %s", r, d.Status)
	}
	outcome := []string{"upheld", "overturned", "more_information"}[s.rng.IntN(3)]
	review := s.post("/v1/decisions/"+d.ID+"/review",
		fmt.Sprintf(`{"outcome":%q,"note":%q}`, outcome, s.text("review")), http.StatusCreated)
	review.learn = learnReview(review, d.ID)
	if _, ok := s.do(review); ok {
		s.readsBack(a)
	}
}

// changesPolicy stores a draft and usually activates it, concurrently with
// other stories.
func (s *story) changesPolicy() {
	r := s.post("/v1/rule-sets", draft(s.text("policy"), s.rng.IntN(1000)), http.StatusCreated)
	r.learn = learnRuleSet(r)
	a, ok := s.do(r)
	var made struct{ ID string }
	if !ok || !a.read(&made) || s.rng.IntN(4) == 0 {
		return
	}
	s.activates(made.ID)
}

// activates sends a request to activate a version. The client retries it at most three times.
func (s *story) activates(id string) {
	s.steps++
	r := s.activation(s.scope, id, fmt.Sprintf("%d-%d", s.n, s.steps), s.text("activated"))
	r.patience = s.rng.IntN(4)
	s.do(r)
}

// activation returns the request that activates a version. The model records
// the request before it is sent, because it may take effect from then on.
func (w *Workload) activation(sc *scope, id, once, note string) *request {
	r := &request{
		scope: sc, key: sc.key, method: http.MethodPost, path: "/v1/rule-sets/" + id + "/activate",
		contentType: jsonType, body: fmt.Appendf(nil, `{"note":%q}`, note), once: once, writes: true,
		want: []int{http.StatusOK},
	}
	r.learn = func(_ *model, _ answer) { sc.did("rule_set.activated", id) }
	w.learn(func() { sc.activations = append(sc.activations, r) })
	return r
}

// rollsBack activates the version that was activated first.
func (s *story) rollsBack() {
	var first string
	s.learn(func() { first = activated(s.scope.activations[0]) })
	s.activates(first)
}

// readsActive checks that exactly one version is active.
func (s *story) readsActive() {
	r := s.scope.get("/v1/rule-sets?status=active&policy_key=default&limit=5")
	if a, ok := s.do(r); ok {
		s.learn(func() { s.model.activeList(s.scope, a.body, a.began, a.ended) })
	}
}

// previews sends a preview. Nothing may be stored, and the hash must equal the
// hash of a decision.
func (s *story) previews() {
	i := s.rng.IntN(profiles)
	r := s.post("/v1/decisions/preview", profileOf(i).decision(s.applicant(0)), http.StatusOK)
	r.once, r.writes = "", false
	r.learn = func(m *model, a answer) {
		var d toldDecision
		if a.read(&d) {
			m.sameHash(fmt.Sprintf("decision %d", i), d.Policy.Checksum, d.Hash)
			m.policyWasActive(r, d.Policy.ID)
		}
	}
	s.do(r)
}

// underwrites runs the underwriting agent on an application.
func (s *story) underwrites() {
	i := s.rng.IntN(profiles)
	r := s.post("/v1/agents/underwrite", profileOf(i).decision(s.applicant(0)), http.StatusOK)
	r.learn = learnRun(r, fmt.Sprintf("decision %d", i))
	s.do(r)
}

// backtests runs the active policy over a few rows.
func (s *story) backtests() {
	r := s.post("/v1/backtest", rows(s.scope.word, s.rng.IntN(profiles), 3+s.rng.IntN(5)), http.StatusOK)
	r.learn = learnBacktest(r)
	s.do(r)
}

// browses reads as a person does: the decisions of an applicant, then one of
// several lists and its second page.
func (s *story) browses() {
	s.do(s.scope.get("/v1/decisions?applicant_id=" + url.QueryEscape(s.applicant(0))))
	paths := []string{
		"/v1/decisions?limit=20", "/v1/fraud/alerts?status=open&limit=20", "/v1/audit?limit=20", "/v1/usage",
		"/v1/agents/runs?limit=5", "/v1/fraud/blocklist?limit=20", healthPath,
	}
	path := paths[s.rng.IntN(len(paths))]
	a, ok := s.do(s.scope.get(path))
	var page listed
	if ok && a.read(&page) && page.Pagination.HasNext {
		s.do(s.scope.get(path + "&cursor=" + url.QueryEscape(page.Pagination.Next)))
	}
}

// handlesKeys creates a key, uses it and revokes it.
func (s *story) handlesKeys() {
	key, id, ok := s.makeKey(s.ctx, s.scope, s.text("key"), s.where, "decide", "read")
	if !ok {
		return
	}
	r := s.post("/v1/decisions", profileOf(0).decision(s.applicant(0)), http.StatusOK)
	r.key = key
	r.learn = learnDecision(r, "POST /v1/decisions", "decision 0", "")
	if _, ok := s.do(r); ok {
		s.revokeKey(s.ctx, s.scope, key, id, s.where)
	}
}

// joins signs up a new lender and immediately sends a decision for it.
func (s *story) joins() {
	newcomer, err := s.signUp(s.ctx, s.newLender(fmt.Sprintf("newcomer%d", s.n), 1000+s.n), 1000+s.n, s.where)
	if err != nil {
		return // if this is a violation, the model has recorded it
	}
	s.learn(func() { newcomer.brief = true })
	s.scope = newcomer
	s.decides()
}
