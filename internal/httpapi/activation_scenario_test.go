package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/account"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

func TestActivation(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		first := m.ruleSetID
		second := m.draft(`{"name":"second","limit_step":5000}`)
		checksum := m.get("/v1/rule-sets/" + second).text("checksum")
		path := "/v1/rule-sets/" + second + "/activate"
		m.post(path, `{"expected_active_id":"`+second+`"}`).
			refused(http.StatusPreconditionFailed, "precondition_failed")
		m.post(path, `{"expected_checksum":"sha256:ZEBRA"}`).
			refused(http.StatusPreconditionFailed, "precondition_failed").silent(s, "ZEBRA")
		wrong := m.post(path, `{"expected_active_id":7,"note":[],"ZEBRA":1}`).
			refused(http.StatusUnprocessableEntity, "invalid_field")
		want := []string{"/ZEBRA unknown_field", "/expected_active_id wrong_type", "/note wrong_type"}
		if diff := cmp.Diff(want, wrong.faults()); diff != "" {
			s.Errorf("(-want +got):\n%s", diff)
		}
		m.post("/v1/decisions", sample).is("policy.id", first)

		m.post(path, `{"expected_active_id":"`+first+`","expected_checksum":"`+checksum+`","note":"raise"}`).
			want(http.StatusOK).
			is("status", "active", "id", second)
		m.post("/v1/decisions", sample).is("policy.id", second, "policy.version", 3, "policy.checksum", checksum)
		m.get("/v1/rule-sets/"+first).is("status", "retired")

		// Activating the active rule set changes nothing and adds no second
		// audit entry.
		m.post(path, `{"expected_active_id":"`+first+`"}`).want(http.StatusOK).is("status", "active")
		if n := len(m.get("/v1/audit?action=rule_set.activated&object=" + second).list("data")); n != 1 {
			s.Errorf("%d activations are in the trail", n)
		}

		m.activate(first).is("status", "active")
		m.post("/v1/decisions", sample).is("policy.id", first)
		m.get("/v1/rule-sets/"+second).is("status", "retired")
		if diff := cmp.Diff([]string{first}, m.get("/v1/rule-sets?status=active").column("id")); diff != "" {
			s.Errorf("active (-want +got):\n%s", diff)
		}

		for _, id := range []string{"ZEBRA", "pol_0000000000000000000000000A", s.signup().ruleSetID} {
			m.post("/v1/rule-sets/"+id+"/activate", "").refused(http.StatusNotFound, "not_found").silent(s, "ZEBRA")
		}
	})
}

func TestLiveIsArmedBySomebody(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		live := m.with(tenant.Live, tenant.Admin, m.userID)
		for _, path := range []string{"/v1/decisions", "/v1/decisions/preview", "/v1/eligibility"} {
			live.post(path, sample).refused(http.StatusConflict, "no_active_policy")
		}
		live.post("/v1/decisions", sample, "Idempotency-Key: early").refused(http.StatusConflict, "no_active_policy")
		live.post("/v1/rule-sets/"+m.ruleSetID+"/activate", "").refused(http.StatusNotFound, "not_found")
		drafts := live.get("/v1/rule-sets?order=asc").want(http.StatusOK)
		if diff := cmp.Diff([]string{"draft", "draft"}, drafts.column("status")); diff != "" {
			s.Errorf("live starts with (-want +got):\n%s", diff)
		}
		id := drafts.column("id")[0]
		m.get("/v1/rule-sets/"+id).refused(http.StatusNotFound, "not_found")
		live.activate(id)
		decided := live.post("/v1/decisions", sample, "Idempotency-Key: early").want(http.StatusOK).
			is("status", "APPROVED", "environment", "live", "policy.id", id)
		sandbox := m.post("/v1/decisions", sample).is("policy.id", m.ruleSetID, "environment", "sandbox")
		if sandbox.text("decision_hash") != decided.text("decision_hash") {
			s.Error("one policy gives two hashes in two environments")
		}
		m.get("/v1/decisions/"+decided.text("decision_id")).refused(http.StatusNotFound, "not_found")
		live.get("/v1/usage").is("used", 1, "environment", "live")
		m.get("/v1/usage").is("used", 1, "environment", "sandbox")
	})
}

func TestSecondPerson(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		asha := m.with(tenant.Live, tenant.Admin, m.userID)
		seeded := asha.get("/v1/rule-sets?order=asc").column("id")[0]
		asha.activate(asha.draft(`{"name":"alone","base":"` + seeded + `"}`))

		user, err := s.service.Operator.CreateUser(s.Context(), m.tenantID,
			fmt.Sprintf("second-%s@example.in", m.tenantID[4:]), tenant.NewSecret("correct horse"), tenant.RoleAdmin)
		if err != nil {
			s.Fatal(err)
		}
		ravi := m.with(tenant.Live, tenant.Admin, user.ID)
		path := "/v1/rule-sets/" + asha.draft(`{"name":"hers"}`) + "/activate"
		asha.post(path, "").refused(http.StatusConflict, "second_person_required")
		ravi.post(path, "").refused(http.StatusConflict, "second_person_required") // Ravi joined less than a day ago
		s.clock.advance(24 * time.Hour)
		m.with(tenant.Live, tenant.Admin, m.userID).
			post(path, "").refused(http.StatusConflict, "second_person_required")
		ravi.post(path, "").want(http.StatusOK).is("status", "active")
		asha.post(path, "").want(http.StatusOK) // already active; nothing changes

		// A key must belong to a user of the tenant, because the four-eyes rule
		// compares users.
		for _, id := range []string{"", s.signup().userID} {
			_, _, err := s.service.Operator.CreateKey(s.Context(), account.NewKey{
				TenantID: m.tenantID, UserID: id, Environment: tenant.Live, Name: "nobody's", Scopes: tenant.Admin,
			})
			if err == nil {
				s.Errorf("a key was made for the user %q", id)
			}
		}

		// The seeded rule sets have no author, and the sandbox requires no
		// second person.
		for _, id := range asha.get("/v1/rule-sets?order=asc").column("id")[:2] {
			asha.activate(id)
		}
		m.activate(m.draft(`{"name":"try"}`))
	})
}

func TestSafeMode(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		sets := m.get("/v1/rule-sets?order=asc")
		if name := sets.at("data", 1, "name"); name != "SAFE_MODE" {
			s.Fatalf("the second rule set is %v", name)
		}
		m.activate(sets.column("id")[1])
		for _, body := range []string{
			sample,
			`{"bureau_report":{"score":900}}`,
			`{"bureau_report":{"score":560}}`,
			`{"bureau_report":{"score":-1}}`,
		} {
			got := m.post("/v1/decisions", body).want(http.StatusOK)
			if got.text("status") == "APPROVED" {
				s.Errorf("%s is approved in safe mode", body)
			}
			// An application that the score declines is not referred.
			want := map[string]string{"REFERRED": "PAUSED", "DECLINED": "BUR_SCORE"}[got.text("status")]
			if code := got.at("reasons", 0, "code"); code != want {
				s.Errorf("%s: %s, and the first reason is %v", body, got.text("status"), code)
			}
		}
		m.post("/v1/decisions", sample).is("status", "REFERRED")
		m.activate(m.ruleSetID)
		m.post("/v1/decisions", sample).is("status", "APPROVED")
	})
}

func TestRacingActivations(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const n = 16
		checksums, ids := map[string]string{}, make([]string, n)
		for i := range ids {
			got := m.post("/v1/rule-sets", fmt.Sprintf(`{"name":"v%d","limit_step":%d}`, i, 1000*(i+1))).
				want(http.StatusCreated)
			ids[i] = got.text("id")
			checksums[ids[i]] = got.text("checksum")
		}
		checksums[m.ruleSetID] = m.get("/v1/rule-sets/" + m.ruleSetID).text("checksum")
		answers := s.race(2*n, func(i int) (answer, error) {
			if i%2 == 0 {
				return s.trySend("POST", "/v1/rule-sets/"+ids[i/2]+"/activate", m.key, "")
			}
			return s.trySend("POST", "/v1/decisions", m.key, sample)
		})
		for i, a := range answers {
			a.want(http.StatusOK)
			if i%2 == 0 {
				continue
			}
			if id := a.text("policy", "id"); checksums[id] == "" || checksums[id] != a.text("policy", "checksum") {
				s.Errorf("decided by half a version: %s", a.body)
			}
			m.get("/v1/decisions/"+a.text("decision_id")).is("re_explanation.verified", true)
		}
		active := m.get("/v1/rule-sets?status=active").column("id")
		if len(active) != 1 {
			s.Fatalf("%d are active", len(active))
		}
		if n := len(m.get("/v1/rule-sets?status=retired").column("id")); n != 16 {
			s.Errorf("%d are retired", n)
		}
		m.post("/v1/decisions", sample).is("policy.id", active[0])
	})
}

// TestTwoNodes checks that two nodes on one database see each other's changes
// once their caches are stale, and share idempotency keys.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	databaseURL := storetest.Postgres(t)
	here := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
	there := start(t, storetest.Open(t, databaseURL, store.Options{}), stackOptions{})
	m := here.signup()
	away := *m
	away.stack = there
	away.post("/v1/decisions", sample).want(http.StatusOK).is("policy.id", m.ruleSetID)

	id := m.draft(`{"name":"new"}`)
	m.activate(id)
	m.post("/v1/decisions", sample).is("policy.id", id)
	there.clock.advance(stale)
	away.post("/v1/decisions", sample).is("policy.id", id)

	once := m.post("/v1/decisions", sample, "Idempotency-Key: both").want(http.StatusOK)
	twice := away.post("/v1/decisions", sample, "Idempotency-Key: both").want(http.StatusOK)
	if string(once.body) != string(twice.body) || twice.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the other node answered %s", twice.body)
	}
	racing := here.race(16, func(i int) (answer, error) {
		return []*stack{here, there}[i%2].trySend("POST", "/v1/decisions", m.key, sample, "Idempotency-Key: race")
	})
	bodies := map[string]bool{}
	for _, a := range racing {
		if a.status == http.StatusOK {
			bodies[string(a.body)] = true
		} else {
			a.refused(http.StatusConflict, "idempotency_in_progress")
		}
	}
	if len(bodies) != 1 {
		t.Errorf("%d different decisions", len(bodies))
	}
	m.get("/v1/usage").is("used", 5)

	key, record, err := here.service.Operator.CreateKey(t.Context(), account.NewKey{
		TenantID: m.tenantID, UserID: m.userID, Environment: tenant.Sandbox, Name: "lost", Scopes: tenant.Read,
	})
	if err != nil {
		t.Fatal(err)
	}
	away.key = key.Reveal()
	away.get("/v1/usage").want(http.StatusOK)
	if _, err := here.service.Operator.RevokeKey(t.Context(), m.tenantID, record.ID); err != nil {
		t.Fatal(err)
	}
	there.clock.advance(stale)
	away.get("/v1/usage").refused(http.StatusUnauthorized, "key_revoked")
}
