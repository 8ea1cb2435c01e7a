package privacydesk

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// forgottenBatch is the number of rows that EraseForgotten reads at a time.
const forgottenBatch = 500

// ForgottenReason is the reason of an erasure that EraseForgotten makes. The reason of the first erasure is not
// known, because its receipt was stored after the backup was taken.
const ForgottenReason = "other"

// EraseForgotten erases again all people who were erased after the backup from which the database was restored, and
// returns their number. Their keys are missing, so their documents cannot be decrypted, but their references are
// readable. EraseForgotten reads every decision, run and exposure. If it is interrupted, the next call continues.
func (s *Service) EraseForgotten(ctx context.Context) (people int64, err error) {
	for after := ""; ; {
		tenants, err := s.core.DB.Accounts().ListTenants(ctx, after)
		if err != nil || len(tenants) == 0 {
			return people, err
		}
		for _, t := range tenants {
			if _, err := s.core.Keys.Reload(ctx, t.ID); err != nil {
				return people, err
			}
			for _, e := range tenant.Environments() {
				f := forgotten{s: s, scope: s.core.DB.Scope(t.ID, string(e))}
				err := f.decisions(ctx)
				if err == nil {
					err = f.runs(ctx)
				}
				if err == nil {
					err = f.exposures(ctx)
				}
				if err == nil {
					err = f.others(ctx)
				}
				if people += f.people; err != nil {
					return people, err
				}
			}
		}
		after = tenants[len(tenants)-1].ID
	}
}

// forgotten erases forgotten people of a scope.
type forgotten struct {
	s      *Service
	scope  *store.Scope
	people int64
}

// decisions erases the forgotten people who are found by their decisions.
func (f *forgotten) decisions(ctx context.Context) error {
	leaves := journal.NewReader(f.scope)
	for before := ""; ; {
		rows, err := f.scope.Erasures(ctx).StoredBefore(before, forgottenBatch)
		if err != nil || len(rows) == 0 {
			return err
		}
		done := map[store.Person]bool{}
		for i := range rows {
			d := &rows[i]
			person := store.Person{ApplicantRef: d.ApplicantRef}
			if person.ApplicantRef == "" {
				person.DecisionID = d.ID
			}
			if done[person] {
				continue
			}
			reference, err := referenceOf(ctx, leaves, d.Leaf)
			if err != nil {
				return err
			}
			gone, err := f.s.core.Keys.Forgotten().Decision(ctx, f.scope, d, reference)
			if err == nil && gone {
				done[person] = true
				err = f.erase(ctx, person)
			}
			if err != nil {
				return err
			}
		}
		before = rows[len(rows)-1].ID
	}
}

// referenceOf returns the reference in a leaf, or the zero value if there is no leaf.
func referenceOf(ctx context.Context, leaves *journal.Reader, number int64) (sealing.Hash, error) {
	if number < 0 {
		return sealing.Hash{}, nil
	}
	leaf, err := leaves.Leaf(ctx, number)
	return leaf.Reference, err
}

// runs erases the forgotten people to whom a stored run of an agent refers.
func (f *forgotten) runs(ctx context.Context) error {
	for after := ""; ; {
		rows, next, err := f.scope.Runs(ctx).WithSealed(after, forgottenBatch)
		if err != nil {
			return err
		}
		done := map[store.Person]bool{}
		for i := range rows {
			person := store.Person{ApplicantRef: rows[i].SubjectRef}
			if person.ApplicantRef == "" {
				person.DecisionID = rows[i].DecisionID
			}
			if done[person] || person == (store.Person{}) { // a run about nobody is never erased
				continue
			}
			gone, err := f.s.core.Keys.Forgotten().Run(ctx, f.scope, &rows[i])
			if err == nil && gone {
				done[person] = true
				err = f.erase(ctx, person)
			}
			if err != nil {
				return err
			}
		}
		if after = next; after == "" {
			return nil
		}
	}
}

// exposures erases the forgotten people who are found by their exposures.
func (f *forgotten) exposures(ctx context.Context) error {
	for page := (store.Page{Limit: forgottenBatch}); ; {
		rows, more, err := f.scope.Exposures(ctx).List("", page)
		if err != nil {
			return err
		}
		done := map[store.Person]bool{}
		for i := range rows {
			person := store.Person{ApplicantRef: rows[i].ApplicantRef}
			if done[person] {
				continue
			}
			gone, err := f.s.core.Keys.Forgotten().Exposure(ctx, f.scope, &rows[i])
			if err == nil && gone {
				done[person] = true
				err = f.erase(ctx, person)
			}
			if err != nil {
				return err
			}
		}
		if !more {
			return nil
		}
		page.AfterMicros, page.AfterID = rows[len(rows)-1].CreatedMicros, rows[len(rows)-1].ID
	}
}

// erase erases a forgotten person.
func (f *forgotten) erase(ctx context.Context, p store.Person) error {
	id, now := f.s.core.NewID(tenant.KindErasure, f.s.core.Now())
	environment := f.scope.Environment()
	w := work{
		s: f.s, scope: f.scope, person: p, forgotten: true,
		auditOf: func(action, id string, now time.Time) store.AuditEntry {
			return f.s.core.AuditBy(operation.ActorOperator, environment, now, action, id, ForgottenReason)
		},
		fresh: store.Erasure{
			ID:            id,
			State:         Running,
			Person:        p,
			Reason:        ForgottenReason,
			Actor:         operation.ActorOperator,
			CreatedMicros: now.UnixMicro(),
			StartedLeaf:   -1,
			Leaf:          -1,
		},
	}
	_, err := w.run(ctx, w.commit)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return nil // another node was faster
	case err == nil:
		f.people++
	}
	return err
}

// commit runs do in a transaction. It is the operation.Commit of an erasure that no request has asked for.
func (w *work) commit(ctx context.Context, do func(*store.Tx) (Erasure, error)) (done Erasure, err error) {
	err = w.scope.Write(ctx, func(tx *store.Tx) error {
		done, err = do(tx)
		return err
	})
	return done, err
}

// lookUpForgotten finds the text that replaces the reference in the rows of a forgotten person. The first erasure
// replaced the reference by a keyed hash, and the key is gone. The leaf of a decision also has this hash as the
// reference. A run has no leaf: it gets the replacement of a decision, or a random one that is the same in all runs of
// the person.
func (w *work) lookUpForgotten(ctx context.Context, e *store.Erasure, held *store.Held) error {
	w.refs = map[string]string{}
	forRuns := ""
	if len(e.Refs) > 0 {
		forRuns = e.Refs[0]
	}
	leaves := journal.NewReader(w.scope)
	for _, d := range held.Decisions {
		if d.Leaf < 0 {
			continue // the entry is new; the next attempt of the erasure reads its leaf
		}
		reference, err := referenceOf(ctx, leaves, d.Leaf)
		if err != nil {
			return err
		}
		w.refs[d.ID] = hex.EncodeToString(reference[:])
		if forRuns == "" {
			forRuns = w.refs[d.ID]
		}
	}
	if forRuns == "" && len(held.People) > 0 {
		forRuns = journal.PersonReplacement(held.People[0].Plain, held.People[0].Role)
	}
	if forRuns == "" && len(held.Runs) > 0 {
		var random sealing.Hash
		if _, err := io.ReadFull(w.s.core.Random, random[:]); err != nil {
			return fmt.Errorf("generate a replacement: %w", err)
		}
		forRuns = hex.EncodeToString(random[:])
	}
	for _, r := range held.Runs {
		w.refs[r.ID] = forRuns
	}
	return nil
}
