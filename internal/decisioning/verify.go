package decisioning

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/policydesk"
	"verdict/internal/sealing"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Verification is the result of replaying stored decisions, and of comparing all stored objects that have journal
// entries with these entries.
type Verification struct {
	Checked int64   // the number of checked decisions
	Erased  int64   // checked decisions whose answer or facts were erased, so that they cannot be replayed
	Records int64   // entries of reviews, rule sets, settings and other events
	Wrong   []Wrong // at most maxWrong
	Failed  int64   // number of wrong objects, including deleted ones
	NoEntry int64   // objects from before the journal that have no entry yet
}

// Wrong is a stored decision that the replay did not reproduce, or any stored object that
// does not match its entry in the journal or is missing.
type Wrong struct {
	TenantID, Environment, ID string
	EngineVersion             string // the engine version that made the decision; "" if there is none
	Why                       string
}

// maxWrong limits the list of wrong objects, because a release that breaks decisions
// can break all of them.
const maxWrong = 1_000

// Verify replays the stored decisions of one tenant, or of all tenants if tenantID is
// "". It compares each decision, review, rule set, scorecard, setting, list, table, exposure and entry of the
// block list with its entry in the journal, and returns those that are wrong or missing.
// progress, unless nil, is called with the number of replayed decisions and their total, by
// one goroutine at a time.
//
// The newest decisions come first. Verify does not replay decisions that are made while
// it runs, so Verify ends however busy the service is. It holds only a few decisions in
// memory at a time and uses all processors.
func (a *Auditor) Verify(ctx context.Context, tenantID string, progress func(done, total int64)) (Verification, error) {
	scopes, total, err := a.scopes(ctx, tenantID)
	if err != nil {
		return Verification{}, err
	}
	older, err := a.beforeJournal(ctx)
	if err != nil {
		return Verification{}, err
	}
	olderRecords, err := a.beforeRecords(ctx, store.BackfilledRecords)
	if err != nil {
		return Verification{}, err
	}
	olderLists, err := a.beforeRecords(ctx, store.BackfilledLists)
	if err != nil {
		return Verification{}, err
	}
	olderExposures, err := a.beforeRecords(ctx, store.BackfilledExposures)
	if err != nil {
		return Verification{}, err
	}
	since, err := a.core.DB.System().JournalSince(ctx, store.BackfilledRecords)
	if err != nil {
		return Verification{}, err
	}
	v := verifier{
		total: total, progress: progress, eventsSince: since,
		older: older, olderRecords: olderRecords, olderLists: olderLists, olderExposures: olderExposures,
	}
	for _, scope := range scopes {
		if err = a.verifyScope(ctx, scope, &v); err != nil {
			break
		}
	}
	slices.SortFunc(v.found.Wrong, func(a, b Wrong) int { return cmp.Compare(a.ID, b.ID) })
	return v.found, err
}

// Auditor compares the stored decisions with the journal, and completes the journal.
type Auditor struct {
	core   *operation.Core
	desk   *policydesk.Service
	decode func(answer []byte) (Answered, error) // Options.Decode
}

// entered is a stored decision with its entry in the journal.
type entered struct {
	decision *store.Decision
	features *store.Features // nil if the decision has none
	leaf     evidence.Leaf
	problem  string // why the decision has no leaf; "" if it has one
	erased   bool   // verifyOne found that the answer or the facts were erased
}

// verifyScope reads decisions in one goroutine, a page at a time, and checks the pages in one
// goroutine for each processor. The first failure of storage ends them all. Afterwards it looks
// for entries of the journal whose decision is missing.
func (a *Auditor) verifyScope(ctx context.Context, scope *store.Scope, v *verifier) error {
	size, err := scope.Journal(ctx).Size()
	if err != nil {
		return err
	}
	count, err := newMeteredCount(ctx, scope)
	if err != nil {
		return err
	}
	gone := &erasedData{erasedPeople{scope: scope}, expiredZones{scope: scope}}
	walked, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	processors := runtime.GOMAXPROCS(0)
	read := make(chan []entered, processors) // so that storage is read while decisions are checked
	var workers sync.WaitGroup
	for range processors {
		workers.Go(func() {
			for page := range read {
				if err := a.verifyPage(walked, scope, page, gone, v); err != nil {
					cancel(err) // storage failed, so it is unknown whether the decisions can be reproduced
				}
			}
		})
	}
	entries := entryFinder{reader: journal.NewReader(scope), seen: numbers{}, older: v.older}
	enqueue := func(rows []store.FeaturedDecision) error {
		page := make([]entered, len(rows))
		for i := range rows {
			var err error
			if page[i], err = entries.find(walked, &rows[i].Decision); err != nil {
				return err
			}
			page[i].features = rows[i].Features
			count.add(&rows[i].Decision)
		}
		select {
		case read <- page:
			return nil
		case <-walked.Done():
			return context.Cause(walked)
		}
	}
	err = scope.Decisions(walked).WalkPages(store.Page{Descending: true}, enqueue)
	close(read)
	workers.Wait()
	if walked.Err() != nil {
		return context.Cause(walked) // the walk may have wrapped or replaced the first error
	}
	if err != nil {
		return err
	}
	records := newRecordVerifier(scope, func(id, why string) { v.wrong(scope, id, "", why) })
	records.older, records.olderLists, records.olderExposures = v.olderRecords, v.olderLists, v.olderExposures
	// A tenant that signed up after the journal began to record API keys has no older keys, whatever times its rows
	// have.
	signedUp, _ := tenant.Time(scope.Tenant())
	records.beforeEvents = func(micros int64) bool {
		return signedUp.UnixMicro() < v.eventsSince && micros < v.eventsSince+clocks
	}
	if err := entries.missing(ctx, size, records); err != nil {
		return err
	}
	if err := records.finish(ctx, size); err != nil {
		return err
	}
	count.found += entries.gone
	if why := count.missing(); why != "" {
		v.wrong(scope, "", "", why)
	}
	v.found.Records += records.checked
	v.found.NoEntry += records.noEntry
	return nil
}

// verifyPage checks decisions one after the other.
func (a *Auditor) verifyPage(
	ctx context.Context, scope *store.Scope, page []entered, gone *erasedData, v *verifier,
) error {
	for i := range page {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		why, err := a.verifyOne(ctx, scope, &page[i], gone)
		if err != nil {
			return err
		}
		v.note(scope, &page[i], why)
	}
	return nil
}

// verifyOne replays a decision and compares it with its leaf. It returns why the decision is wrong, or "" if it is
// right.
func (a *Auditor) verifyOne(
	ctx context.Context, scope *store.Scope, e *entered, gone *erasedData,
) (why string, err error) {
	features := e.features
	var reasons []string
	e.erased = erased(e.decision)
	emptied, err := gone.find(ctx, e, features)
	if err != nil {
		return "", err
	}
	tree, err := a.core.Keys.OpenDecision(ctx, scope, e.decision, features)
	var unreadable journal.Unreadable
	switch {
	case errors.Is(err, journal.ErrErased):
		return "", nil // the applicant was erased while the verification runs
	case errors.As(err, &unreadable):
		reasons = append(reasons, unreadable.Error())
	case err != nil:
		return "", err
	case !e.erased:
		why, err := a.notReproduced(ctx, scope, e.decision)
		if err != nil {
			return "", err
		}
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	switch {
	case e.problem != "":
		reasons = append(reasons, e.problem)
	case e.decision.Leaf >= 0:
		s := journal.Scope{Tenant: scope.Tenant(), Environment: scope.Environment()}
		reasons = append(reasons, journal.Compare(tree, s, e.decision, features, &e.leaf, emptied)...)
	}
	return strings.Join(reasons, "; "), nil
}

// erasedData finds out why documents are empty.
type erasedData struct {
	people erasedPeople
	zones  expiredZones
}

// find returns what was erased of a decision, and why.
func (g *erasedData) find(ctx context.Context, e *entered, f *store.Features) (found journal.Erased, err error) {
	found.Zones = journal.Emptied(e.decision, f)
	if found.Expired, err = g.zones.find(ctx, e.decision, found.Zones); err != nil {
		return found, err
	}
	if found.Entry, err = g.people.find(ctx, &e.leaf, len(found.Zones) > len(found.Expired)); err != nil {
		return found, err
	}
	for zone, ref := range journal.PersonReferences(e.decision.Plain) {
		if found.People == nil {
			found.People = map[sealing.Zone]journal.ErasureEntry{}
		}
		found.People[zone], err = g.people.findRef(ctx, ref, slices.Contains(found.Zones, zone))
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// verifier collects the results of a running verification.
type verifier struct {
	mu       sync.Mutex
	found    Verification
	total    int64
	progress func(done, total int64)
	older    func(*store.Decision) bool // see beforeJournal

	olderRecords, olderLists, olderExposures func(micros int64) bool // see beforeRecords

	eventsSince int64 // since when API keys have entries, in microseconds
}

// note records the check of a decision.
func (v *verifier) note(scope *store.Scope, e *entered, why string) {
	d := e.decision
	if why != "" {
		v.wrong(scope, d.ID, d.EngineVersion, why)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found.Checked++
	if e.erased {
		v.found.Erased++
	}
	if d.Leaf < 0 && why == "" {
		v.found.NoEntry++
	}
	if v.progress != nil {
		// Decisions made between the count and the walk could make Checked exceed the
		// total.
		v.progress(min(v.found.Checked, v.total), v.total)
	}
}

// wrong records an object that is wrong or missing.
func (v *verifier) wrong(scope *store.Scope, id, engineVersion, why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.found.Failed++
	if len(v.found.Wrong) < maxWrong {
		v.found.Wrong = append(v.found.Wrong, Wrong{
			TenantID:      scope.Tenant(),
			Environment:   scope.Environment(),
			ID:            id,
			EngineVersion: engineVersion,
			Why:           why,
		})
	}
}

// notReproduced replays a decision and returns in a few words why it was not reproduced, or "" if it was. An error
// is a failure of storage.
func (a *Auditor) notReproduced(ctx context.Context, scope *store.Scope, stored *store.Decision) (string, error) {
	policy, facts, why, err := replayable(ctx, a.desk, scope, stored)
	if err != nil || why != "" {
		return why, err
	}
	o := borrow()
	defer o.Release()
	policy.Plan.Decide(facts, &o.Decision)
	if hash := o.Decision.Hash(); hash != stored.Hash {
		return "different hash: " + hash, nil
	}
	if !answerMatches(stored) {
		return whyAnswerDiffers, nil
	}
	return "", nil
}

// scopes returns the scopes of one tenant, or of all tenants, and the total number of
// decisions.
func (a *Auditor) scopes(ctx context.Context, tenantID string) ([]*store.Scope, int64, error) {
	ids, err := a.core.TenantIDs(ctx, tenantID)
	if err != nil {
		return nil, 0, err
	}
	var scopes []*store.Scope
	var total int64
	for _, id := range ids {
		for _, e := range tenant.Environments() {
			scope := a.core.DB.Scope(id, string(e))
			n, err := scope.Decisions(ctx).Count()
			if err != nil {
				return nil, 0, err
			}
			scopes, total = append(scopes, scope), total+n
		}
	}
	return scopes, total, nil
}
