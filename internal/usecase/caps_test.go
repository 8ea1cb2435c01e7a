//nolint:thelper // the function passed to eachCluster is the test itself: report failures at their own lines
package usecase_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"verdict/internal/account"
	"verdict/internal/decisioning"
	"verdict/internal/engine"
	"verdict/internal/exposure"
	"verdict/internal/exposuredesk"
	"verdict/internal/fault"
	"verdict/internal/field"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// capCase is one cap. Many callers create objects concurrently until the cap is reached.
type capCase struct {
	name    string
	cap     int
	callers int
	code    string
	before  func(h *cluster)                                 // prepares the tenant; may be nil
	create  func(h *cluster, node *usecase.Set, i int) error // creates the object of caller i on a node
	count   func(h *cluster) (objects int, err error)        // counts what the cap limits
	each    int                                              // how many objects a call creates; 0 means 1
}

// TestCapsRace checks every cap with callers on two nodes who create objects at the same time.
// Exactly as many objects as the cap allows are created, and the other callers are refused with
// the code of the cap.
func TestCapsRace(t *testing.T) {
	t.Parallel()
	for _, c := range capCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			eachCluster(t, func(t *testing.T, h *cluster) {
				if c.before != nil {
					c.before(h)
				}
				had, err := c.count(h)
				if err != nil {
					t.Fatal(err)
				}
				errs := make([]error, c.callers)
				start := make(chan struct{})
				var all sync.WaitGroup
				for i := range errs {
					all.Go(func() {
						<-start
						errs[i] = c.create(h, h.nodes[i%2], i)
						for outOfTime(errs[i]) && h.Context().Err() == nil {
							errs[i] = c.create(h, h.nodes[i%2], i)
						}
					})
				}
				close(start)
				all.Wait()
				created := 0
				for _, err := range errs {
					var refusal *fault.Error
					switch {
					case err == nil:
						created += max(1, c.each)
					case !errors.As(err, &refusal) || refusal.Code != c.code:
						t.Errorf("got %v, want %s", err, c.code)
					}
				}
				if n, err := c.count(h); err != nil || n != c.cap || had+created != c.cap {
					t.Errorf("%d objects and %d created make %d, %v; want %d", had, created, n, err, c.cap)
				}
			})
		})
	}
}

// outOfTime reports whether a caller should try again. On a busy machine the writes of other callers can take
// longer than the store lets a caller wait.
func outOfTime(err error) bool {
	return fault.KindOf(err) == fault.Unavailable || errors.Is(err, context.DeadlineExceeded)
}

func capCases() []capCase {
	return []capCase{
		{
			name: "drafts", cap: most, callers: 3 * most, code: fault.CodeCapReached,
			create: func(h *cluster, node *usecase.Set, i int) error {
				draft := usecasetest.Draft(h.T, fmt.Sprintf(`{"name":"draft %d"}`, i))
				_, err := node.Policies.CreateRuleSet(h.Context(), h.admin, draft, nil)
				return err
			},
			count: func(h *cluster) (int, error) {
				n, err := h.scope().RuleSets(h.Context()).Drafts()
				return int(n), err
			},
		},
		{
			name: "scorecards", cap: most, callers: 3 * most, code: fault.CodeCapReached,
			create: func(h *cluster, node *usecase.Set, i int) error {
				// Give each card its own name, because the versions of one name are always stored one after
				// the other.
				card, err := engine.ReadScorecard(usecasetest.Parse(h.T, fmt.Sprintf(`{
					"name":"card %d","base_points":600,
					"factors":[{"factor":"f","field":"bureau_score","bins":[
						{"lt":650,"points":0},{"gte":650,"points":10}]}]}`, i)), field.Catalogue())
				if err != nil {
					return err
				}
				_, err = node.Policies.CreateScorecard(h.Context(), h.admin, card, nil)
				return err
			},
			count: func(h *cluster) (int, error) {
				n, err := h.scope().Scorecards(h.Context()).Count()
				return int(n), err
			},
		},
		{
			name: "block list", cap: most, callers: 3 * most, code: fault.CodeCapReached,
			create: func(h *cluster, node *usecase.Set, i int) error {
				_, err := node.Fraud.Block(h.Context(), h.admin,
					frauddesk.NewBlock{Kind: signal.KindMobile, Value: fmt.Sprint(9820012000 + i)}, nil)
				return err
			},
			count: func(h *cluster) (int, error) {
				n, err := h.scope().Blocklist(h.Context()).Count()
				return int(n), err
			},
		},
		{
			name: "pincode risks", cap: store.MaxPincodeRisks, callers: 8, code: fault.CodeTooMany,
			each: signal.MaxPincodeEntries,
			create: func(h *cluster, node *usecase.Set, i int) error {
				entries := make([]signal.PincodeRisk, signal.MaxPincodeEntries)
				for k := range entries {
					pincode := 110000 + i*len(entries) + k
					entries[k] = signal.PincodeRisk{Pincode: fmt.Sprint(pincode), Risk: signal.RiskHigh}
				}
				_, err := node.Fraud.SetPincodeRisks(h.Context(), h.admin, entries, false)
				return err
			},
			count: countPincodes,
		},
		{
			name: "keys", cap: most, callers: 3 * most, code: fault.CodeTooManyKeys,
			create: createKey, count: countKeys,
		},
		{
			name: "people", cap: store.MaxPage, callers: 30, code: fault.CodeTooManyPeople,
			before: fillPeople, create: createPerson, count: countPeople,
		},
		{
			// Each exposure takes a kilobyte of the storage that the plan allows.
			name: "stored bytes", cap: most, callers: 3 * most, code: fault.CodeCapReached,
			before: func(h *cluster) {
				stored, err := h.scope().StoredBytes(h.Context()).Sum()
				if err != nil {
					h.Fatal(err)
				}
				h.admin.Plan.StoredBytes = stored + most<<10
			},
			create: func(h *cluster, node *usecase.Set, i int) error {
				_, err := node.Exposures.Report(h.Context(), h.admin, exposuredesk.NewReport{
					ApplicantRef: fmt.Sprintf("P-%d", i), HasOutstanding: true,
					Loan: exposure.Loan{Product: "gold", OutstandingPaise: 100},
				}, nil)
				return err
			},
			count: func(h *cluster) (int, error) {
				rows, _, err := h.scope().Exposures(h.Context()).List("", store.Page{})
				return len(rows), err
			},
		},
		{
			name: "reviews", cap: store.MaxReviews, callers: store.MaxReviews + 10, code: fault.CodeCapReached,
			before: func(h *cluster) { h.decision = h.Decided(h.T, usecasetest.Sample) },
			create: func(h *cluster, node *usecase.Set, _ int) error {
				_, err := node.Decisions.Reviews.Add(h.Context(), h.admin, h.decision,
					decisioning.NewReview{Outcome: "upheld"}, nil)
				return err
			},
			count: func(h *cluster) (int, error) {
				shown, err := h.Service.Decisions.Decision(h.Context(), h.admin, h.decision)
				return len(shown.Reviews), err
			},
		},
	}
}

func countPincodes(h *cluster) (n int, err error) {
	for list := (operation.List{Limit: operation.MaxLimit}); ; {
		page, err := h.Service.Fraud.PincodeRisks(h.Context(), h.admin, frauddesk.PincodeFilter{}, list)
		if err != nil || page.NextCursor == "" {
			return n + len(page.Data), err
		}
		n, list.Cursor = n+len(page.Data), page.NextCursor
	}
}

// createKey creates a key in one of the three ways in which a tenant gets further keys.
func createKey(h *cluster, node *usecase.Set, i int) (err error) {
	name := fmt.Sprint("key ", i)
	switch i % 3 {
	case 0:
		_, _, err = node.People.CreateAPIKey(h.Context(), h.admin,
			account.NewAPIKey{Environment: tenant.Live, Name: name, Scopes: tenant.Read})
	case 1:
		_, _, err = node.Operator.CreateKey(h.Context(), account.NewKey{
			TenantID: h.admin.TenantID, UserID: h.admin.UserID, Environment: tenant.Sandbox, Name: name,
			Scopes: tenant.Read,
		})
	default:
		_, _, err = node.People.RotateAPIKey(h.Context(), h.admin, h.Signed.KeyID, 0)
	}
	return err
}

// countKeys counts the keys that work. A rotated key still works for a day.
func countKeys(h *cluster) (n int, err error) {
	keys, err := h.Service.Operator.Keys(h.Context(), h.admin.TenantID)
	for i := range keys {
		if keys[i].Check(usecasetest.NewClock().Now()) == nil {
			n++
		}
	}
	return n, err
}

// fillPeople adds people until the tenant can have only ten more.
func fillPeople(h *cluster) {
	h.Helper()
	for i := range store.MaxPage - 11 { // ten places stay free, and the admin exists already
		u := store.User{
			ID: fmt.Sprintf("usr_%03d", i), TenantID: h.admin.TenantID, Email: fmt.Sprintf("p%d@example.in", i),
			Role: "viewer", CreatedMicros: 1,
		}
		if err := h.db.Accounts().InsertUser(h.Context(), u, store.RightsChange{}, store.AuditEntry{}); err != nil {
			h.Fatal(err)
		}
	}
}

// createPerson creates or invites a person, the two ways in which a tenant gets further people.
func createPerson(h *cluster, node *usecase.Set, i int) (err error) {
	email := fmt.Sprintf("new%d@example.in", i)
	if i%4 < 2 {
		_, err = node.Operator.CreateUser(h.Context(), h.admin.TenantID, email,
			tenant.NewSecret(usecasetest.Password), tenant.RoleViewer)
		return err
	}
	_, _, err = node.People.Invite(h.Context(), h.admin, email, tenant.RoleViewer)
	return err
}

func countPeople(h *cluster) (int, error) {
	invited, err := h.Service.People.Invitations(h.Context(), h.admin)
	if err != nil {
		return 0, err
	}
	people, err := h.Service.People.List(h.Context(), h.admin)
	return len(people) + len(invited), err
}
