package storetest_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
)

const (
	sandbox = "sandbox"
	live    = "live"
	period  = "2026-11"
	day     = "2026-11-15"

	plenty = 1_000 // a limit that a test does not reach
)

// seed returns a signup with one of each kind of row.
func seed(tenant string) store.Seed {
	set := func(environment, status string) store.RuleSet {
		return store.RuleSet{
			ID: "pol_" + tenant + environment, PolicyKey: "default", Name: "Default", Status: status,
			Document: []byte(`{"a":1}`), Checksum: "sha256:seed", CreatedMicros: 100, CreatedBy: "usr_" + tenant,
		}
	}
	return store.Seed{
		Tenant: store.Tenant{ID: tenant, OrgName: "Asha Finance", Plan: "free", CreatedMicros: 100},
		User: store.User{
			ID:            "usr_" + tenant,
			Email:         strings.ToLower(tenant) + "@example.in",
			PasswordHash:  "argon2id",
			Role:          "admin",
			CreatedMicros: 100,
		},
		Keys: []store.Key{key(tenant, sandbox)},
		Environments: []store.SeedEnvironment{
			{
				Environment: sandbox, RuleSets: []store.RuleSet{set(sandbox, store.StatusActive)},
				Scorecards: []store.Scorecard{{
					ID:            "sc_" + tenant,
					Name:          "Default",
					Document:      []byte("{}"),
					CreatedMicros: 100,
				}},
				Audit: []store.AuditEntry{{
					ID:            "aud_" + tenant,
					CreatedMicros: 100,
					Actor:         "usr_" + tenant,
					Action:        "tenant.created",
					Object:        tenant,
				}},
			},
			{Environment: live, RuleSets: []store.RuleSet{set(live, store.StatusDraft)}},
		},
	}
}

func key(tenant, environment string) store.Key {
	return store.Key{
		ID: "key_" + tenant + environment, TenantID: tenant, Environment: environment, Name: "first",
		Prefix: "vk_" + environment, Hash: "hash_" + tenant + environment, Role: "admin", Scopes: "decide read",
		CreatedBy: "usr_" + tenant, CreatedMicros: 100,
	}
}

// signUp creates a tenant and returns its sandbox.
func signUp(t *testing.T, db *store.DB, tenant string) *store.Scope {
	t.Helper()
	if err := db.Accounts().CreateTenant(t.Context(), seed(tenant)); err != nil {
		t.Fatal(err)
	}
	return db.Scope(tenant, sandbox)
}

// neighbours returns scopes that must see nothing of a tenant's sandbox.
func neighbours(t *testing.T, db *store.DB, tenant string) map[string]*store.Scope {
	t.Helper()
	other := "ten_OTHER"
	signUp(t, db, other)
	return map[string]*store.Scope{
		"the other environment":      db.Scope(tenant, live),
		"another tenant":             db.Scope(other, sandbox),
		"a tenant that is not there": db.Scope("ten_NOBODY", sandbox),
	}
}

func draft(id string) store.RuleSet {
	return store.RuleSet{
		ID: id, PolicyKey: "default", Name: "Draft " + id, Document: []byte(`{"id":"` + id + `"}`),
		Checksum: "sha256:" + id, Base: "none", Notes: "why", CreatedMicros: 200, CreatedBy: "key_1",
	}
}

// decision returns a write that uses one unit of the quota.
func decision(id string, quota int64) *store.DecisionWrite {
	return &store.DecisionWrite{
		Decision: store.Decision{
			ID: id, CreatedMicros: 1000, ApplicantRef: "app-1", Status: "APPROVED", Grade: "B", PolicyKey: "default",
			PolicyID: "pol_1", PolicyVersion: 3, Endpoint: "POST /v1/decisions", EngineVersion: "2026.11.1",
			Hash: "sha256:h", Actor: "key_1", Response: []byte(`{"status":"APPROVED"}`), Facts: []byte{0, 1, 2, 0xff},
		},
		Meter: store.Meter{
			Period:   period,
			Day:      day,
			Endpoint: "POST /v1/decisions",
			Units:    1,
			Billable: true,
			Quota:    quota,
		},
	}
}

// features returns a vector and its source, with arbitrary bytes.
func features() *store.Features {
	return &store.Features{AsOf: "2026-11-10", Hash: "sha256:f", Vector: []byte{1, 0, 0xff}, Source: []byte{2, 0, 0xfe}}
}

// fill inserts a row of every kind into a scope that has signed up.
func fill(t *testing.T, db *store.DB, scope *store.Scope) {
	t.Helper()
	w, a := decision("dec_1", store.Unmetered), answer("dec_1")
	a.Subject = w.Decision.ID
	w.Answer, w.Features = &a, features()
	w.Decision.People = []store.DecisionPerson{{Role: "co_applicant", Ref: "A-2", Facts: []byte{3, 0, 0xfd}}}
	stat := store.RuleStat{
		TenantID:    scope.Tenant(),
		Environment: scope.Environment(),
		RuleSetID:   "pol_1",
		RuleID:      "KO_1",
		Day:         day,
		Evaluated:   3,
		Hit:         1,
	}
	for _, err := range []error{
		scope.InsertDecision(t.Context(), w),
		scope.InsertDecision(t.Context(), referred("dec_2")),
		scope.Write(t.Context(),
			func(tx *store.Tx) error { return tx.Decisions().AddReview(review("rev_1", "dec_1")) }),
		db.System().AddRuleStats(t.Context(), []store.RuleStat{stat}),
		db.System().AddDecisionStats(t.Context(), []store.DecisionStat{{
			TenantID: scope.Tenant(), Environment: scope.Environment(), Span: store.StatDay, Kind: "status", At: day,
			Name: "APPROVED", Count: 1,
		}}),
		scope.Write(t.Context(), fillFraud),
		scope.Write(t.Context(), fillBacktest),
		scope.Write(t.Context(), fillBatchJob),
		scope.Write(t.Context(), fillRun),
		scope.Write(t.Context(), fillStrategy),
		scope.Write(t.Context(), fillLog),
		scope.Write(t.Context(), fillErasure),
		scope.Write(t.Context(), fillHold),
		scope.Write(t.Context(), fillExposure),
		scope.Write(t.Context(), fillRetention),
		scope.Write(t.Context(), fillLenderProfile),
		scope.Write(t.Context(), fillProof),
		scope.Write(t.Context(), fillPolicyEdit),
		scope.Write(t.Context(), fillSavedFilter),
		scope.Write(t.Context(), fillList),
		scope.Write(t.Context(), fillTable),
		fillStaff(t, db, scope.Tenant()),
		fillWebhook(t, db, scope),
		scope.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Usage().Reach(store.UsageThreshold{Period: period, Percent: 80, Used: 8, Quota: 10})
			return err
		}),
		secret(t, db),
		keyTree(t, db, scope.Tenant()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// codes numbers the signup codes of the fixtures.
var codes atomic.Int64

// secret creates the installation's secret and the fingerprint of its master key if there are none, and a signup code.
func secret(t *testing.T, db *store.DB) error {
	t.Helper()
	_, err := db.Secrets().Secret(t.Context(), []byte{0, 1, 0xff})
	if err == nil {
		_, err = db.Secrets().SetMasterKey(t.Context(), bytes.Repeat([]byte{7}, 32), 1)
	}
	if err == nil {
		at := codes.Add(1)
		err = db.Accounts().AddSignupCode(t.Context(),
			store.SignupCode{Hash: fmt.Sprint("code_", at), CreatedMicros: at, ExpiresMicros: 1 << 60})
	}
	return err
}

// fillFraud inserts a row into every table about fraud.
func fillFraud(tx *store.Tx) error {
	if _, err := tx.FraudConfigs().Put(
		store.FraudConfig{Document: []byte("{}"), Accounts: []byte{0, 0xff}, UpdatedBy: "key_1"}, 0); err != nil {
		return err
	}
	if err := tx.PincodeRisks().Put([]store.PincodeRisk{{Pincode: "400001", Risk: "HIGH", Score: 80}}); err != nil {
		return err
	}
	for _, ref := range []string{"ring-1", "ring-2"} {
		if _, err := tx.Observations().Observe(observed(ref, micros, account("ring")), ringWindows()); err != nil {
			return err
		}
	}
	o := observed("app-1", micros, account("1"), pincode("400001"))
	if _, err := tx.Observations().Observe(o, windows()); err != nil {
		return err
	}
	_, _, err := tx.Alerts().Raise(want("alr_1", o, o.Entities[0]))
	return err
}

func review(id, decision string) store.Review {
	return store.Review{
		ID: id, DecisionID: decision, CreatedMicros: 2000, Actor: "usr_1", Outcome: "APPROVED",
		ReasonCode: "INCOME_SEEN", Note: "salary slips",
	}
}

// wantKind checks that an error is a refusal of the given kind and code. The zero kind
// means no error.
func wantKind(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	var refusal *fault.Error
	switch {
	case kind == 0 && err == nil:
	case kind == 0:
		t.Errorf("got %v", err)
	case !errors.As(err, &refusal) || refusal.Kind != kind || refusal.Code != code:
		t.Errorf("got %v, want kind %d with %s", err, kind, code)
	}
}

func wantNotFound(t *testing.T, err error) {
	t.Helper()
	wantKind(t, err, fault.NotFound, fault.CodeNotFound)
}

// race runs n functions concurrently and returns their errors.
func race(n int, run func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = run(i)
		})
	}
	close(start)
	all.Wait()
	return errs
}

// succeeded returns the number of nil errors. It fails the test for every other error except the wanted refusal.
func succeeded(t *testing.T, errs []error, kind fault.Kind, code string) int {
	t.Helper()
	n := 0
	for _, err := range errs {
		if err == nil {
			n++
			continue
		}
		wantKind(t, err, kind, code)
	}
	return n
}

func numbered(prefix string, i int) string { return fmt.Sprintf("%s_%03d", prefix, i) }

func keyTree(t *testing.T, db *store.DB, tenantID string) error {
	t.Helper()
	_, err := db.Secrets().TenantKeys(t.Context(), tenantID, []byte{3, 0, 0xfd})
	return err
}
