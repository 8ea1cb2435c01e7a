package account

import (
	"context"
	"fmt"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// In live, once a tenant has two people who may activate, a rule set is activated
// by another person than its author. This file keeps one person from getting
// round that with accounts of their own: who begins to be one who may activate
// waits for a day or for a third person's confirmation, and who ceases to be one
// counts for another day.

// activatorDelay is how long who begins to be one who may activate waits, and how
// long who ceases to be one still counts.
const activatorDelay = 24 * time.Hour

// activates reports whether who has a role may activate.
func activates(role string) bool { return tenant.Role(role).Scopes().Has(tenant.PolicyActivate) }

// standing tells storage who changes what people may do.
func (s *shared) standing(by string) store.Standing {
	return store.Standing{
		By:          by,
		NowMicros:   s.core.Moment().UnixMicro(),
		DelayMicros: activatorDelay.Microseconds(),
		Activates:   activates,
	}
}

// mayNow reports whether somebody may activate at a moment, as far as their role
// goes; waits reports whether they still wait for that.
func mayNow(u store.User) bool { return u.DisabledMicros == 0 && activates(u.Role) }

func waits(u store.User, now time.Time) bool {
	return mayNow(u) && u.MayActivateMicros > now.UnixMicro()
}

// countsUntil is until when somebody counts who may not activate any more, the
// zero time for who does not count.
func countsUntil(u store.User, now time.Time) time.Time {
	until := operation.Time(u.StoppedMicros).Add(activatorDelay)
	if mayNow(u) || u.StoppedMicros == 0 || !now.Before(until) {
		return time.Time{}
	}
	return until
}

// Work is a rule set that somebody wants to activate. Author is the actor who
// created it.
type Work struct{ RuleSetID, Author string }

// MayActivate refuses, once two people count as activators, an author who would
// activate their own work, and somebody who does not stand as an activator yet.
func MayActivate(tx *store.Tx, p tenant.Principal, work Work, now time.Time) error {
	people, err := tx.People()
	if err != nil {
		return err
	}

	counted := 0
	var me store.User
	for _, u := range people {
		if mayNow(u) || !countsUntil(u, now).IsZero() {
			counted++
		}
		if u.ID == p.UserID {
			me = u
		}
	}
	if counted < 2 {
		return nil
	}

	switch {
	case !mayNow(me):
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"the person whose API key this is may not activate any more; somebody who may activate it must")
	case waits(me, now):
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you may activate in live from %s, a day after you were given that right; %s",
			sayTime(operation.Time(me.MayActivateMicros)), whoConfirms(people, me, now))
	}

	author, err := tx.KeyOwner(work.Author)
	if err != nil {
		return fmt.Errorf("the author of rule set %s: %w", work.RuleSetID, err)
	}
	if work.Author == operation.Actor(p) || work.Author == p.UserID || author != "" && author == p.UserID {
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"in live a rule set is activated by another person than its author, "+
				"once the tenant has two users who may activate; %s",
			whoActivates(people, me, now))
	}

	return nil
}

// whoActivates says who may activate what somebody has written.
func whoActivates(people []store.User, me store.User, now time.Time) string {
	var can, wait []string
	var until time.Time
	for _, u := range people {
		switch counts := countsUntil(u, now); {
		case u.ID == me.ID:
		case waits(u, now):
			wait = append(wait, u.Email+" from "+sayTime(operation.Time(u.MayActivateMicros)))
		case mayNow(u):
			can = append(can, u.Email)
		case counts.After(until):
			until = counts
		}
	}

	switch {
	case len(can) > 0:
		return anyOf(can) + " can activate it"
	case len(wait) > 0:
		return anyOf(wait) + " can activate it"
	default:
		return "who was disabled or lost the right to activate counts for a day more, until " + sayTime(until)
	}
}

// whoConfirms says who can end somebody's waiting.
func whoConfirms(people []store.User, waiting store.User, now time.Time) string {
	var can []string
	for _, u := range people {
		if mayConfirm(waiting, u, now) == nil {
			can = append(can, u.Email)
		}
	}
	if len(can) == 0 {
		return "nobody else can confirm it before that"
	}

	return anyOf(can) + " can confirm it before that, on the page People of the console"
}

// anyOf names at most three of a list.
func anyOf(list []string) string {
	const most = 3
	if len(list) > most {
		return fmt.Sprintf("%s or one of %d others", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, " or ")
}

func sayTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// mayConfirm refuses whoever may not end somebody's waiting: the person, who made
// them so, and who may not activate or waits too.
func mayConfirm(person, by store.User, now time.Time) error {
	switch {
	case !waits(person, now):
		return fault.New(fault.Conflict, fault.CodeNothingToConfirm, "this person does not wait for a confirmation")
	case by.ID == person.ID:
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you cannot confirm yourself; ask somebody else who may activate")
	case by.ID == person.MadeBy:
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you gave this person the right to activate, so somebody else who may activate confirms it; "+
				"without that it begins at %s",
			sayTime(operation.Time(person.MayActivateMicros)))
	case !mayNow(by):
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"only who may activate can confirm somebody who will")
	case waits(by, now):
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you may activate from %s, and can confirm others from then", sayTime(operation.Time(by.MayActivateMicros)))
	}
	return nil
}

// ConfirmActivator lets somebody activate at once who was given the right to less
// than a day ago. It takes a person who may activate and did not give it to them:
// Conflict second_person_required for others, nothing_to_confirm when nobody waits.
// It is for people and not for their keys.
func (s *People) ConfirmActivator(ctx context.Context, p tenant.Principal, userID string) error {
	if err := p.Require(tenant.PolicyActivate); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return operation.Missing("user")
	}

	now := s.core.Now()
	return s.core.DB.Staff(p.TenantID).ConfirmActivator(ctx, userID, p.UserID, func(person, by store.User) error {
		return mayConfirm(person, by, now)
	}, s.auditOf(operation.Actor(p), operation.ActionActivatorConfirmed, userID, ""))
}
