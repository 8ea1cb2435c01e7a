//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"verdict/internal/agentdesk"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

// keepRun stores a run about a borrower and returns its id.
func (c *cluster) keepRun(node int, borrower string) string {
	c.Helper()
	run, err := c.nodes[node].Agents.KeepAgentRun(c.Context(), c.Caller, "collections",
		func(decisioning.RunHead, time.Time) (agentdesk.RunRecord, error) {
			return agentdesk.RunRecord{
				Agent: "collections", SubjectRef: borrower, Outcome: "CALL", Hash: "h",
				Request: []byte(`{"a":1}`), Response: []byte(`{"b":2}`),
			}, nil
		}, nil)
	if err != nil {
		c.Fatal(err)
	}
	return run.ID
}

// TestRunErasedMeanwhile reads a run, erases its subject, and then opens the run that it has read. The run must
// count as erased, not as damaged.
func TestRunErasedMeanwhile(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.keepRun(0, "B-1")
		for node := range c.nodes {
			if run, err := c.nodes[node].Agents.AgentRun(t.Context(), c.Caller, id); err != nil ||
				string(run.Response) != `{"b":2}` {
				t.Fatalf("node %d: the run is %+v, %v", node, run, err)
			}
		}
		before, err := c.scope().Runs(t.Context()).Get(id)
		if err != nil {
			t.Fatal(err)
		}
		c.mustErase(0, "B-1")
		// Use node 0, because node 1 still has the key and could open the copy that was read before the erasure.
		if err := c.nodes[0].Privacy.OpenRun(t.Context(), c.scope(), &before); fault.CodeOf(err) != fault.CodeErased {
			t.Errorf("opening the run: %v", err)
		}
	})
}

// TestAnswerErasedMeanwhile seals an answer about a decision, erases the applicant, and then opens the answer. The
// answer must count as erased, not as damaged.
func TestAnswerErasedMeanwhile(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.decide(0, "A-1")
		before, err := c.scope().Decisions(t.Context()).Get(id)
		if err != nil {
			t.Fatal(err)
		}
		key := store.IdempotencyKey{Route: "POST /v1/decisions", Name: "k"}
		sealed, err := c.nodes[0].Privacy.SealAnswer(t.Context(), c.scope(), key, &before, []byte(`{"c":3}`))
		if err != nil {
			t.Fatal(err)
		}
		open := func() ([]byte, error) {
			return c.nodes[0].Privacy.OpenAnswer(t.Context(), c.scope(), key, &before, sealed)
		}
		if body, err := open(); err != nil || string(body) != `{"c":3}` {
			t.Fatalf("the answer is %s, %v", body, err)
		}
		c.mustErase(0, "A-1")
		if _, err := open(); fault.CodeOf(err) != fault.CodeErased {
			t.Errorf("opening the answer: %v", err)
		}
	})
}

// TestResumeGoesOn interrupts erasures of two tenants and makes the key tree of the first tenant unreadable. Resume
// must report an error for the first tenant and complete the erasure of the second tenant.
func TestResumeGoesOn(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		_, other := c.Signup("ravi@example.in")
		damaged, readable := c.Caller, other
		if readable.TenantID < damaged.TenantID { // Resume takes tenants in the order of their ids
			damaged, readable = readable, damaged
		}
		for _, p := range []tenant.Principal{damaged, readable} {
			c.interrupt(p)
		}
		// Only the tenant of a tree can decrypt it.
		c.damage(`UPDATE key_trees SET tree = (SELECT t.tree FROM key_trees t WHERE t.tenant_id = '` +
			readable.TenantID + `') WHERE tenant_id = '` + damaged.TenantID + `'`)
		fresh, err := usecase.New(c.db, usecase.Options{
			Now: usecasetest.NewClock().Now, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
		})
		if err != nil {
			t.Fatal(err)
		}
		completed, err := fresh.Privacy.Resume(t.Context())
		if completed != 1 || err == nil || !strings.Contains(err.Error(), damaged.TenantID) {
			t.Errorf("completed %d, %v", completed, err)
		}
		page, err := fresh.Privacy.Erasures(t.Context(), readable, operation.List{Limit: 10})
		if err != nil || len(page.Data) != 1 || page.Data[0].State != privacydesk.Completed {
			t.Errorf("the erasures are %+v, %v", page, err)
		}
	})
}

// interrupt begins an erasure for a caller and cancels it after the first batch.
func (c *cluster) interrupt(p tenant.Principal) {
	c.Helper()
	for range 3 {
		if _, err := c.tryDecide(0, p, "A-long"); err != nil {
			c.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	c.nodes[0].Privacy.SetBatch(1, cancel)
	if _, err := c.nodes[0].Privacy.Erase(ctx, p,
		privacydesk.NewErasure{ApplicantRef: "A-long", Reason: "consent_withdrawn"}, nil); err == nil {
		c.Fatal("the erasure was not interrupted")
	}
}

// damage changes one stored row with a statement, bypassing package store and the triggers of decisions.
func (c *cluster) damage(statement string) {
	c.Helper()
	before := []string{"DROP TRIGGER decisions_unchanged", "DROP TRIGGER decisions_leaf_unchanged"}
	if c.db.Kind() != "sqlite" {
		before = []string{
			"ALTER TABLE decisions DISABLE TRIGGER USER", "SELECT set_config('verdict.role', 'system', true)",
		}
	}
	tx, err := storetest.Raw(c.T, c.url).BeginTx(c.Context(), nil)
	if err != nil {
		c.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	for _, text := range before {
		if _, err := tx.ExecContext(c.Context(), text); err != nil {
			c.Fatal(err)
		}
	}
	result, err := tx.ExecContext(c.Context(), statement)
	if err != nil {
		c.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		c.Fatalf("changed %d rows, %v", n, err)
	}
	if err := tx.Commit(); err != nil {
		c.Fatal(err)
	}
}

// TestKeysBusy makes the keys change before each last transaction of an erasure. The erasure gives up after
// MaxKeyTries attempts.
func TestKeysBusy(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.decide(0, "A-1")
		tries := 0
		_, err := c.nodes[0].Privacy.EraseWith(t.Context(), c.scope(), store.Person{ApplicantRef: "A-1"},
			func(context.Context, func(*store.Tx) (privacydesk.Erasure, error)) (privacydesk.Erasure, error) {
				if tries++; tries > 10*operation.MaxKeyTries {
					return privacydesk.Erasure{}, errors.New("the test ends the attempts")
				}
				return privacydesk.Erasure{}, store.ErrKeysChanged
			})
		if fault.CodeOf(err) != fault.CodeUnavailable || tries != operation.MaxKeyTries {
			t.Errorf("%d attempts, then %v", tries, err)
		}
	})
}

// TestErasedOutcomeUnreadable damages the outcome that remains of an erased decision. Reading the decision must then
// return a defect, because a score or a limit of 0 would be an invented outcome.
func TestErasedOutcomeUnreadable(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		id := c.decide(0, "A-1")
		c.mustErase(0, "A-1")
		if d, erased := c.read(0, id); !erased || d.Kept.Score == 0 {
			t.Fatalf("the decision is %+v", d.Kept)
		}
		c.damage(`UPDATE decisions SET plain = '{}' WHERE id = '` + id + `'`)
		_, err := c.nodes[0].Decisions.Decision(t.Context(), c.Caller, id)
		if !errors.As(err, new(operation.Defect)) {
			t.Errorf("reading the decision: %v", err)
		}
	})
}
