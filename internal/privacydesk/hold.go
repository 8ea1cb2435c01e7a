package privacydesk

import (
	"context"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// DefaultMaxHolds is the default of Options.MaxHolds.
const DefaultMaxHolds = 10_000

// maxHoldYears is how many years in the future a hold may end. A hold that must last longer has no end.
const maxHoldYears = 100

// HoldReasons returns the reasons of a legal hold. Like the reason of an erasure, the reason of a hold is not
// a free text.
func HoldReasons() []string {
	return []string{"litigation", "regulator_request", "law_enforcement", "audit", "complaint", "other"}
}

// HoldReasonChoices lists all reasons of a hold, for the message about an invalid reason.
const HoldReasonChoices = "litigation, regulator_request, law_enforcement, audit, complaint or other"

// NewHold is a legal hold to be placed. Either ApplicantRef or DecisionID is set.
type NewHold struct {
	ApplicantRef string
	DecisionID   string // of a decision that names no applicant
	Reason       string
	Until        time.Time // zero: the hold ends only when it is released
}

// Check adds the faults of the hold.
func (n NewHold) Check(faults *fault.List, now time.Time) {
	c := faults.Check("")
	checkPerson(c, n.ApplicantRef, n.DecisionID)
	if c.Require("reason", n.Reason != "", HoldReasonChoices) {
		c.Choice("reason", n.Reason, HoldReasons()...)
	}
	switch {
	case n.Until.IsZero():
	case !n.Until.After(now):
		c.Fail("until", fault.CodeOutOfRange, "must be in the future; leave it out for a hold that has no end")
	case n.Until.After(now.AddDate(maxHoldYears, 0, 0)):
		c.Fail("until", fault.CodeOutOfRange, "must be within %d years; leave it out for a hold that has no end",
			maxHoldYears)
	}
}

// The states of a legal hold.
const (
	HoldInForce  = "in_force"
	HoldReleased = "released"
	HoldEnded    = "ended" // the hold ended at the time that was set when it was placed
)

// Hold is a legal hold. While it is in force, nothing about the person is erased, neither by an erasure nor
// at the end of a retention period.
type Hold struct {
	ID             string
	State          string
	ApplicantRef   string // a keyed hash if the person was erased later
	DecisionID     string // set if the hold is on a decision without an applicant
	Reason         string
	Actor          string
	PlacedMicros   int64
	UntilMicros    int64 // 0 if it has no end
	ReleasedMicros int64 // 0 if it was not released
	ReleasedBy     string
}

func holdOf(h *store.LegalHold, nowMicros int64) Hold {
	out := Hold{
		ID:             h.ID,
		State:          HoldInForce,
		ApplicantRef:   h.Person.ApplicantRef,
		DecisionID:     h.Person.DecisionID,
		Reason:         h.Reason,
		Actor:          h.Actor,
		PlacedMicros:   h.CreatedMicros,
		UntilMicros:    h.UntilMicros,
		ReleasedMicros: h.ReleasedMicros,
		ReleasedBy:     h.ReleasedBy,
	}
	switch {
	case h.ReleasedMicros != 0:
		out.State = HoldReleased
	case !h.InForce(nowMicros):
		out.State = HoldEnded
	}
	return out
}

// PlaceHold places a legal hold on a person. It returns NotFound if nothing is held about the person, Conflict
// if the person is being erased or has a hold with the same reason, and cap_reached if there are too many holds.
func (s *Service) PlaceHold(
	ctx context.Context, p tenant.Principal, n NewHold, r *operation.Reply[Hold],
) (Hold, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Hold{}, err
	}
	now := s.core.Moment()
	var faults fault.List
	n.Check(&faults, now)
	if err := faults.Err(); err != nil {
		return Hold{}, err
	}
	scope := s.core.Scope(p)
	person := store.Person{ApplicantRef: n.ApplicantRef, DecisionID: n.DecisionID}
	return operation.WritePrepared(ctx, s.core, scope, r, func() (func(*store.Tx) (Hold, error), error) {
		if _, err := s.checkHeld(ctx, scope, person); err != nil {
			return nil, err
		}
		id, now := s.core.NewID(tenant.KindLegalHold, now)
		h := store.LegalHold{
			ID:            id,
			Person:        person,
			Reason:        n.Reason,
			Actor:         operation.Actor(p),
			CreatedMicros: now.UnixMicro(),
		}
		if !n.Until.IsZero() {
			h.UntilMicros = n.Until.UnixMilli() * 1000 // in whole milliseconds, as the end is shown
		}
		audit := s.core.Audit(p, now, operation.ActionHoldPlaced, id, n.Reason)
		return func(tx *store.Tx) (Hold, error) {
			if err := s.mayPlace(tx, &h); err != nil {
				return Hold{}, err
			}
			if err := tx.LegalHolds().Place(h); err != nil {
				return Hold{}, err
			}
			return holdOf(&h, h.CreatedMicros), tx.Audit().Add(audit)
		}, nil
	})
}

// mayPlace returns an error if a hold cannot be placed. It locks the scope, so that no erasure begins
// meanwhile.
func (s *Service) mayPlace(tx *store.Tx, h *store.LegalHold) error {
	count := func() (int64, error) { return tx.LegalHolds().Count(h.CreatedMicros) }
	if err := operation.CheckCap(tx, count, s.options.MaxHolds, "legal holds in force",
		"release one with POST /v1/legal-holds/{id}/release"); err != nil {
		return err
	}
	if e, open, err := tx.Erasures().Open(h.Person); err != nil || open && e.State == Running {
		if err != nil {
			return err
		}
		return fault.New(fault.Conflict, fault.CodeInvalidTransition,
			"the applicant is being erased, which cannot be stopped; GET /v1/erasures/%s returns the receipt", e.ID)
	}
	held, err := tx.Erasures().Held(h.Person, 1)
	if err != nil {
		return err
	}
	if held.Empty() {
		return nothingHeld()
	}
	present, err := tx.LegalHolds().Of(h.Person, h.CreatedMicros)
	if err != nil {
		return err
	}
	for i := range present {
		if present[i].Reason == h.Reason {
			return fault.New(fault.Conflict, fault.CodeHoldInForce,
				"the applicant has a legal hold with this reason already: %s; release it to place another one",
				present[i].ID)
		}
	}
	return nil
}

// ReleaseHold ends a legal hold. It returns NotFound if there is no such hold, and Conflict if it has ended
// already. Deferred erasures that waited only for this hold are carried out within a minute.
func (s *Service) ReleaseHold(
	ctx context.Context, p tenant.Principal, id string, r *operation.Reply[Hold],
) (Hold, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Hold{}, err
	}
	if !tenant.Valid(tenant.KindLegalHold, id) {
		return Hold{}, fault.Missing("legal hold")
	}
	now := s.core.Moment()
	return operation.Write(ctx, s.core, s.core.Scope(p), r, func(tx *store.Tx) (Hold, error) {
		if err := tx.Lock(); err != nil {
			return Hold{}, err
		}
		h, err := tx.LegalHolds().Get(id)
		if err != nil {
			return Hold{}, err
		}
		if !h.InForce(now.UnixMicro()) {
			return Hold{}, fault.New(fault.Conflict, fault.CodeInvalidTransition, "this legal hold has ended already")
		}
		actor := operation.Actor(p)
		if err := tx.LegalHolds().Release(h, actor, now.UnixMicro()); err != nil {
			return Hold{}, err
		}
		h.ReleasedMicros, h.ReleasedBy = now.UnixMicro(), actor
		return holdOf(&h, now.UnixMicro()), tx.Audit().Add(s.core.Audit(p, now, operation.ActionHoldReleased, id, ""))
	})
}

// Hold returns a legal hold, or NotFound if there is none.
func (s *Service) Hold(ctx context.Context, p tenant.Principal, id string) (Hold, error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return Hold{}, err
	}
	if !tenant.Valid(tenant.KindLegalHold, id) {
		return Hold{}, fault.Missing("legal hold")
	}
	h, err := s.core.Scope(p).LegalHolds(ctx).Get(id)
	return holdOf(&h, s.core.Now().UnixMicro()), err
}

// HoldFilter selects legal holds. The zero value matches every hold.
type HoldFilter struct {
	ApplicantRef string
	InForce      bool // only holds in force
}

// Holds lists legal holds.
func (s *Service) Holds(
	ctx context.Context, p tenant.Principal, f HoldFilter, l operation.List,
) (operation.Page[Hold], error) {
	if err := p.Require(tenant.PrivacyManage); err != nil {
		return operation.Page[Hold]{}, err
	}
	now := s.core.Now().UnixMicro()
	filters := []string{"legal holds", f.ApplicantRef}
	filter := store.LegalHoldFilter{ApplicantRef: f.ApplicantRef}
	if f.InForce {
		filters = append(filters, "in force")
		filter.InForceMicros = now
	}
	page, err := l.Page(p, filters...)
	if err != nil {
		return operation.Page[Hold]{}, err
	}
	rows, more, err := s.core.Scope(p).LegalHolds(ctx).List(filter, page)
	if err != nil {
		return operation.Page[Hold]{}, err
	}
	list := make([]Hold, len(rows))
	for i := range rows {
		list[i] = holdOf(&rows[i], now)
	}
	key := func(h Hold) (int64, string) { return h.PlacedMicros, h.ID }
	return operation.Paged(l, p, list, more, key, filters...), nil
}
