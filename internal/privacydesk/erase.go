package privacydesk

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Erase erases everything that is stored about a person, and returns the receipt. It returns
// NotFound if nothing is held. If the person is being erased already, it helps to complete that
// erasure and returns its receipt. If the erasure must wait, it is stored as deferred, and carried out
// when it need not wait any more; a person has at most one such erasure.
func (s *Service) Erase(
	ctx context.Context, p tenant.Principal, n NewErasure, r *operation.Reply[Erasure],
) (Erasure, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Erasure{}, err
	}
	var faults fault.List
	n.Check(&faults)
	if err := faults.Err(); err != nil {
		return Erasure{}, err
	}
	scope := s.core.Scope(p)
	return operation.WriteInSteps(ctx, s.core, scope, r, func(commit operation.Commit[Erasure]) (Erasure, error) {
		person := store.Person{ApplicantRef: n.ApplicantRef, DecisionID: n.DecisionID}
		if err := s.checkHeld(ctx, scope, person); err != nil {
			return Erasure{}, err
		}
		id, now := s.core.NewID(tenant.KindErasure, s.core.Now())
		w := work{s: s, scope: scope, person: person, auditOf: func(action, id string, now time.Time) store.AuditEntry {
			return s.core.Audit(p, now, action, id, n.Reason)
		}, fresh: store.Erasure{
			ID:            id,
			State:         Running,
			Person:        person,
			Reason:        n.Reason,
			Actor:         operation.Actor(p),
			CreatedMicros: now.UnixMicro(),
			StartedLeaf:   -1,
			Leaf:          -1,
		}}
		return w.runOrDefer(ctx, commit)
	})
}

// checkHeld returns NotFound if nothing is held about a person, and Invalid if the decision that
// names the person names an applicant.
func (s *Service) checkHeld(ctx context.Context, scope *store.Scope, p store.Person) error {
	if p.DecisionID != "" {
		if !tenant.Valid(tenant.KindDecision, p.DecisionID) {
			return operation.Missing("decision")
		}
		d, err := scope.Decisions(ctx).Get(p.DecisionID)
		if err != nil {
			return err
		}
		if d.ApplicantRef != "" {
			return operation.Invalid("/decision_id", fault.CodeInvalidField, "the decision names an applicant; "+
				"send applicant_ref, which erases everything that is held about the applicant")
		}
	}
	held, err := scope.Erasures(ctx).Held(p, 1)
	if err != nil || !held.Empty() {
		return err
	}
	if _, open, err := scope.Erasures(ctx).Open(p); err != nil || open {
		return err
	}
	return nothingHeld()
}

func nothingHeld() error {
	return fault.New(fault.NotFound, fault.CodeNotFound,
		"nothing is held about this applicant; GET /v1/erasures lists earlier erasures")
}

// work is an erasure in progress.
type work struct {
	s      *Service
	scope  *store.Scope
	person store.Person
	fresh  store.Erasure // stored if there is no erasure of the person yet; zero if there must be one
	// auditOf returns the entry of an action in the audit trail.
	auditOf func(action, id string, now time.Time) store.AuditEntry

	resumed   bool           // nobody waits for the result
	alias     string         // replaces the reference in the fraud counters; "" until it is known
	offerDays map[string]int // how long offers under a rule set are valid, of the rule sets that were read
}

// errMore rolls back a transaction that finds more than it can erase or prepared for.
var errMore = errors.New("more is held than was prepared for")

// run erases batch by batch. The transaction that commit runs empties the last documents, removes the
// keys and completes the erasure.
func (w *work) run(ctx context.Context, commit operation.Commit[Erasure]) (Erasure, error) {
	for {
		held, err := w.held(ctx)
		if err != nil {
			return Erasure{}, err
		}
		if len(held.Decisions) > w.s.batch || len(held.Runs) > w.s.batch {
			err := w.retry(ctx, w.scope.Write(ctx, w.step))
			if err != nil && !errors.Is(err, errMore) {
				return Erasure{}, err
			}
			w.s.emptied()
			continue
		}
		last, err := w.prepare(ctx, &held)
		if err != nil {
			return Erasure{}, err
		}
		done, err := commit(ctx, last.complete)
		if err = w.retry(ctx, err); errors.Is(err, errMore) {
			continue
		}
		if err == nil {
			_, err = w.s.core.Keys.Reload(ctx, w.scope.Tenant())
		}
		return done, err
	}
}

// retry returns errMore, so that the caller tries again, if another erasure has changed the keys in the
// meantime.
func (w *work) retry(ctx context.Context, err error) error {
	if !errors.Is(err, store.ErrKeysChanged) {
		return err
	}
	if _, err := w.s.core.Keys.Reload(ctx, w.scope.Tenant()); err != nil {
		return err
	}
	return errMore
}

// held returns what is held, one decision and one run more than a batch. Decisions from before the
// journal get their entries first, because their hashes must remain.
func (w *work) held(ctx context.Context) (store.Held, error) {
	held, err := w.scope.Erasures(ctx).Held(w.person, w.s.batch+1)
	if err != nil {
		return held, err
	}
	var older []string
	for _, d := range held.Decisions {
		if d.Leaf < 0 {
			older = append(older, d.ID)
		}
	}
	return held, w.s.decisions.AddEntries(ctx, w.scope, older)
}

// current returns the erasure of the person that is not completed, or the fresh one. It returns NotFound
// if there is neither: an interrupted erasure was completed by another node, and whatever is held now
// came later. It returns errChanged if the erasure is not running yet and must wait.
func (w *work) current(tx *store.Tx) (store.Erasure, error) {
	e, open, err := tx.Erasures().Open(w.person)
	switch {
	case err != nil || open && e.State == Running:
		return e, err
	case !open && w.fresh.ID == "":
		return e, operation.Missing("erasure that is not completed")
	case !open:
		e = w.fresh
	}
	return e, w.begin(tx, &e)
}

// step empties one batch.
func (w *work) step(tx *store.Tx) error {
	keys, err := w.keys(tx)
	if err != nil {
		return err
	}
	e, err := w.current(tx)
	if err != nil {
		return err
	}
	held, err := tx.Erasures().Held(w.person, w.s.batch)
	if err != nil {
		return err
	}
	if err := w.empty(tx, keys, &e, &held); err != nil {
		return err
	}
	return tx.Erasures().Put(&e)
}

// keys returns the key trees of the tenant, and locks the scope. It returns store.ErrKeysChanged if
// they are not the current ones.
func (w *work) keys(tx *store.Tx) (*journal.Tree, error) {
	keys, ok := w.s.core.Keys.Cached(w.scope.Tenant())
	if !ok {
		return nil, store.ErrKeysChanged
	}
	return keys, tx.CheckKeys(keys.Changes(w.scope.Environment()))
}

// empty empties what is held, and notes in e which trees its keys are from, and what replaces the
// reference.
func (w *work) empty(tx *store.Tx, keys *journal.Tree, e *store.Erasure, held *store.Held) error {
	replacement := func(head []byte) string {
		number := keys.TreeOf(head)
		if name := strconv.FormatInt(number, 10); !slices.Contains(strings.Fields(e.Trees), name) {
			e.Trees = strings.TrimSpace(e.Trees + " " + name)
		}
		if w.person.ApplicantRef == "" {
			return ""
		}
		ref := keys.Replacement(number, w.scope.Environment(), w.person.ApplicantRef)
		if !slices.Contains(e.Refs, ref) {
			e.Refs = append(e.Refs, ref)
			e.StartedLeaf = -1 // the journal must name every replacement before a row has it
		}
		return ref
	}
	for _, d := range held.Decisions {
		if d.Leaf < 0 {
			return errMore // it was stored by a node of an earlier version in the meantime
		}
		if err := tx.Erasures().EmptyDecision(d.ID, replacement(d.Head), &e.Counts); err != nil {
			return err
		}
	}
	for _, r := range held.Runs {
		if err := tx.Erasures().EmptyRun(r.ID, replacement(r.Head), &e.Counts); err != nil {
			return err
		}
	}
	return nil
}

// lastStep is the transaction that completes an erasure.
type lastStep struct {
	*work

	numbers []int64 // the trees from which the keys are removed
	changes []store.TreeChange
}

// prepare computes the changes of the key trees before the transaction, because a tree can be large.
func (w *work) prepare(ctx context.Context, held *store.Held) (*lastStep, error) {
	keys, err := w.s.core.Keys.Tree(ctx, w.scope.Tenant())
	if err != nil {
		return nil, err
	}
	e, _, err := w.scope.Erasures(ctx).Open(w.person)
	if err != nil {
		return nil, err
	}
	last := &lastStep{work: w}
	for _, d := range held.Decisions {
		last.numbers = append(last.numbers, keys.TreeOf(d.Head))
	}
	for _, r := range held.Runs {
		last.numbers = append(last.numbers, keys.TreeOf(r.Head))
	}
	for name := range strings.FieldsSeq(e.Trees) {
		number, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return nil, operation.AsDefect(err)
		}
		last.numbers = append(last.numbers, number)
	}
	slices.Sort(last.numbers)
	last.numbers = slices.Compact(last.numbers)
	last.changes, err = w.s.core.Keys.Remove(ctx, w.scope.Tenant(), w.scope.Environment(), w.person, last.numbers)
	if err == nil {
		err = w.findAlias(ctx)
	}
	return last, err
}

// complete empties what is left, removes the keys and stores the receipt. It returns errMore if more is
// held than was prepared for.
func (l *lastStep) complete(tx *store.Tx) (Erasure, error) {
	keys, err := l.keys(tx)
	if err != nil {
		return Erasure{}, err
	}
	e, err := l.current(tx)
	if err != nil {
		return Erasure{}, err
	}
	held, err := tx.Erasures().Held(l.person, l.s.batch+1)
	switch {
	case err != nil:
		return Erasure{}, err
	case len(held.Decisions) > l.s.batch || len(held.Runs) > l.s.batch:
		return Erasure{}, errMore
	case held.Empty() && e.ID == l.fresh.ID:
		// Another request has completed the erasure.
		return Erasure{}, fault.New(fault.NotFound, fault.CodeNotFound, "nothing is held about this applicant any "+
			"more; another request has erased it, and GET /v1/erasures lists the receipt")
	}
	if err := l.empty(tx, keys, &e, &held); err != nil {
		return Erasure{}, err
	}
	for name := range strings.FieldsSeq(e.Trees) {
		if number, err := strconv.ParseInt(name, 10, 64); err != nil || !slices.Contains(l.numbers, number) {
			return Erasure{}, errMore
		}
	}
	if l.person.ApplicantRef != "" {
		if err := tx.Erasures().HideMember(l.person.ApplicantRef, l.alias, &e.Counts); err != nil {
			return Erasure{}, err
		}
	}
	if err := tx.ChangeTrees(l.changes); err != nil {
		return Erasure{}, err
	}
	now := l.s.core.Moment()
	e.State, e.ErasedMicros = Completed, now.UnixMicro()
	if err := tx.Erasures().Put(&e); err != nil {
		return Erasure{}, err
	}
	return receipt(&e, store.KeyEpochs{}), tx.Audit().Add(l.auditOf(operation.ActionErased, e.ID, now))
}
