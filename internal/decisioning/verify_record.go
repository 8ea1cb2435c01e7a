package decisioning

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/wire"
)

// recordVerifier compares the journal entries of a scope that are not about decisions with
// the stored rows: reviews, rule sets, activations, settings, scorecards, lists, tables, exposures,
// erasures, API keys, legal holds and the block list.
type recordVerifier struct {
	scope *store.Scope
	// These functions report whether a row may lack an entry in the journal because of its time: olderLists for a
	// scorecard or an entry of the block list, olderExposures for an exposure, beforeEvents for an API key, and
	// older for any other row. API keys that are older than the first entry about a key never get an entry.
	older, olderLists, olderExposures, beforeEvents func(micros int64) bool

	tell    func(id, why string)
	told    map[string]bool // the ids that tell was called with
	checked int64           // entries
	noEntry int64           // rows from before the journal that have no entry yet

	reader *journal.Reader
	found  numbers // the entries whose review was found
	policyEntries
	configEntries
	listEntries
	exposures map[string]exposureEntry // the last change of each exposure, by its id
	erasures  map[string]bool          // the ids of the erasures that have an entry
	keys      keyEntries
}

func newRecordVerifier(scope *store.Scope, tell func(id, why string)) *recordVerifier {
	return &recordVerifier{
		scope: scope, tell: tell, told: map[string]bool{},
		reader: journal.NewReader(scope), found: numbers{},
		policyEntries: newPolicyEntries(), configEntries: configEntries{versions: map[string]*entry{}},
		listEntries: listEntries{
			lists: map[string]*entry{}, tables: map[string]*entry{}, cards: map[string]*entry{},
			blocks: map[string]*entry{},
		},
		exposures: map[string]exposureEntry{}, erasures: map[string]bool{}, keys: newKeyEntries(),
	}
}

// wrong reports why the object with an id is wrong, once for each object.
func (v *recordVerifier) wrong(id, format string, args ...any) {
	if !v.told[id] {
		v.told[id] = true
		v.tell(id, fmt.Sprintf(format, args...))
	}
}

// entry is an entry of the journal that is not about a decision.
type entry struct {
	number int64
	leaf   evidence.Leaf
	event  []byte // the type and the data of the event
}

// value returns a member of the entry's data.
func (e *entry) value(name string) string {
	_, data, _ := evidence.ParseEvent(e.event)
	object, err := wire.Parse(data)
	if err != nil {
		return ""
	}
	return object.Get(name).Text()
}

// compare reports how a stored row differs from its entry. record is the entry that the row
// would get today, and texts names the columns that its salted hash covers.
func (v *recordVerifier) compare(e *entry, record evidence.Record, texts string) {
	record.Tenant, record.Environment = v.scope.Tenant(), v.scope.Environment()
	record.Backfilled = e.leaf.Backfilled
	again := record.Leaf()
	var found []string
	if again.At != e.leaf.At {
		found = append(found, "the stored time was altered")
	}
	switch {
	case again.Row != e.leaf.Row:
		found = append(found, "a stored column was altered")
	case !bytes.Equal(record.Event(), e.event):
		found = append(found, fmt.Sprintf("the event of entry %d of the journal was altered", e.number))
	}
	if again.Commitment != e.leaf.Commitment {
		found = append(found, texts+" was altered")
	}
	if len(found) > 0 {
		v.wrong(e.leaf.ID, "%s", strings.Join(found, "; "))
	}
}

// compareEvent reports an entry whose event was altered. Such an entry has no row of its own.
func (v *recordVerifier) compareEvent(e *entry) {
	micros, err := operation.ParseClock(e.leaf.At)
	kind, data, ok := evidence.ParseEvent(e.event)
	record := evidence.Record{
		Tenant: v.scope.Tenant(), Environment: v.scope.Environment(),
		Kind: e.leaf.Kind, ID: e.leaf.ID, Micros: micros, Type: kind, Data: data,
	}
	if again := record.Leaf(); err != nil || !ok || again.Row != e.leaf.Row {
		v.wrong(e.leaf.ID, "the event of entry %d of the journal was altered", e.number)
	}
}

// check compares an entry with its row. Entries of rows that may change are only collected,
// and compared by finish.
func (v *recordVerifier) check(ctx context.Context, e *entry) error {
	v.checked++
	switch e.leaf.Kind {
	case evidence.Review:
		return v.checkReview(ctx, e)
	case evidence.Erasure:
		v.collect(e)
		return v.checkErasure(ctx, e)
	default:
		v.collect(e)
		return nil
	}
}

// collect stores an entry about a row that may change, so that finish can compare it.
func (v *recordVerifier) collect(e *entry) {
	switch e.leaf.Kind {
	case evidence.Exposure:
		v.collectExposure(e)
		return
	case evidence.Erasure:
		v.erasures[e.leaf.ID] = true
		return
	}
	e.event = bytes.Clone(e.event) // the original is part of a large buffer
	switch e.leaf.Kind {
	case evidence.RuleSet, evidence.Activation:
		v.collectPolicy(e)
	case evidence.Config:
		v.collectConfig(e)
	case evidence.Scorecard, evidence.List, evidence.Table, evidence.Blocklist:
		v.collectList(e)
	case evidence.Key, evidence.LegalHold:
		v.collectKey(e)
	case evidence.Alert, evidence.Backtest, evidence.Batch, evidence.Usage, evidence.Webhook, evidence.Retention:
		v.compareEvent(e)
	default: // decisions and reviews are compared with their rows
	}
}

func (v *recordVerifier) checkReview(ctx context.Context, e *entry) error {
	row, err := v.scope.Decisions(ctx).LoggedReview(e.value("decision_id"), e.leaf.ID)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		v.wrong(e.leaf.ID, "the review of entry %d of the journal is missing", e.number)
	case err != nil:
		return err
	case v.linked(e, row.Leaf):
		v.found.add(e.number)
		v.compare(e, row.Record(), "the stored note")
	}
	return nil
}

// linked reports whether a row names its entry. leaf is the number in the row.
func (v *recordVerifier) linked(e *entry, leaf int64) bool {
	if leaf != e.number {
		v.wrong(e.leaf.ID, "its entry in the journal has the number %d, but its row names entry %d", e.number, leaf)
		return false
	}
	return true
}

// finish looks for reviews without an entry, and compares the rows that may change with
// their entries. size is the number of entries that were checked.
func (v *recordVerifier) finish(ctx context.Context, size int64) error {
	claimed := numbers{}
	err := v.scope.Decisions(ctx).WalkReviews(func(r *store.LoggedReview) error {
		return v.hasEntry(ctx, r, claimed)
	})
	if err != nil {
		return err
	}
	// The snapshot must contain the rows and all entries about them.
	return v.scope.Read(ctx, func(tx *store.Tx) error {
		if err := v.collectFrom(tx, size); err != nil {
			return err
		}
		before := v.noEntry
		for _, check := range []func(*store.Tx) error{
			v.checkPolicies, v.checkConfigs, v.checkScorecards, v.checkLists, v.checkTables, v.checkBlocklist,
			v.checkExposures, v.checkErasures, v.checkKeys, v.checkHolds,
		} {
			if err := check(tx); err != nil {
				v.noEntry = before // the function may be called again
				return err
			}
		}
		return nil
	})
}

// collectFrom collects the entries whose number is at least from.
func (v *recordVerifier) collectFrom(tx *store.Tx, from int64) error {
	for {
		runs, err := tx.Journal().Read(from)
		if err != nil || len(runs) == 0 {
			return err
		}
		for _, run := range runs {
			for i, e := range run.List {
				number := run.First + int64(i)
				leaf, err := evidence.UnpackLeaf(e.Leaf)
				if err == nil && number >= from && leaf.Kind != evidence.Decision && leaf.Kind != evidence.Review {
					v.collect(&entry{number, leaf, e.Data})
				}
			}
			from = run.First + int64(len(run.List))
		}
	}
}

// hasEntry checks that a review has an entry of its own. claimed are the entries of the earlier reviews.
func (v *recordVerifier) hasEntry(ctx context.Context, r *store.LoggedReview, claimed numbers) error {
	id, leaf := r.ID, r.Leaf
	switch {
	case leaf < 0 && v.older(r.CreatedMicros):
		v.noEntry++
		return nil
	case leaf < 0:
		v.wrong(id, "it has no entry in the journal")
		return nil
	case claimed.has(leaf):
		v.wrong(id, "another object has the same entry %d of the journal", leaf)
		return nil
	}
	claimed.add(leaf)
	if v.found.has(leaf) {
		return nil
	}
	// Either the row was added while the verification runs, or its number is wrong.
	switch found, err := v.reader.Leaf(ctx, leaf); {
	case errors.Is(err, journal.ErrNoEntry), errors.Is(err, evidence.ErrNotALeaf), err == nil && found.ID != id:
		v.wrong(id, "it has no entry in the journal, but its row names entry %d", leaf)
	case err != nil:
		return err
	}
	return nil
}

// beforeRecords returns a function that reports whether a row of a part and a given time may
// lack an entry in the journal.
func (a *Auditor) beforeRecords(ctx context.Context, part store.Backfilled) (func(micros int64) bool, error) {
	system := a.core.DB.System()
	complete, err := system.JournalComplete(ctx, part)
	if err != nil {
		return nil, err
	}
	since, err := system.JournalSince(ctx, part)
	if err != nil {
		return nil, err
	}
	return func(micros int64) bool { return !complete && micros < since+clocks }, nil
}

// backfillRecords adds the missing journal entries for one part of a scope's rows. It considers only rows that were
// stored before the given time. It calls progress with the number of entries after each transaction.
func (a *Auditor) backfillRecords(
	ctx context.Context, scope *store.Scope, part store.Backfilled, before int64, progress func(n int64),
) error {
	for {
		var added int
		err := scope.Write(ctx, func(tx *store.Tx) (err error) {
			added, err = tx.Journal().Backfill(store.Backfill{
				Part:         part,
				BeforeMicros: before,
				NowMicros:    a.core.Moment().UnixMicro(),
				Limit:        backfillBatch,
			})
			return err
		})
		if err != nil || added == 0 {
			return err
		}
		progress(int64(added))
		if err := operation.Sleep(ctx, backfillPause); err != nil {
			return err
		}
	}
}
