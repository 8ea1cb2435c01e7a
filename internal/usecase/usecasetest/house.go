// Package usecasetest sets up a service with one tenant, for the tests of the use-case
// packages.
package usecasetest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/wire"
)

// House is a service with one tenant, for use in a test.
type House struct {
	*testing.T
	DB      *store.DB
	Service *usecase.Set
	Signed  account.SignedUp
	Caller  tenant.Principal
}

// Cheap is a password cost that is low enough for tests.
var Cheap = tenant.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1}

// MasterKey is the master key of the tests.
var MasterKey = sealing.NewEpoch(sealing.Secret{'m'})

// Asha is the e-mail address of the first user, Password is the password of every
// user, and Home is their network address.
const (
	Asha     = "asha@example.in"
	Password = "correct horse"
	Home     = "203.0.113.7"
)

// Open returns a house over a database. Asha has signed up, and Caller uses her first key.
func Open(t *testing.T, db *store.DB, o usecase.Options) *House {
	t.Helper()
	o.PasswordCost = Cheap
	if o.MasterKey == nil {
		o.MasterKey = MasterKey
	}
	if o.Now == nil {
		o.Now = NewClock().Now
	}
	service, err := usecase.New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	h := &House{T: t, DB: db, Service: service}
	h.Signed, h.Caller = h.Signup("asha@example.in")
	return h
}

// Signup creates another tenant, and returns a caller with its first key.
func (h *House) Signup(email string) (account.SignedUp, tenant.Principal) {
	h.Helper()
	signed, err := h.Service.Operator.Signup(h.Context(), tenant.Signup{
		Email: email, OrgName: "Asha Finance", Password: tenant.NewSecret(Password),
	})
	if err != nil {
		h.Fatal(err)
	}
	caller, err := h.Service.Access.Authenticate(h.Context(), signed.Key)
	if err != nil {
		h.Fatal(err)
	}
	return signed, caller
}

// Clock is a clock that only the test advances.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// NewClock returns a clock that only Pass advances.
func NewClock() *Clock { return &Clock{at: time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Pass advances the clock by d.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// SignIn signs in a person of the tenant.
func (h *House) SignIn(email string) (account.Session, tenant.Token) {
	h.Helper()
	c, token, err := h.Service.Access.SignIn(h.Context(), email, tenant.NewSecret(Password), Home, "Firefox")
	if err != nil {
		h.Fatal(err)
	}
	return c, token
}

// Admin returns the live principal of the person who signed up.
func (h *House) Admin() tenant.Principal {
	h.Helper()
	c, _ := h.SignIn(Asha)
	return c.Principal(tenant.Live)
}

// Join invites a person, accepts the invitation, and returns the person's session and its
// token.
func (h *House) Join(by tenant.Principal, email string, role tenant.Role) (account.Session, tenant.Token) {
	h.Helper()
	_, link, err := h.Service.People.Invite(h.Context(), by, email, role)
	if err != nil {
		h.Fatal(err)
	}
	c, token, err := h.Service.Access.AcceptInvitation(h.Context(), link, tenant.NewSecret(Password), Home, "Firefox")
	if err != nil {
		h.Fatal(err)
	}
	return c, token
}

// Ended fails the test if the token still has a session.
func (h *House) Ended(token tenant.Token) {
	h.Helper()
	if _, err := h.Service.Access.SessionOf(h.Context(), token); CodeOf(err) != fault.CodeSessionEnded {
		h.Errorf("still signed in: %v", err)
	}
}

// Held fails the test if the token has no session.
func (h *House) Held(token tenant.Token) {
	h.Helper()
	if _, err := h.Service.Access.SessionOf(h.Context(), token); err != nil {
		h.Errorf("not signed in: %v", err)
	}
}

// CodeOf returns the code of a refusal, and "" for nil and other errors.
func CodeOf(err error) string { return fault.CodeOf(err) }

// Pointers returns the sorted pointers of the items of a refusal, or only its code if it has
// no items.
func Pointers(t *testing.T, err error) []string {
	t.Helper()
	refusal := fault.Of(err)
	if refusal == nil {
		t.Fatalf("no refusal: %v", err)
	}
	if len(refusal.Items) == 0 {
		return []string{refusal.Code}
	}
	list := make([]string, len(refusal.Items))
	for i, item := range refusal.Items {
		list[i] = item.Pointer
	}
	slices.Sort(list)
	return list
}

// Logged returns the actors and actions of the audit entries about an object, newest first.
func (h *House) Logged(p tenant.Principal, object string) []string {
	h.Helper()
	page, err := h.Service.People.Audit(h.Context(), p, account.AuditFilter{Object: object}, operation.List{Limit: 100})
	if err != nil {
		h.Fatal(err)
	}
	var actions []string
	for _, e := range page.Data {
		actions = append(actions, e.Actor+" "+e.Action)
	}
	return actions
}

// Parse parses a JSON text and fails the test if it is invalid.
func Parse(t *testing.T, text string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Draft parses the draft of a policy.
func Draft(t *testing.T, text string) engine.Draft {
	t.Helper()
	return engine.NewDraft(Parse(t, text))
}

// Object parses an answer into a tree of maps.
func Object(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal(body, &out); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return out
}

// Sample is an application that the default policy approves.
const Sample = `{"applicant":{"id":"A-1","monthly_income":85000,"foir":0.32,"requested_amount":600000},
	"bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}`

// RunUntilFlushed runs the background work with a cancelled context, so that it ends after
// its last flush.
func RunUntilFlushed(t *testing.T, s *usecase.Set) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	done := make(chan struct{})
	go func() { s.Run(ctx); close(done) }()
	select {
	case <-done:
	case <-time.After(2 * time.Minute):
		t.Fatal("the last flush does not end")
	}
}

// Decided decides an application, and returns the id of the decision.
func (h *House) Decided(t *testing.T, body string) string {
	t.Helper()
	decided, err := h.Service.Decisions.Decide(t.Context(), h.Caller, application.DecisionRequest(Parse(t, body)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return decided.ID
}
