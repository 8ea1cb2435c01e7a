//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package batchdesk_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/batchdesk"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// ended checks that a batch of 20 rows is over. The argument decided is the number of rows that must be decided and
// billed. The other rows must have the error code.
func ended(t *testing.T, service *usecase.Set, reader tenant.Principal, id string, decided int64, code string) {
	t.Helper()
	batch, err := service.Batches.Get(t.Context(), reader, id)
	if err != nil {
		t.Fatal(err)
	}
	usage, err := service.Decisions.Usage.Current(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	if batch.Status != batchdesk.Completed || batch.Counts.Statuses["APPROVED"] != decided || usage.Used != decided ||
		batch.Counts.Errors[code] != 20-decided {
		t.Errorf("%d units are used, the batch is %+v", usage.Used, batch)
	}
}

// TestCreatorWithoutRights takes the rights from the creator of a batch between its two chunks.
func TestCreatorWithoutRights(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		decided int64
		code    string // the error code of the rows of the second chunk
		creator func(t *testing.T, h *usecasetest.House) tenant.Principal
		change  func(t *testing.T, h *usecasetest.House, clock *usecasetest.Clock, creator tenant.Principal) error
	}{
		{
			name: "the key is revoked", decided: 10, code: "key_revoked",
			creator: func(_ *testing.T, h *usecasetest.House) tenant.Principal { return h.Caller },
			change: func(t *testing.T, h *usecasetest.House, _ *usecasetest.Clock, creator tenant.Principal) error {
				_, err := h.Service.Operator.RevokeKey(t.Context(), creator.TenantID, creator.KeyID)
				return err
			},
		},
		{
			name: "the key expires", decided: 20,
			creator: func(t *testing.T, h *usecasetest.House) tenant.Principal {
				_, key, err := h.Service.Operator.CreateKey(t.Context(), account.NewKey{
					TenantID: h.Caller.TenantID, UserID: h.Signed.UserID, Environment: tenant.Sandbox, Name: "nightly",
					Scopes: tenant.Decide, ExpiresAt: usecasetest.NewClock().Now().Add(time.Hour),
				})
				if err != nil {
					t.Fatal(err)
				}
				return key.Principal(h.Caller.Plan)
			},
			change: func(_ *testing.T, _ *usecasetest.House, clock *usecasetest.Clock, _ tenant.Principal) error {
				clock.Pass(2 * time.Hour)
				return nil
			},
		},
		{
			name: "the person is disabled", decided: 10, code: "insufficient_scope",
			creator: colleague,
			change: func(t *testing.T, h *usecasetest.House, _ *usecasetest.Clock, creator tenant.Principal) error {
				return h.Service.People.DisableUser(t.Context(), h.Admin(), creator.UserID, false)
			},
		},
		{
			name: "the person becomes a viewer", decided: 10, code: "insufficient_scope",
			creator: colleague,
			change: func(t *testing.T, h *usecasetest.House, _ *usecasetest.Clock, creator tenant.Principal) error {
				return h.Service.People.SetRole(t.Context(), h.Admin(), creator.UserID, tenant.RoleViewer)
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				q, clock := &queue{}, usecasetest.NewClock()
				h := usecasetest.Open(t, db, usecase.Options{
					ChunkQueue: q, Now: clock.Now, Batches: batchdesk.Limits{ChunkRows: 10},
				})
				creator := c.creator(t, h)
				reader := h.Admin()
				reader.Environment = creator.Environment
				started := start(t, h.Service, creator, lines(20))
				for i, chunk := range q.take() {
					if i == 1 {
						if err := c.change(t, h, clock, creator); err != nil {
							t.Fatal(err)
						}
					}
					if err := h.Service.RunChunk(t.Context(), chunk); err != nil {
						t.Fatal(err)
					}
				}
				ended(t, h.Service, reader, started.ID, c.decided, c.code)
			})
		})
	}
}

// colleague returns the principal of another person of the tenant who may decide.
func colleague(_ *testing.T, h *usecasetest.House) tenant.Principal {
	session, _ := h.Join(h.Admin(), "ravi@example.in", tenant.RoleRisk)
	return session.Principal(tenant.Sandbox)
}

// TestRevokedWhileDeciding revokes the key while the rows of a chunk are decided. The rows that begin more than a
// second later are refused.
func TestRevokedWhileDeciding(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q, at := &queue{}, &hook{clock: usecasetest.NewClock()}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q, Now: at.now})
		reader := h.Admin()
		reader.Environment = h.Caller.Environment
		const rows = 900
		started := start(t, h.Service, h.Caller, lines(rows))
		chunk := q.take()[0]
		var reads atomic.Int64
		at.set(func() {
			if reads.Add(1) != rows/2 { // some rows are decided by now
				return
			}
			at.set(nil)
			if _, err := h.Service.Operator.RevokeKey(t.Context(), h.Caller.TenantID, h.Caller.KeyID); err != nil {
				t.Error(err)
			}
			at.clock.Pass(2 * time.Second)
		})
		err := operation.ErrUnfinished
		for errors.Is(err, operation.ErrUnfinished) {
			err = h.Service.RunChunk(t.Context(), chunk)
		}
		if err != nil {
			t.Fatal(err)
		}
		batch, err := h.Service.Batches.Get(t.Context(), reader, started.ID)
		if err != nil {
			t.Fatal(err)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), reader)
		if err != nil {
			t.Fatal(err)
		}
		refused := batch.Counts.Errors["key_revoked"]
		if refused == 0 || usage.Used == 0 || usage.Used+refused != rows ||
			batch.Counts.Statuses["APPROVED"] != usage.Used {
			t.Errorf("%d units are used, the batch is %+v", usage.Used, batch)
		}
	})
}

// TestDeleted deletes batches, and checks that their chunks are deleted and their decisions are not.
func TestDeleted(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		q := &queue{}
		h := usecasetest.Open(t, db, usecase.Options{ChunkQueue: q, Batches: batchdesk.Limits{ChunkRows: 2}})
		_, other := h.Signup("ravi@example.in")
		bytes := func() int64 {
			t.Helper()
			n, err := db.Scope(h.Caller.TenantID, "sandbox").StoredBytes(t.Context()).Sum()
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		before := bytes()
		started := start(t, h.Service, h.Caller, lines(20))
		chunks := q.take()
		remove := func(caller tenant.Principal) string {
			return usecasetest.CodeOf(h.Service.Batches.Delete(t.Context(), caller, started.ID))
		}
		if code := remove(h.Caller); code != "invalid_transition" {
			t.Errorf("deleting a queued batch: %q", code)
		}
		for _, chunk := range chunks {
			if err := h.Service.RunChunk(t.Context(), chunk); err != nil {
				t.Fatal(err)
			}
		}
		if bytes() == before {
			t.Error("the results take no space")
		}
		reader := h.Caller
		reader.Scopes = tenant.Read
		for caller, want := range map[*tenant.Principal]string{&other: "not_found", &reader: "insufficient_scope"} {
			if code := remove(*caller); code != want {
				t.Errorf("deleting is answered with %q instead of %q", code, want)
			}
		}
		wantEachOnce(t, h.Service, h.Caller, started.ID, 20)
		if code := remove(h.Caller); code != "" {
			t.Errorf("deleting a batch that is over: %q", code)
		}
		if code := remove(h.Caller); code != "not_found" || bytes() != before {
			t.Errorf("deleting again: %q; %d bytes were stored before, %d after", code, before, bytes())
		}
		if err := h.Service.RunChunk(t.Context(), chunks[0]); err != nil {
			t.Errorf("a worker that comes late: %v", err)
		}
		page, err := h.Service.Batches.List(t.Context(), h.Caller, "", operation.List{Limit: 10})
		if err != nil || len(page.Data) > 0 {
			t.Errorf("the batches are %v, %v", page.Data, err)
		}
		usage, err := h.Service.Decisions.Usage.Current(t.Context(), h.Caller)
		if err != nil || usage.Used != 20 {
			t.Errorf("%d units are used, %v", usage.Used, err)
		}
		want := h.Caller.KeyID + " batch.deleted"
		if logged := h.Logged(h.Caller, started.ID); len(logged) != 2 || logged[0] != want {
			t.Errorf("the audit trail has %v", logged)
		}
	})
}
