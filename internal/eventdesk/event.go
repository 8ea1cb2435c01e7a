package eventdesk

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/journal"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// DecisionCreated is the type of the event of a stored decision.
const DecisionCreated = "decision.created"

// Event is something that happened. It contains ids, hashes and outcomes, but no value of
// an applicant.
type Event struct {
	ID       string // stays the same if the event is delivered again
	Sequence int64  // 1 for the first event of the scope; there are no gaps
	Type     string
	At       string // when it happened; RFC 3339 in UTC with milliseconds
	// Backfilled means that the event happened before the service recorded events, and was added
	// later.
	Backfilled bool
	Object     string   // id of the object of the event; the events of one object are delivered in order
	Decision   Decision // the data of DecisionCreated
	Data       []byte   // the data of every other type: a JSON object
}

// Decision is the data of a decision's event. It is the zero value in other events. If the
// decision is missing in the database, only ID is set.
type Decision struct {
	ID            string
	Status        string
	Grade         string
	PolicyKey     string
	RuleSetID     string
	PolicyVersion int64
	Endpoint      string
	Hash          string
}

// Feed is a part of the events of a scope.
type Feed struct {
	Events []Event
	// Last is the sequence number with which to ask for the next events.
	Last int64
	More bool // there are further events
	// Expired is how many entries KeptEvents has left out, because they are older than Keep.
	Expired int64
}

// The limits of the number of events in a Feed.
const (
	DefaultLimit = 100
	MaxLimit     = 1_000
)

// Service serves events. It is safe for concurrent use.
type Service struct{ core *operation.Core }

// New returns a Service over the database of core. It reads the events from the journals of that database.
func New(core *operation.Core) *Service { return &Service{core: core} }

// Keep is how long an event stays in the feed. The journal, which is the log, keeps every entry.
const Keep = 90 * 24 * time.Hour

// Events returns at most limit events after a sequence number, in order. To get the next events, the caller calls
// Events again with Last. Events returns Invalid out_of_range if limit is not between 1 and MaxLimit, or if the
// number in "after" is negative. It returns Gone events_expired if the next event is older than Keep, and a Defect
// if the journal was damaged.
func (s *Service) Events(ctx context.Context, p tenant.Principal, after int64, limit int) (Feed, error) {
	feed, err := s.read(ctx, p, after, limit)
	if err != nil || !s.mayBeExpired(feed) {
		return feed, err
	}
	oldest, err := s.Oldest(ctx, p)
	if err == nil && after+1 < oldest {
		err = Expired("?after", oldest)
	}
	if err != nil {
		return Feed{}, err
	}
	return feed, nil
}

// KeptEvents returns events like Events, but leaves out those that are older than Keep.
func (s *Service) KeptEvents(ctx context.Context, p tenant.Principal, after int64, limit int) (Feed, error) {
	feed, err := s.read(ctx, p, after, limit)
	if err != nil || !s.mayBeExpired(feed) {
		return feed, err
	}
	oldest, err := s.Oldest(ctx, p)
	if err != nil || after+1 >= oldest {
		return feed, err
	}
	feed, err = s.read(ctx, p, oldest-1, limit)
	feed.Expired = oldest - 1 - after
	return feed, err
}

// mayBeExpired reports whether the first event of a feed happened longer ago than Keep. Otherwise the event cannot
// be expired, because an event is stored after it happened. The journal then need not be searched.
func (s *Service) mayBeExpired(feed Feed) bool {
	return len(feed.Events) > 0 && feed.Events[0].At < operation.Clock(s.expiry())
}

func (s *Service) expiry() int64 { return s.core.Now().Add(-Keep).UnixMicro() }

// Oldest returns the sequence number of the oldest event that is not older than Keep. If there is
// none, it returns the number of the next event.
func (s *Service) Oldest(ctx context.Context, p tenant.Principal) (int64, error) {
	if err := p.Require(tenant.Read); err != nil {
		return 0, err
	}
	first, err := s.core.Scope(p).Journal(ctx).FirstSince(s.expiry())
	return first + 1, err
}

// Expired returns the refusal of a request for events that are no longer kept. oldest is the sequence number of the
// oldest event that is kept. pointer says where the request names the event.
func Expired(pointer string, oldest int64) error {
	refusal := fault.New(fault.Gone, fault.CodeEventsExpired,
		"%s names events that are older than %d days; the oldest event that is kept has the sequence number %d",
		pointer, Keep/(24*time.Hour), oldest)
	refusal.OldestSequence = oldest
	return refusal
}

// read returns the events after a sequence number, however old they are.
func (s *Service) read(ctx context.Context, p tenant.Principal, after int64, limit int) (Feed, error) {
	if err := p.Require(tenant.Read); err != nil {
		return Feed{}, err
	}
	if after < 0 {
		return Feed{}, operation.Invalid("?after", fault.CodeOutOfRange, "must not be negative")
	}
	if limit < 1 || limit > MaxLimit {
		return Feed{}, operation.Invalid("?limit", fault.CodeOutOfRange,
			fmt.Sprintf("must be between 1 and %d", MaxLimit))
	}
	feed := Feed{Last: after}
	scope := s.core.Scope(p)
	err := journal.NewReader(scope).Each(ctx, after, func(number int64, e store.Entry) error {
		if len(feed.Events) == limit {
			feed.More = true
			return io.EOF
		}
		leaf, err := evidence.UnpackLeaf(e.Leaf)
		if err != nil || number != feed.Last {
			return operation.AsDefect(errDamaged)
		}
		feed.Last = number + 1
		if leaf.Kind != evidence.Decision && len(e.Data) == 0 {
			return nil // a leaf without an event
		}
		hash := evidence.LeafHash(&leaf)
		event := Event{
			ID:       "evt_" + hex.EncodeToString(hash[:16]),
			Sequence: number + 1,
			Type:     DecisionCreated,
			At:       leaf.At,

			Backfilled: leaf.Backfilled,
		}
		if leaf.Kind == evidence.Decision {
			event.Decision.ID, event.Object = leaf.ID, leaf.ID
		} else if err := event.read(e.Data); err != nil {
			return err
		}
		feed.Events = append(feed.Events, event)
		return nil
	})
	if err != nil && !errors.Is(err, io.EOF) {
		return Feed{}, err
	}
	return feed, fill(ctx, scope, feed.Events)
}

// errDamaged is the error if entries of the journal are missing or cannot be read; "verdict verify"
// says which.
var errDamaged = errors.New("the journal was damaged")

// read reads the type, the object and the data of an event whose data is stored in the
// journal.
func (e *Event) read(stored []byte) error {
	name, data, ok := evidence.ParseEvent(stored)
	object, err := wire.Parse(data)
	if !ok || err != nil || object.Kind() != wire.Object {
		return operation.AsDefect(errDamaged)
	}
	e.Type, e.Object, e.Data = name, objectOf(object), data
	return nil
}

// fill adds the data of the decisions' events.
func fill(ctx context.Context, scope *store.Scope, events []Event) error {
	ids := make([]string, 0, len(events))
	for i := range events {
		if events[i].Decision.ID != "" {
			ids = append(ids, events[i].Decision.ID)
		}
	}
	rows, err := scope.Decisions(ctx).Outcomes(ids)
	if err != nil {
		return err
	}
	for i := range events {
		if d, found := rows[events[i].Decision.ID]; found {
			events[i].Decision = Decision{
				ID:            d.ID,
				Status:        d.Status,
				Grade:         d.Grade,
				PolicyKey:     d.PolicyKey,
				RuleSetID:     d.PolicyID,
				PolicyVersion: d.PolicyVersion,
				Endpoint:      d.Endpoint,
				Hash:          d.Hash,
			}
		}
	}
	return nil
}
