package store

import (
	"context"
	"strings"
)

// RightsChange says who changes the rights of people, and when, and which delay
// applies before a person may activate policies in live. The zero value applies
// no delay.
type RightsChange struct {
	By          string // the id of a user, or the operator
	NowMicros   int64
	DelayMicros int64                  // how long a person must wait after gaining the right to activate
	Activates   func(role string) bool // reports whether a role may activate
}

// move compares the states of a person before and after a change. If the person gained or lost the right to
// activate, it records this in the state after the change. Before the tenant's first activation in live there is no
// delay, because there is nothing to protect yet.
func (s RightsChange) move(tx *staffTx, before User, after *User) error {
	if s.Activates == nil {
		return nil
	}
	was, is := s.may(before), s.may(*after)
	if was == is {
		return nil
	}
	armed, err := tx.everActivated()
	if err != nil {
		return err
	}
	switch {
	case !armed:
		after.MayActivateMicros, after.MadeBy, after.StoppedMicros, after.StoppedBy = 0, "", 0, ""
	case is:
		return s.delay(tx, after)
	default:
		after.StoppedMicros, after.StoppedBy = s.NowMicros, s.By
	}
	return nil
}

// begin records, like move, whether a new person has the right to activate.
func (s RightsChange) begin(tx *staffTx, u *User) error { return s.move(tx, User{}, u) }

// renew restarts the delay of a person whose password or second factor was changed by someone else.
func (s RightsChange) renew(tx *staffTx, userID string) error {
	if s.Activates == nil {
		return nil
	}
	u, err := tx.user(userID)
	if err != nil || !s.may(u) {
		return err
	}
	armed, err := tx.everActivated()
	if err != nil || !armed {
		return err
	}
	if err := s.delay(tx, &u); err != nil {
		return err
	}
	return tx.updateRights(u)
}

// ConfirmedBy is a prefix in User.MadeBy, followed by the id of a user. It says that an identity provider gave the
// person the right to activate, and that this user has confirmed it. Until MayActivateMicros the person and the user
// count as one person.
const ConfirmedBy = "confirmed:"

// delay sets the delay of a person. The person's MadeBy is the user who makes the change or, if the delay of that
// user is not over, the MadeBy of that user.
func (s RightsChange) delay(tx *staffTx, u *User) error {
	by := s.By
	maker, err := tx.user(by)
	switch {
	case err != nil && !isRefusal(err):
		return err
	case err == nil && maker.MayActivateMicros > s.NowMicros:
		by = strings.TrimPrefix(maker.MadeBy, ConfirmedBy)
	}
	u.MayActivateMicros, u.MadeBy = s.NowMicros+s.DelayMicros, by
	return nil
}

func (s RightsChange) may(u User) bool {
	return u.ID != "" && u.DisabledMicros == 0 && s.Activates(u.Role)
}

// everActivated reports whether a policy is active in live.
func (tx *staffTx) everActivated() (bool, error) {
	var found int64
	err := tx.within("live").one([]any{&found}, `SELECT count(*) FROM series
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND active_id <> ''`)
	return found > 0, err
}

// ConfirmActivator changes the rights of the person with the id userID. Parameter "by" is the id of the user who
// confirms the person. ConfirmActivator returns NotFound if one of the two is not in the tenant. confirm changes the
// person, or returns an error that refuses the change.
func (st *Staff) ConfirmActivator(
	ctx context.Context, userID, by string, confirm func(person *User, by User) error, audit AuditEntry,
) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.lock(); err != nil {
			return err
		}
		person, err := tx.user(userID)
		if err != nil {
			return err
		}
		other, err := tx.user(by)
		if err != nil {
			return err
		}
		if err := confirm(&person, other); err != nil {
			return err
		}
		if err := tx.updateRights(person); err != nil {
			return err
		}
		return tx.audit(audit)
	})
}
