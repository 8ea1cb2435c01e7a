package study

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"verdict/internal/application"
	"verdict/internal/backtest"
	"verdict/internal/decisioning"
	"verdict/internal/fault"
	"verdict/internal/feature"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/report"
	"verdict/internal/rule"
	"verdict/internal/store"
)

// replayFeatures holds the features that the policies of a replay name, and the feature
// catalogue of each policy.
type replayFeatures struct {
	named                []application.Feature // the features that either policy names
	champion, challenger feature.Catalogue
}

func (a *asked) replayFeatures() replayFeatures {
	f := replayFeatures{named: a.champion.Features, champion: a.champion.Catalogue, challenger: a.champion.Catalogue}
	if a.challenger != nil {
		f.named, f.challenger = slices.Concat(f.named, a.challenger.Features), a.challenger.Catalogue
	}
	return f
}

// replayVectors is a pool of vectors, so that their memory is reused.
var replayVectors = sync.Pool{New: func() any { return new(feature.Vector) }}

// replayer decides stored decisions again, a few at a time.
type replayer struct {
	job    *backtestRun
	scope  *store.Scope
	worker *backtest.Worker
	row    int64
	held   []*store.Decision
}

// replayHeld is the number of decisions in a batch, with their vectors and histories.
const replayHeld = 20

// add adds a decision to the batch. If the batch is then full, add calls flush. The
// caller must call flush for the last batch.
func (r *replayer) add(ctx context.Context, d *store.Decision) error {
	r.held = append(r.held, d)
	if len(r.held) < replayHeld {
		return nil
	}
	return r.flush(ctx)
}

// flush decides the stored decisions of the batch again, with the policies of the replay, and empties the batch.
func (r *replayer) flush(ctx context.Context) error {
	stored, err := r.stored(ctx)
	if err != nil {
		return err
	}
	for i, d := range r.held {
		var err error
		gone := len(d.Facts) == 0 || slices.ContainsFunc(d.People, func(p store.DecisionPerson) bool {
			return len(p.Facts) == 0
		})
		if !gone {
			_, err = r.job.keys.OpenDecision(ctx, r.scope, d, &stored[i])
		}
		// A vector or a history may have been erased at the end of its retention period.
		var champion, challenger *rule.Facts
		if err == nil && !gone {
			champion, challenger, err = r.job.features.facts(d, stored[i])
		}
		if gone || errors.Is(err, journal.ErrErased) {
			r.worker.Erased(r.row, d.ID)
			r.row++
			continue
		}
		if err != nil {
			return fmt.Errorf("read the facts of decision %s: %w", d.ID, operation.AsDefect(err))
		}
		if r.worker.Facts(r.row, d.ID, champion, challenger, d.Status); r.worker.Err() != nil {
			return r.worker.Err()
		}
		r.row++
	}
	r.held = r.held[:0]
	return nil
}

// stored reads the features of the decisions in the batch, if a policy names any. For a
// decision without features, the result is empty.
func (r *replayer) stored(ctx context.Context) ([]store.Features, error) {
	all := make([]store.Features, len(r.held))
	if len(r.job.features.named) == 0 {
		return all, nil
	}
	err := r.scope.Read(ctx, func(tx *store.Tx) (err error) {
		for i, d := range r.held {
			if all[i], err = tx.Decisions().Features(d.ID); err != nil && fault.KindOf(err) != fault.NotFound {
				return err
			}
		}
		return nil
	})
	return all, err
}

// facts returns the stored facts for each policy, with the features of its catalogue.
func (f *replayFeatures) facts(d *store.Decision, stored store.Features) (champion, challenger *rule.Facts, err error) {
	if champion, err = f.factsBy(f.champion, d, stored); err != nil || f.challenger == f.champion {
		return champion, champion, err
	}
	challenger, err = f.factsBy(f.challenger, d, stored)
	return champion, challenger, err
}

// factsBy returns the stored facts with the features of a catalogue. The features come
// from the stored vector if it has this catalogue. Otherwise they are computed again
// from the stored history. If the decision was made without features, factsBy adds
// none.
func (f *replayFeatures) factsBy(c feature.Catalogue, d *store.Decision, stored store.Features) (*rule.Facts, error) {
	facts, err := decisioning.FactsOf(d.Facts, d.OthersFacts())
	if err != nil {
		return nil, err
	}
	application.FallBackStored(facts)
	if len(stored.Vector) == 0 {
		if stored.Hash != "" {
			return nil, journal.ErrErased
		}
		return facts, nil
	}
	vector, _ := replayVectors.Get().(*feature.Vector) // the pool holds nothing else
	defer replayVectors.Put(vector)
	if err := feature.DecodeVector(stored.Vector, vector); err != nil {
		return nil, err
	}
	if vector.Catalogue() != c {
		if err := measureAgain(c, stored, vector); err != nil {
			return nil, err
		}
	}
	application.ReplaceFeatures(facts, f.named, vector)
	return facts, nil
}

// measureAgain computes stored features again with another catalogue.
func measureAgain(c feature.Catalogue, stored store.Features, v *feature.Vector) error {
	if len(stored.Source) == 0 {
		return journal.ErrErased
	}
	history, statement, err := report.ReadArchive(stored.Source)
	if err != nil {
		return err
	}
	asOf, err := decisioning.MeasuredOn(stored.DecisionID, stored.AsOf)
	if err != nil {
		return err
	}
	feature.Compute(c, history, statement, asOf, v)
	return nil
}
