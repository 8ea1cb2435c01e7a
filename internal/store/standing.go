package store

import "context"

// Standing is who changes what people may do, when, and what follows for
// activating in live. Its zero value changes nothing of that.
type Standing struct {
	By          string // a user, or the operator
	NowMicros   int64
	DelayMicros int64                  // how long somebody waits who begins to be one who may activate
	Activates   func(role string) bool // whether who has a role may activate
}

// move notes that somebody began or ceased to be one who may activate. Before
// the tenant's first activation in live there is nothing to protect.
func (s Standing) move(tx *staffTx, before User, after *User) error {
	if s.Activates == nil {
		return nil
	}
	was, is := s.may(before), s.may(*after)
	if was == is {
		return nil
	}
	armed, err := tx.armed()
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

// begin is move for somebody who was not there before.
func (s Standing) begin(tx *staffTx, u *User) error { return s.move(tx, User{}, u) }

// renew has somebody wait whose password was set by another.
func (s Standing) renew(tx *staffTx, userID string) error {
	if s.Activates == nil {
		return nil
	}
	u, err := tx.user(userID)
	if err != nil || !s.may(u) {
		return err
	}
	armed, err := tx.armed()
	if err != nil || !armed {
		return err
	}
	if err := s.delay(tx, &u); err != nil {
		return err
	}
	return tx.keep(u)
}

// delay has somebody wait. Whoever waits too makes nobody in their own name:
// what they do counts as done by who made them.
func (s Standing) delay(tx *staffTx, u *User) error {
	by := s.By
	maker, err := tx.user(by)
	switch {
	case err != nil && !isRefusal(err):
		return err
	case err == nil && maker.MayActivateMicros > s.NowMicros:
		by = maker.MadeBy
	}
	u.MayActivateMicros, u.MadeBy = s.NowMicros+s.DelayMicros, by
	return nil
}

func (s Standing) may(u User) bool { return u.ID != "" && u.DisabledMicros == 0 && s.Activates(u.Role) }

// armed reports whether anything was ever activated in live.
func (tx *staffTx) armed() (bool, error) {
	var found int64
	err := tx.within("live").one([]any{&found}, `SELECT count(*) FROM series
		WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND active_id <> ''`)
	return found > 0, err
}

// ConfirmActivator ends somebody's waiting: NotFound when the tenant has no such
// person. allow refuses it, looking at the person and at who confirms.
func (st *Staff) ConfirmActivator(ctx context.Context, userID, by string, allow func(person, by User) error, audit AuditEntry) error {
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
		if err := allow(person, other); err != nil {
			return err
		}
		person.MayActivateMicros = 0
		if err := tx.keep(person); err != nil {
			return err
		}
		return tx.audit(audit)
	})
}
