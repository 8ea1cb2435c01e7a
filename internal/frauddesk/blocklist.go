package frauddesk

import (
	"context"
	"slices"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Limits of an entry that is added by hand, in bytes.
const (
	maxBlockedValue  = 256
	maxBlockedReason = 200
)

// NewBlock is an entry that a person adds to the block list. Value is plain text; only its
// keyed hash and a text to display are stored. That text is masked, except for pincodes and
// agents.
type NewBlock struct {
	Kind      string
	Value     string
	Reason    string
	ExpiresAt time.Time // zero: the entry never expires
}

// Check adds the faults of the entry to faults. The texts of the faults do not
// contain the value.
func (n NewBlock) Check(faults *fault.List, now time.Time) {
	c := faults.Check("")
	if c.Require("kind", n.Kind != "", "one of "+strings.Join(EntityKinds(), ", ")) {
		c.Choice("kind", n.Kind, EntityKinds()...)
	}
	if c.Require("value", n.Value != "", "the account number, IP address, device id and so on, in plain text") {
		c.Text("value", n.Value, maxBlockedValue)
	}
	if c.Ok("kind") && c.Ok("value") {
		if _, problem := signal.NewEntity(n.Kind, n.Value, unkeyed); problem != "" {
			c.Fail("value", fault.CodeOutOfRange, "%s", problem)
		}
	}
	c.Text("reason", n.Reason, maxBlockedReason)
	checkExpiry(c, n.ExpiresAt, now)
}

// unkeyed replaces the keyed hash function when a value is only checked.
func unkeyed(string, string) string { return "" }

func checkExpiry(c fault.Check, at, now time.Time) {
	if !at.IsZero() && !at.After(now) {
		c.Fail("expires_at", fault.CodeOutOfRange,
			"must be in the future; leave it out for an entry that does not expire")
	}
}

// untilMicros returns a time as it is stored and shown, truncated to milliseconds.
// It returns 0, which means never, for the zero time.
func untilMicros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMilli() * 1000
}

// Blocking is the result of Block.
type Blocking struct {
	Entry Blocked
	Added bool // the entry is new
}

// Block adds an entity to the block list. If the entity is already listed, the entry
// that expires later stays on the list.
func (s *Service) Block(
	ctx context.Context, p tenant.Principal, n NewBlock, r *operation.Reply[Blocking],
) (Blocking, error) {
	if err := p.Require(tenant.Decide); err != nil {
		return Blocking{}, err
	}
	id := operation.ScopeOf(p)
	key, err := s.core.Keyed(ctx, id)
	if err != nil {
		return Blocking{}, err
	}
	now := s.core.Moment()
	var faults fault.List
	n.Check(&faults, now)
	if err := faults.Err(); err != nil {
		return Blocking{}, err
	}

	entity, _ := signal.NewEntity(n.Kind, n.Value, key) // Check has accepted the value
	entry := store.BlockedEntity{
		Entity:        store.ObservedEntity(entity),
		BlockedMicros: now.UnixMicro(),
		BlockedBy:     operation.Actor(p),
		Reason:        n.Reason,
		UntilMicros:   untilMicros(n.ExpiresAt),
	}
	done, err := operation.Write(ctx, s.core, s.core.Scope(p), r, func(tx *store.Tx) (Blocking, error) {
		held, change, err := tx.Blocklist().Block(entry)
		if err == nil && change == store.BlockAdded {
			err = s.checkBlockCap(tx)
		}
		if err != nil {
			return Blocking{}, err
		}
		if change != store.BlockKept {
			object := held.Entity.Kind + " " + held.Entity.Key
			if err := tx.Audit().Add(s.core.Audit(p, now, operation.ActionBlocked, object, entry.Reason)); err != nil {
				return Blocking{}, err
			}
		}
		return Blocking{Entry: blockedOf(held, now.UnixMicro()), Added: change == store.BlockAdded}, nil
	})
	s.changes.Forget(id)
	return done, err
}

// EntityKinds returns the kinds of entities that applicants can share.
func EntityKinds() []string {
	kinds := []string{
		signal.KindBeneficiaryAccount, signal.KindIP, signal.KindPincode, signal.KindAgent,
		signal.KindDevice, signal.KindMobile, signal.KindEmail,
	}
	slices.Sort(kinds)
	return kinds
}

// checkBlockCap returns an error if the block list was full before an entry was added.
func (s *Service) checkBlockCap(tx *store.Tx) error {
	others := func() (int64, error) {
		n, err := tx.Blocklist().Count()
		return n - 1, err
	}
	return operation.CheckCap(tx, others, s.options.MaxBlocked, "entries of the block list",
		"remove one with DELETE /v1/fraud/blocklist")
}

// Blocklist lists the entries of the block list. An entry was added by a person, or
// when an alert was closed as confirmed fraud.
func (s *Service) Blocklist(
	ctx context.Context, p tenant.Principal, l operation.List,
) (operation.Page[Blocked], error) {
	if err := p.Require(tenant.Read); err != nil {
		return operation.Page[Blocked]{}, err
	}
	filters := []string{"blocklist"}
	text, err := l.After(p, filters)
	if err != nil {
		return operation.Page[Blocked]{}, err
	}
	var after *store.BlockedEntity
	if text != "" {
		if after, err = readBlockedCursor(text); err != nil {
			return operation.Page[Blocked]{}, err
		}
	}
	rows, more, err := s.core.Scope(p).Blocklist(ctx).List(after, l.Limit)
	if err != nil {
		return operation.Page[Blocked]{}, err
	}
	out := operation.Page[Blocked]{Limit: l.Limit}
	now := s.core.Moment().UnixMicro()
	for _, r := range rows {
		out.Data = append(out.Data, blockedOf(r, now))
	}
	if more {
		last := rows[len(rows)-1]
		out.NextCursor = l.CursorAfter(p, filters, strings.Join([]string{
			operation.Clock(last.BlockedMicros),
			last.Entity.Kind,
			last.Entity.Key,
		}, " "))
	}
	return out, nil
}

func readBlockedCursor(text string) (*store.BlockedEntity, error) {
	parts := strings.Split(text, " ")
	if len(parts) != 3 {
		return nil, operation.NotACursor()
	}
	at, err := operation.ParseClock(parts[0])
	if err != nil {
		return nil, operation.NotACursor()
	}
	return &store.BlockedEntity{BlockedMicros: at, Entity: store.ObservedEntity{Kind: parts[1], Key: parts[2]}}, nil
}

// Unblock removes an entity from the block list.
func (s *Service) Unblock(ctx context.Context, p tenant.Principal, kind, key string) error {
	if err := p.Require(tenant.PolicyWrite); err != nil {
		return err
	}
	now := s.core.Moment()
	return s.core.Scope(p).Write(ctx, func(tx *store.Tx) error {
		if err := tx.Blocklist().Unblock(kind, key, operation.Actor(p), now.UnixMicro()); err != nil {
			return err
		}
		return tx.Audit().Add(s.core.Audit(p, now, operation.ActionUnblocked, kind+" "+key, ""))
	})
}
