package privacydesk

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Erase erases everything that is stored about a person, and returns the receipt. It returns NotFound if nothing is
// held. If the person is being erased already, Erase helps to complete that erasure and returns its receipt. If the
// erasure must wait, Erase stores it as deferred, and RunDeferred carries it out later. A person has at most one
// such erasure.
//
// If the node stops during the erasure, another node completes the erasure, but the answer to the request is lost. A
// repetition of the request with the same Idempotency-Key then gets the receipt.
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
		request, err := s.requestKey(ctx, scope, r)
		if err != nil {
			return Erasure{}, err
		}
		if done, found, err := s.ofRequest(scope.Erasures(ctx), request); err != nil || found {
			return repeated(ctx, commit, &done, err)
		}
		seen, err := s.checkHeld(ctx, scope, person)
		if err != nil {
			return Erasure{}, err
		}
		s.found()
		id, now := s.core.NewID(tenant.KindErasure, s.core.Now())
		auditOf := func(action, id string, now time.Time) store.AuditEntry {
			return s.core.Audit(p, now, action, id, n.Reason)
		}
		w := work{s: s, scope: scope, person: person, seen: seen, request: request, auditOf: auditOf,
			fresh: store.Erasure{
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

// requestKey returns a keyed hash of a request with an Idempotency-Key, and "" for any other request.
func (s *Service) requestKey(
	ctx context.Context, scope *store.Scope, r *operation.Reply[Erasure],
) (string, error) {
	if r == nil || r.Idempotency == nil {
		return "", nil
	}
	keyed, err := s.core.Keyed(ctx, operation.ScopeID{Tenant: scope.Tenant(), Environment: scope.Environment()})
	if err != nil {
		return "", err
	}
	once := r.Idempotency
	return keyed("erasure request", once.Route+"\x00"+once.Key+"\x00"+once.Hash), nil
}

// ofRequest returns the completed erasure of a request that was sent before and has no stored answer.
func (s *Service) ofRequest(from store.ErasureReader, request string) (e store.Erasure, found bool, err error) {
	if request == "" {
		return e, false, nil
	}
	return from.OfRequest(request, s.core.Now().Add(-operation.RememberFor).UnixMicro())
}

// repeated stores and returns the receipt of a completed erasure as the answer to a repeated request. If err is not
// nil, repeated returns err.
func repeated(
	ctx context.Context, commit operation.Commit[Erasure], e *store.Erasure, err error,
) (Erasure, error) {
	if err != nil {
		return Erasure{}, err
	}
	return commit(ctx, func(*store.Tx) (Erasure, error) { return receipt(e, store.KeyEpochs{}), nil })
}

// checkHeld returns NotFound if nothing is held about a person, and Invalid if the person is given by a decision
// that names an applicant. Otherwise it returns some of what is held.
func (s *Service) checkHeld(ctx context.Context, scope *store.Scope, p store.Person) (held store.Held, err error) {
	if operation.IsReplacement(p.ApplicantRef) {
		return held, nothingHeld()
	}
	if p.DecisionID != "" {
		if !tenant.Valid(tenant.KindDecision, p.DecisionID) {
			return held, fault.Missing("decision")
		}
		d, err := scope.Decisions(ctx).Get(p.DecisionID)
		if err != nil {
			return held, err
		}
		if d.ApplicantRef != "" {
			return held, operation.Invalid("/decision_id", fault.CodeInvalidField, "the decision names an applicant; "+
				"send applicant_ref, which erases everything that is held about the applicant")
		}
	}
	held, err = scope.Erasures(ctx).Held(p, 1)
	if err != nil || !held.Empty() {
		return held, err
	}
	if _, open, err := scope.Erasures(ctx).Open(p); err != nil || open {
		return held, err
	}
	return held, nothingHeld()
}

func nothingHeld() error {
	return fault.New(fault.NotFound, fault.CodeNotFound,
		"nothing is held under this reference; GET /v1/erasures lists earlier erasures. Older decisions "+
			"have the data of a co-applicant or guarantor only under the reference of the primary applicant")
}

// work is an erasure in progress.
type work struct {
	s      *Service
	scope  *store.Scope
	person store.Person
	seen   store.Held // some of what was held at the beginning
	// request is a keyed hash of the request, if it has an Idempotency-Key.
	request string
	fresh   store.Erasure // stored if the person has no open erasure; zero if no new erasure may be stored
	// auditOf returns the entry of an action in the audit trail.
	auditOf func(action, id string, now time.Time) store.AuditEntry

	resumed bool                   // nobody waits for the result
	alias   string                 // replaces the reference in the fraud counters; "" until it is known
	terms   decisioning.OfferTerms // terms of the offers that were read

	// forgotten says that the person's keys were removed before, and the rows came back with an older backup.
	forgotten bool

	// The results of lookUp, which runs before a transaction, because transactions must not wait for another read.
	keys    *journal.Tree
	numbers []int64           // the key trees with the person's keys, sorted
	refs    map[string]string // the replacements of the reference in the rows of a forgotten person, by id of the row
}

// errMore rolls back a transaction that finds more than it can erase, or more than was prepared for.
var errMore = errors.New("more is held than was prepared for")

// run erases batch by batch. When no more than a batch is left, it removes the keys, from a few trees in each
// transaction. The transaction that commit runs removes the last keys and completes the erasure. If
// operation.MaxKeyTries transactions in a row find other keys or more documents than were prepared for, run gives
// up.
func (w *work) run(ctx context.Context, commit operation.Commit[Erasure]) (Erasure, error) {
	for tries := 0; tries < operation.MaxKeyTries; tries++ {
		held, err := w.held(ctx)
		if err == nil {
			err = w.lookUp(ctx, &held)
		}
		if err != nil {
			return Erasure{}, err
		}
		if held.Exceeds(w.s.batch) {
			done, err := w.write(ctx, w.step)
			if err != nil {
				return Erasure{}, err
			}
			if done {
				tries = -1 // a batch was emptied, so the next pass counts from 0 again
			}
			continue
		}
		last, err := w.prepare(ctx)
		if err != nil {
			return Erasure{}, err
		}
		if len(last.removal.Trees) < len(w.numbers) {
			done, err := w.write(ctx, last.step)
			if err != nil {
				return Erasure{}, err
			}
			if done {
				tries = -1
			}
			if _, err := w.s.core.Keys.Reload(ctx, w.scope.Tenant()); err != nil {
				return Erasure{}, err
			}
			continue
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
	return Erasure{}, operation.KeysBusy()
}

// write runs a transaction of the erasure, but not its last one. done is false if the keys have changed since the
// transaction was prepared, or if there are more documents than before. The caller then reads again what is held.
func (w *work) write(ctx context.Context, step func(*store.Tx) error) (done bool, err error) {
	if err := w.retry(ctx, w.scope.Write(ctx, step)); err != nil {
		if errors.Is(err, errMore) {
			return false, nil
		}
		return false, err
	}
	w.s.emptied()
	return true, nil
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

// held returns the stored data about the person, at most one row of each kind more than fit into a batch. Decisions
// from before the journal first get their journal entries, because their hashes must remain.
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
	return held, w.s.decisions.Audit.AddEntries(ctx, w.scope, older)
}

// lookUp reads the keys of the person in all trees that the rows name.
func (w *work) lookUp(ctx context.Context, held *store.Held) error {
	keys, err := w.s.core.Keys.Tree(ctx, w.scope.Tenant())
	if err != nil {
		return err
	}
	e, _, err := w.scope.Erasures(ctx).Open(w.person)
	if err != nil {
		return err
	}
	if w.forgotten {
		w.keys = keys
		return w.lookUpForgotten(ctx, &e, held)
	}
	if w.numbers, err = treesOf(&e); err != nil {
		return err
	}
	for _, d := range held.Decisions {
		w.numbers = append(w.numbers, keys.TreeOf(d.Head))
	}
	for _, r := range held.Runs {
		w.numbers = append(w.numbers, keys.TreeOf(r.Head))
	}
	for _, x := range held.Exposures {
		w.numbers = append(w.numbers, keys.TreeOf(x.Head))
	}
	for i := range held.People {
		w.numbers = append(w.numbers, treesOfPerson(keys, &held.People[i])...)
	}
	slices.Sort(w.numbers)
	w.numbers = slices.Compact(w.numbers)
	w.keys = keys
	if w.person.ApplicantRef != "" {
		w.keys, err = w.s.core.Keys.WithPerson(ctx, keys, w.scope.Environment(), w.person.ApplicantRef, w.numbers)
	}
	return err
}

// treesOf returns the numbers of the key trees from which an erasure must still remove keys.
func treesOf(e *store.Erasure) (numbers []int64, err error) {
	for name := range strings.FieldsSeq(e.Trees) {
		number, err := strconv.ParseInt(name, 10, 64)
		if err != nil {
			return nil, operation.AsDefect(err)
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}

// current returns the erasure of the person that is not completed, with open set to true. If there is none, it
// returns the fresh erasure, with open set to false. It returns NotFound if there is neither. In that case another
// node has completed the interrupted erasure, and all that is held now was stored later. It returns errChanged if
// the erasure is not running yet and must wait.
func (w *work) current(tx *store.Tx) (e store.Erasure, open bool, err error) {
	e, open, err = tx.Erasures().Open(w.person)
	defer func() {
		if w.request != "" {
			e.RequestKey = w.request
		}
	}()
	switch {
	case err != nil || open && e.State == Running:
		return e, open, err
	case !open && w.fresh.ID == "":
		return e, false, fault.Missing("erasure that is not completed")
	case !open:
		e = w.fresh
	}
	return e, open, w.begin(tx, &e)
}

// step empties one batch.
func (w *work) step(tx *store.Tx) error {
	if err := tx.KeyTrees().Check(w.keys.Changes(w.scope.Environment())); err != nil {
		return err
	}
	e, _, err := w.current(tx)
	if err != nil {
		return err
	}
	held, err := tx.Erasures().Held(w.person, w.s.batch)
	if err != nil {
		return err
	}
	if err := w.empty(tx, &e, &held); err != nil {
		return err
	}
	return tx.Erasures().Put(&e)
}

// empty empties the held rows. It records in e the trees that have the keys of these rows, and the replacements of
// the reference. It returns errMore if a key was not looked up.
func (w *work) empty(tx *store.Tx, e *store.Erasure, held *store.Held) error {
	for _, d := range held.Decisions {
		if d.Leaf < 0 {
			return errMore // a node of an earlier version has stored the decision in the meantime
		}
		ref, err := w.replacement(e, d.ID, d.Head)
		if err == nil {
			err = tx.Erasures().EmptyDecision(d.ID, ref, &e.Counts)
		}
		if err != nil {
			return err
		}
	}
	for _, r := range held.Runs {
		ref, err := w.replacement(e, r.ID, r.Head)
		if err == nil {
			err = tx.Erasures().EmptyRun(r.ID, ref, &e.Counts)
		}
		if err != nil {
			return err
		}
	}
	for _, x := range held.Exposures {
		w.noteTree(e, x.Head)
		if err := tx.Erasures().DeleteExposure(x.ID, w.s.core.Moment().UnixMicro(), &e.Counts); err != nil {
			return err
		}
	}
	return w.emptyRoles(tx, e, held.People)
}

// noteTree records in e which tree has the key of a document, and returns the tree's number. head is the beginning
// of the document.
func (w *work) noteTree(e *store.Erasure, head []byte) int64 {
	number := w.keys.TreeOf(head)
	w.noteNumber(e, number)
	return number
}

func (w *work) noteNumber(e *store.Erasure, number int64) {
	if name := strconv.FormatInt(number, 10); !w.forgotten && !slices.Contains(strings.Fields(e.Trees), name) {
		e.Trees = strings.TrimSpace(e.Trees + " " + name)
	}
}

// replacement returns the text that replaces the reference in a row, or "" if the person has no reference. It
// records the tree and the replacement in e. head is the beginning of the stored answer.
func (w *work) replacement(e *store.Erasure, id string, head []byte) (string, error) {
	number := w.noteTree(e, head)
	if w.person.ApplicantRef == "" {
		return "", nil
	}
	ref, known := w.refs[id]
	if !w.forgotten {
		ref, known = w.keys.Replacement(number, w.scope.Environment(), w.person.ApplicantRef)
	}
	if !known {
		return "", errMore
	}
	noteRef(e, ref)
	return ref, nil
}

// noteRef records in e a text that replaces the reference in a row.
func noteRef(e *store.Erasure, ref string) {
	if !slices.Contains(e.Refs, ref) {
		e.Refs = append(e.Refs, ref)
		e.StartedLeaf = -1 // the journal must name every replacement before a row has it
	}
}
