//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// TestFailuresWait stores many erasures that fail. Their number exceeds the number that the service reads at a
// time. The erasure of another tenant comes after them and must still be carried out.
func TestFailuresWait(t *testing.T) {
	t.Parallel()
	for state, work := range map[string]func(*privacydesk.Service, context.Context) (int, error){
		privacydesk.Running:  (*privacydesk.Service).Resume,
		privacydesk.Deferred: (*privacydesk.Service).RunDeferred,
	} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			eachCluster(t, func(t *testing.T, c *cluster) {
				_, other := c.Signup("ravi@example.in")
				damaged, readable := c.Caller, other
				if readable.TenantID < damaged.TenantID { // Resume takes tenants in the order of their ids
					damaged, readable = readable, damaged
				}
				for _, p := range []tenant.Principal{damaged, readable} {
					if _, err := c.tryDecide(0, p, "A-0"); err != nil {
						t.Fatal(err)
					}
				}
				const many = 101
				c.putErasures(damaged, state, many, 1)
				c.putErasures(readable, state, 1, 2)
				// Only the tenant of a tree can decrypt it.
				c.damage(`UPDATE key_trees SET tree = (SELECT t.tree FROM key_trees t WHERE t.tenant_id = '` +
					readable.TenantID + `') WHERE tenant_id = '` + damaged.TenantID + `'`)
				fresh, err := usecase.New(c.db, usecase.Options{
					Now: c.clock.Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
				})
				if err != nil {
					t.Fatal(err)
				}
				if n, err := work(fresh.Privacy, t.Context()); n != 1 || err == nil {
					t.Errorf("completed %d, %v", n, err)
				}
				page, err := fresh.Privacy.Erasures(t.Context(), readable, operation.List{Limit: 10})
				if err != nil || len(page.Data) != 1 || page.Data[0].State != privacydesk.Completed {
					t.Errorf("the erasures are %+v, %v", page, err)
				}
				due := func() int {
					t.Helper()
					found, err := c.db.System().DueErasures(t.Context(), c.clock.Now().UnixMicro(), 2*many)
					if err != nil {
						t.Fatal(err)
					}
					return len(found)
				}
				if n := due(); n != 0 {
					t.Errorf("%d erasures are due immediately after they have failed", n)
				}
				c.clock.Pass(time.Hour)
				if n := due(); state == privacydesk.Deferred && n != many {
					t.Errorf("%d erasures are due an hour later, want %d", n, many)
				}
			})
		})
	}
}

// putErasures stores n erasures of different applicants of a tenant.
func (c *cluster) putErasures(p tenant.Principal, state string, n int, nextMicros int64) {
	c.Helper()
	if err := c.db.Scope(p.TenantID, string(p.Environment)).Write(c.Context(), func(tx *store.Tx) error {
		for i := range n {
			now := c.clock.Now().Add(time.Duration(i) * time.Millisecond)
			e := store.Erasure{
				ID: tenant.FirstID(tenant.KindErasure, now), State: state, Reason: "other", Actor: "key_1",
				Person:        store.Person{ApplicantRef: fmt.Sprintf("A-%d", i)},
				CreatedMicros: now.UnixMicro(), StartedLeaf: -1, Leaf: -1,
			}
			if state == privacydesk.Deferred {
				e.Basis, e.NextMicros = []string{privacydesk.BasisLegalHold}, nextMicros
			}
			if err := tx.Erasures().Put(&e); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		c.Fatal(err)
	}
}
