package account

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// An activator is a person whose role may activate policies. In live, once a tenant has
// two activators, a rule set must be activated by somebody other than its author. This
// file prevents one person from bypassing that rule with several accounts. A new activator
// waits for a day or for the confirmation of another activator. A former activator still
// counts for a day. For that day, the new activator and whoever gave or confirmed the right
// count as one person: neither may activate what the other has written. If an identity
// provider gave the right, nobody knows who changed the group, so it may have been anybody.

// activatorDelay is how long a new activator waits, and how long a former activator still counts.
const activatorDelay = 24 * time.Hour

// activates reports whether a role may activate policies.
func activates(role string) bool { return tenant.Role(role).Scopes().Has(tenant.PolicyActivate) }

// rightsChange returns the data that storage needs to update activators: who makes the
// change and when, the delay, and which roles may activate.
func (s *shared) rightsChange(by string) store.RightsChange {
	return store.RightsChange{
		By:          by,
		NowMicros:   s.core.Moment().UnixMicro(),
		DelayMicros: activatorDelay.Microseconds(),
		Activates:   activates,
	}
}

// mayNow reports whether a person's role may activate and their access is not disabled.
func mayNow(u store.User) bool { return u.DisabledMicros == 0 && activates(u.Role) }

// waits reports whether an activator is still waiting.
func waits(u store.User, now time.Time) bool {
	return mayNow(u) && u.MayActivateMicros > now.UnixMicro() && confirmedBy(u, now) == ""
}

// confirmedBy returns the id of the user who confirmed an activator to whom an identity provider gave the right. It
// returns "" if nobody confirmed the activator, or if the day is over.
func confirmedBy(u store.User, now time.Time) string {
	by, confirmed := strings.CutPrefix(u.MadeBy, store.ConfirmedBy)
	if !confirmed || u.MayActivateMicros <= now.UnixMicro() {
		return ""
	}
	return by
}

// countsUntil returns the time until which a former activator still counts, or the zero time if the person does not
// count as a former activator.
func countsUntil(u store.User, now time.Time) time.Time {
	until := operation.Time(u.StoppedMicros).Add(activatorDelay)
	if mayNow(u) || u.StoppedMicros == 0 || !now.Before(until) {
		return time.Time{}
	}
	return until
}

// Work is a rule set that is to be activated. Author is the actor who created it.
type Work struct{ RuleSetID, Author string }

// MayActivate returns an error if the caller may not activate a rule set. Its checks apply once a tenant has two
// activators, including former activators who still count. It refuses the author of the rule set, a person who is not
// an activator, an activator who is still waiting, and an activator who may be the author under another name.
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
			"the owner of this API key may no longer activate policies; somebody else who has this right must "+
				"activate the rule set")
	case waits(me, now):
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you may activate in live from %s, a day after you were given that right; %s",
			sayTime(operation.Time(me.MayActivateMicros)), whoConfirms(people, me, now))
	}

	author, err := tx.Keys().Owner(work.Author)
	if err != nil {
		return fmt.Errorf("the author of rule set %s: %w", work.RuleSetID, err)
	}
	if work.Author == operation.Actor(p) || work.Author == p.UserID || author != "" && author == p.UserID {
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"in live, once the tenant has two users who may activate, the author of a rule set cannot activate it; %s",
			whoActivates(people, me, now))
	}

	return refuseDependent(people, me, cmp.Or(author, work.Author), now)
}

// refuseDependent returns an error if the author of a rule set and the activator (the argument me) may be one
// person. That is so if one of them gave or confirmed the right of the other within the last day. It is also so if
// an identity provider gave the author's right within the last day, and nobody else has confirmed it. The author may
// have been disabled in the meantime.
func refuseDependent(people []store.User, me store.User, authorID string, now time.Time) error {
	if by := confirmedBy(me, now); by != "" && by == authorID {
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"a group of your identity provider gave you the right to activate, and the author of this rule set "+
				"confirmed it, so until %s you cannot activate what this author writes",
			sayTime(operation.Time(me.MayActivateMicros)))
	}

	at := slices.IndexFunc(people, func(u store.User) bool { return u.ID == authorID })
	if at < 0 || people[at].MayActivateMicros <= now.UnixMicro() {
		return nil
	}

	author := people[at]
	if author.MadeBy != me.ID && confirmedBy(author, now) != me.ID && !strings.HasPrefix(author.MadeBy, signOnPrefix) {
		return nil
	}

	return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
		"the author of this rule set was given the right to write policies less than a day ago, and you may have "+
			"given or confirmed it; you can activate the rule set from %s, or once somebody else who may activate has "+
			"confirmed the author on the page People of the console",
		sayTime(operation.Time(author.MayActivateMicros)))
}

// whoActivates returns a sentence about a rule set whose author is the person "me". The sentence names the people
// who may activate the rule set. If there are none, it says until when a former activator counts.
func whoActivates(people []store.User, me store.User, now time.Time) string {
	var can, wait []string
	var until time.Time
	for _, u := range people {
		switch counts := countsUntil(u, now); {
		case u.ID == me.ID:
		case waits(u, now) || me.ID != "" && confirmedBy(u, now) == me.ID:
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
		return "a person who was disabled or lost the right to activate still counts for a day, until " +
			sayTime(until)
	}
}

// whoConfirms returns a sentence that names the people who can confirm a waiting activator.
func whoConfirms(people []store.User, waiting store.User, now time.Time) string {
	var can []string
	for _, u := range people {
		if mayConfirm(waiting, u, now) == nil {
			can = append(can, u.Email)
		}
	}
	if len(can) == 0 {
		return "nobody else can confirm the right before then"
	}

	return anyOf(can) + " can confirm the right before then, on the page People of the console"
}

// anyOf returns at most three names of the list, and the number of the others.
func anyOf(list []string) string {
	const most = 3
	if len(list) > most {
		return fmt.Sprintf("%s or one of %d others", strings.Join(list[:most], ", "), len(list)-most)
	}
	return strings.Join(list, " or ")
}

func sayTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// mayConfirm returns an error if the person is not a waiting activator, or if the user "by" may not confirm
// this person. That user must not be the person, nor the user who gave the person the right to activate. That
// user must also be an activator whose own wait is over. If an identity provider gave that user the right, only
// the passing of the day ends this wait, not a confirmation.
func mayConfirm(person, by store.User, now time.Time) error {
	switch {
	case !waits(person, now):
		return fault.New(fault.Conflict, fault.CodeNothingToConfirm, "this person is not waiting for a confirmation")
	case by.ID == person.ID:
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you cannot confirm yourself; ask somebody else who may activate")
	case by.ID == person.MadeBy:
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you gave this person the right to activate, so somebody else who may activate has to confirm it; "+
				"without a confirmation the right begins at %s",
			sayTime(operation.Time(person.MayActivateMicros)))
	case !mayNow(by):
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"only a person who may activate policies can confirm a new activator")
	case by.MayActivateMicros > now.UnixMicro():
		return fault.New(fault.Conflict, fault.CodeSecondPersonRequired,
			"you may confirm others from %s, a day after you were given the right to activate",
			sayTime(operation.Time(by.MayActivateMicros)))
	}
	return nil
}

// confirm ends the wait of a new activator after the user "by" has confirmed it. If an identity provider made the
// person an activator, confirm records who confirmed, and keeps the time until which the two count as one person.
func confirm(person *store.User, by store.User, now time.Time) error {
	if err := mayConfirm(*person, by, now); err != nil {
		return err
	}

	if strings.HasPrefix(person.MadeBy, signOnPrefix) {
		person.MadeBy = store.ConfirmedBy + by.ID
		return nil
	}

	person.MayActivateMicros = 0
	return nil
}

// ConfirmActivator ends the wait of a new activator. The caller must be an activator other than
// the person who gave the new activator the right to activate. It refuses other callers with
// second_person_required. If the person is not waiting, it refuses with nothing_to_confirm. Only
// the console calls it, so API keys cannot confirm.
func (s *People) ConfirmActivator(ctx context.Context, p tenant.Principal, userID string) error {
	if err := p.Require(tenant.PolicyActivate); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindUser, userID) {
		return fault.Missing("user")
	}

	now := s.core.Now()
	staff := s.core.DB.Staff(p.TenantID)
	return staff.ConfirmActivator(ctx, userID, p.UserID, func(person *store.User, by store.User) error {
		return confirm(person, by, now)
	}, s.auditOf(operation.Actor(p), operation.ActionActivatorConfirmed, userID, ""))
}
