package store

import (
	"context"
	"slices"
	"strings"

	"verdict/internal/fault"
)

// SecondFactor is the second factor of a person with a password.
type SecondFactor struct {
	UserID          string
	Secret          string   // encrypted, if the database has a master key
	Recovery        []string // hashes of the unused recovery codes
	LastStep        int64    // the time step of the last code that was accepted
	CreatedMicros   int64
	ConfirmedMicros int64 // 0 until the person has typed a code
}

// FactorProof is the code that a person has typed and that the caller has checked: the time step
// of a code, or else the hash of a recovery code. The zero value proves nothing.
type FactorProof struct {
	Secret   string // the stored secret that the code was checked with
	Step     int64
	Recovery string
}

// SecondFactor returns the second factor of a person, even if it is not confirmed. It returns NotFound if there is
// none.
func (st *Staff) SecondFactor(ctx context.Context, userID string) (SecondFactor, error) {
	var f SecondFactor
	err := st.read(ctx, func(tx *staffTx) (err error) {
		f, err = tx.secondFactor(userID)
		return err
	})
	return f, err
}

func (tx *staffTx) secondFactor(userID string) (SecondFactor, error) {
	var f SecondFactor
	var recovery string
	err := tx.one([]any{&f.UserID, &f.Secret, &recovery, &f.LastStep, &f.CreatedMicros, &f.ConfirmedMicros},
		`SELECT user_id, secret, recovery, last_step, created_micros, confirmed_micros FROM second_factors
		WHERE tenant_id = $1 AND user_id = $2`, userID)
	f.Recovery = strings.Fields(recovery)
	return f, orNotFound("second factor", err)
}

// PeopleWithFactor returns the ids of the people who have confirmed a second factor.
func (st *Staff) PeopleWithFactor(ctx context.Context) (ids []string, err error) {
	err = st.read(ctx, func(tx *staffTx) (err error) {
		ids, err = tx.firstColumn("SELECT user_id FROM second_factors WHERE tenant_id = $1 AND confirmed_micros > 0")
		return err
	})
	return ids, err
}

// BeginSecondFactor stores a second factor that the person has to confirm. It replaces an unconfirmed factor of the
// person. It returns Conflict invalid_transition if the person has a confirmed factor, and NotFound if the password
// hash is no longer passwordHash or the person is disabled.
func (st *Staff) BeginSecondFactor(ctx context.Context, f SecondFactor, passwordHash string) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.lockUser(f.UserID, passwordHash); err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM second_factors "+
			"WHERE tenant_id = $1 AND user_id = $2 AND confirmed_micros = 0",
			f.UserID); err != nil {
			return err
		}
		added, err := tx.exec(`INSERT INTO second_factors (tenant_id, user_id, secret, recovery, last_step,
			created_micros, confirmed_micros) VALUES ($1, $2, $3, '', 0, $4, 0) ON CONFLICT DO NOTHING`,
			f.UserID, f.Secret, f.CreatedMicros)
		if err == nil && added == 0 {
			return fault.New(fault.Conflict, fault.CodeInvalidTransition, "the account has a second factor already")
		}
		return err
	})
}

// lockUser locks the tenant, and a person whose password hash is passwordHash and who is not
// disabled. It returns NotFound if there is no such person.
func (tx *staffTx) lockUser(userID, passwordHash string) error {
	if err := tx.lock(); err != nil {
		return err
	}
	var id string
	return orNotFound("user", tx.one([]any{&id}, `SELECT id FROM users WHERE tenant_id = $1 AND id = $2
		AND password_hash = $3 AND disabled_micros = 0`+tx.transaction.db.dialect.forUpdate, userID, passwordHash))
}

// ConfirmSecondFactor confirms a second factor, stores its recovery codes, and ends all sessions of the person except
// exceptSession. It returns the hashes of the ended sessions. It returns Conflict nothing_to_confirm if the stored
// factor is another one or is confirmed already.
func (st *Staff) ConfirmSecondFactor(
	ctx context.Context, f SecondFactor, exceptSession string, audit AuditEntry,
) (ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) error {
		if err := tx.lock(); err != nil {
			return err
		}
		changed, err := tx.exec(`UPDATE second_factors SET confirmed_micros = $4, last_step = $5, recovery = $6
			WHERE tenant_id = $1 AND user_id = $2 AND secret = $3 AND confirmed_micros = 0`,
			f.UserID, f.Secret, f.ConfirmedMicros, f.LastStep, strings.Join(f.Recovery, " "))
		if err != nil {
			return err
		}
		if changed == 0 {
			return fault.New(fault.Conflict, fault.CodeNothingToConfirm,
				"there is no second factor that waits for its first code; set it up again")
		}
		if ended, err = tx.endSessions(f.UserID, exceptSession); err != nil {
			return err
		}
		return tx.audit(audit)
	})
	return ended, err
}

// ReplaceRecovery replaces the recovery codes of a person who has proved the second factor.
func (st *Staff) ReplaceRecovery(
	ctx context.Context, userID string, proof FactorProof, hashes []string, audit AuditEntry,
) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.useProof(userID, proof); err != nil {
			return err
		}
		if _, err := tx.exec("UPDATE second_factors SET recovery = $3 WHERE tenant_id = $1 AND user_id = $2",
			userID, strings.Join(hashes, " ")); err != nil {
			return err
		}
		return tx.audit(audit)
	})
}

// RemoveSecondFactor removes the second factor of a person who has proved it.
func (st *Staff) RemoveSecondFactor(ctx context.Context, userID string, proof FactorProof, audit AuditEntry) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.useProof(userID, proof); err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM second_factors WHERE tenant_id = $1 AND user_id = $2", userID); err != nil {
			return err
		}
		return tx.audit(audit)
	})
}

// ResetSecondFactor removes the second factor of a person, ends the person's sessions and returns their hashes. It
// returns NotFound if the person has no second factor.
func (st *Staff) ResetSecondFactor(
	ctx context.Context, userID string, by RightsChange, audit AuditEntry,
) (ended []string, err error) {
	err = st.write(ctx, func(tx *staffTx) error {
		ended = nil
		if err := tx.lock(); err != nil {
			return err
		}
		removed, err := tx.exec("DELETE FROM second_factors WHERE tenant_id = $1 AND user_id = $2", userID)
		if err != nil {
			return err
		}
		if removed == 0 {
			return fault.Missing("second factor")
		}
		if err := by.renew(tx, userID); err != nil {
			return err
		}
		if ended, err = tx.endSessions(userID, ""); err != nil {
			return err
		}
		return tx.audit(audit)
	})
	return ended, err
}

// RequireSecondFactor sets the time from which the tenant requires a second factor of everybody with a password; 0
// means that it requires none. It ends no session, but returns the hashes of all of the tenant's sessions, because
// their permissions change.
func (st *Staff) RequireSecondFactor(
	ctx context.Context, sinceMicros int64, audit AuditEntry,
) (sessions []string, err error) {
	err = st.write(ctx, func(tx *staffTx) (err error) {
		if err := tx.lock(); err != nil {
			return err
		}
		if _, err := tx.exec("UPDATE tenants SET second_factor_micros = $2 WHERE id = $1", sinceMicros); err != nil {
			return err
		}
		if sessions, err = tx.firstColumn("SELECT hash FROM sessions WHERE tenant_id = $1"); err != nil {
			return err
		}
		return tx.audit(audit)
	})
	return sessions, err
}

// useProof accepts a code once. It returns Unauthenticated second_factor_required if the person has a confirmed
// factor and the proof is empty. It returns Unauthenticated wrong_code if the code was used already or the factor was
// changed after the code was checked. Without a confirmed factor it accepts only an empty proof.
func (tx *staffTx) useProof(userID string, proof FactorProof) error {
	if err := tx.lock(); err != nil {
		return err
	}
	f, err := tx.secondFactor(userID)
	if err != nil && !isRefusal(err) {
		return err
	}
	switch given := proof != (FactorProof{}); {
	case err != nil || f.ConfirmedMicros == 0:
		if given {
			return WrongCode()
		}
		return nil
	case !given:
		return fault.New(fault.Unauthenticated, fault.CodeSecondFactorRequired, "type the code of your second factor")
	case proof.Secret != f.Secret:
		return WrongCode()
	case proof.Recovery != "":
		at := slices.Index(f.Recovery, proof.Recovery)
		if at < 0 {
			return WrongCode()
		}
		_, err := tx.exec("UPDATE second_factors SET recovery = $3 WHERE tenant_id = $1 AND user_id = $2",
			userID, strings.Join(slices.Delete(f.Recovery, at, at+1), " "))
		return err
	case proof.Step <= f.LastStep:
		return WrongCode()
	}
	_, err = tx.exec("UPDATE second_factors SET last_step = $3 WHERE tenant_id = $1 AND user_id = $2",
		userID, proof.Step)
	return err
}

// WrongCode returns the refusal of a code of a second factor.
func WrongCode() error {
	return fault.New(fault.Unauthenticated, fault.CodeWrongCode, "the code is wrong or was used already")
}

// FactorName names the second factor of a person.
type FactorName struct{ Tenant, UserID, Secret string }

// FactorsToSeal returns at most limit second factors whose secret is stored unencrypted, in the order of tenants and
// people. Parameter "after" is the last factor of the previous call, and the zero value for the first call.
func (sys *System) FactorsToSeal(ctx context.Context, after FactorName, limit int) (found []FactorName, err error) {
	err = sys.read(ctx, func(s *transaction) error {
		found = nil // the read may be repeated
		return s.each(func(scan func(...any) error) error {
			var f FactorName
			err := scan(&f.Tenant, &f.UserID, &f.Secret)
			found = append(found, f)
			return err
		}, "SELECT tenant_id, user_id, secret FROM second_factors WHERE secret NOT LIKE 'sealed:%' "+
			"AND (tenant_id, user_id) > ($1, $2) ORDER BY tenant_id, user_id LIMIT $3",
			after.Tenant, after.UserID, int64(limit))
	})
	return found, err
}

// SealFactor replaces the readable secret of a second factor by its ciphertext. It does nothing if
// the secret was changed meanwhile.
func (st *Staff) SealFactor(ctx context.Context, userID, readable, sealed string) error {
	return st.write(ctx, func(tx *staffTx) error {
		_, err := tx.exec("UPDATE second_factors SET secret = $4 WHERE tenant_id = $1 AND user_id = $2 AND secret = $3",
			userID, readable, sealed)
		return err
	})
}
