package decisioning

import (
	"context"
	"errors"
	"sync"

	"verdict/internal/evidence"
	"verdict/internal/journal"
	"verdict/internal/sealing"
	"verdict/internal/store"
)

// expiredZones finds out which zones of a decision may be empty because their retention period has ended. It is safe
// for concurrent use.
type expiredZones struct {
	scope *store.Scope

	mu     sync.Mutex
	loaded bool
	before map[string]int64 // by zone: documents that were stored before this time may be empty
}

// find returns the emptied zones of a decision whose retention period has ended. It reads the stored progress again
// if it does not know why a zone is empty, because documents may be emptied while the verification runs.
func (x *expiredZones) find(
	ctx context.Context, d *store.Decision, emptied []sealing.Zone,
) (expired []sealing.Zone, err error) {
	if len(emptied) == 0 {
		return nil, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, fresh := range []bool{false, true} {
		if fresh || !x.loaded {
			if err := x.load(ctx); err != nil {
				return nil, err
			}
		}
		expired = nil
		for _, zone := range emptied {
			of := zone
			if zone == sealing.CoApplicant || zone == sealing.Guarantor {
				of = sealing.Combined // the facts of other people have the same period
			}
			// At the end of the period of the response a decision loses all its documents.
			if d.CreatedMicros < max(x.before[of.String()], x.before[sealing.Response.String()]) {
				expired = append(expired, zone)
			}
		}
		if len(expired) == len(emptied) {
			break
		}
	}
	return expired, nil
}

// load reads up to which time each zone was emptied. It accepts a stored row only if its entry in the journal says
// the same, so that a forged row alone cannot hide removed documents.
func (x *expiredZones) load(ctx context.Context) error {
	x.loaded, x.before = true, map[string]int64{}
	rows, err := x.scope.Retention(ctx).Progress()
	if err != nil {
		return err
	}
	reader := journal.NewReader(x.scope)
	for i := range rows {
		p := &rows[i]
		if p.Leaf < 0 {
			continue
		}
		leaf, err := reader.Leaf(ctx, p.Leaf)
		switch {
		case errors.Is(err, journal.ErrNoEntry), errors.Is(err, evidence.ErrNotALeaf):
			continue
		case err != nil:
			return err
		}
		record := p.Record()
		record.Tenant, record.Environment = x.scope.Tenant(), x.scope.Environment()
		if leaf == record.Leaf() {
			x.before[p.Zone] = p.BeforeMicros
		}
	}
	return nil
}
