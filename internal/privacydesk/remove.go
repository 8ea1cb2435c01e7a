package privacydesk

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// lastStep is a transaction that empties everything that is left and removes keys.
type lastStep struct {
	*work

	removal journal.Removal
}

// prepare computes the changes of the key trees before the transaction.
func (w *work) prepare(ctx context.Context) (*lastStep, error) {
	last := &lastStep{work: w}
	var err error
	last.removal, err = w.s.core.Keys.Remove(ctx, w.scope.Tenant(), w.scope.Environment(), w.person, w.numbers)
	if err == nil {
		err = w.findAlias(ctx)
	}
	return last, err
}

// step empties what is left and removes the keys from some of the trees. After that no document has these keys,
// and no document can get them: new documents are sealed with the newest tree, whose keys are removed last, and
// the store refuses documents that were sealed before.
func (l *lastStep) step(tx *store.Tx) error {
	e, err := l.emptyRest(tx)
	if err != nil {
		return err
	}
	if e.State == Completed {
		return errMore // another request has completed the erasure
	}
	return tx.Erasures().Put(&e)
}

// complete empties what is left, removes the last keys and stores the receipt. It returns errMore if more is
// held than was prepared for. If another request has completed the erasure, it returns that receipt.
func (l *lastStep) complete(tx *store.Tx) (Erasure, error) {
	e, err := l.emptyRest(tx)
	if err != nil {
		return Erasure{}, err
	}
	if e.State == Completed {
		return receipt(&e, store.KeyEpochs{}), nil
	}
	if l.person.ApplicantRef != "" {
		if err := tx.Erasures().HideMember(l.person.ApplicantRef, l.alias, &e.Counts); err != nil {
			return Erasure{}, err
		}
		if err := tx.BatchJobs().Exclude(l.alias); err != nil {
			return Erasure{}, err
		}
	}
	now := l.s.core.Moment()
	e.State, e.ErasedMicros = Completed, now.UnixMicro()
	if err := tx.Erasures().Put(&e); err != nil {
		return Erasure{}, err
	}
	return receipt(&e, store.KeyEpochs{}), tx.Audit().Add(l.auditOf(operation.ActionErased, e.ID, now))
}

// emptyRest empties what is left and removes the keys. In the erasure that it returns, Trees lists the trees
// from which keys must still be removed. If another request has completed the erasure, emptyRest changes
// nothing and returns that erasure.
func (l *lastStep) emptyRest(tx *store.Tx) (store.Erasure, error) {
	if err := tx.KeyTrees().Check(l.keys.Changes(l.scope.Environment())); err != nil {
		return store.Erasure{}, err
	}
	e, open, err := l.current(tx)
	if err != nil {
		return e, err
	}
	held, err := tx.Erasures().Held(l.person, l.s.batch+1)
	switch {
	case err != nil:
		return e, err
	case held.Exceeds(l.s.batch):
		return e, errMore
	case held.Empty() && !open:
		return l.finished(tx)
	}
	if err := l.empty(tx, &e, &held); err != nil {
		return e, err
	}
	if l.forgotten {
		e.Trees = "" // the keys were removed before
	}
	numbers, err := treesOf(&e)
	if err != nil {
		return e, err
	}
	var left []string
	for _, number := range numbers {
		if !slices.Contains(l.numbers, number) {
			return e, errMore
		}
		if !slices.Contains(l.removal.Trees, number) {
			left = append(left, strconv.FormatInt(number, 10))
		}
	}
	e.Trees = strings.Join(left, " ")
	return e, tx.KeyTrees().Change(l.removal.Changes)
}

// finished returns the erasure of the person that another request has completed since this request began. It
// finds the erasure by the request's key, or by the replacement of the reference in a row that was held at the
// beginning.
func (l *lastStep) finished(tx *store.Tx) (store.Erasure, error) {
	e, found, err := l.s.ofRequest(tx.Erasures().ErasureReader, l.request)
	if err == nil && !found {
		e, found, err = tx.Erasures().Finished(l.person, &l.seen)
	}
	if err == nil && !found {
		err = fault.New(fault.NotFound, fault.CodeNotFound, "nothing is held about this applicant any "+
			"more; another request has erased it, and GET /v1/erasures lists the receipt")
	}
	return e, err
}
