package store

import (
	"context"

	"verdict/internal/fault"
)

// SignupCode allows one signup. It holds the hash of the code, never the code.
type SignupCode struct {
	Hash          string
	CreatedMicros int64
	ExpiresMicros int64
}

// AddSignupCode stores a code and removes expired ones.
func (a *Accounts) AddSignupCode(ctx context.Context, c SignupCode) error {
	return a.write(ctx, "signup codes", func(s *transaction) error {
		if _, err := s.exec("DELETE FROM signup_codes WHERE expires_micros <= $1", c.CreatedMicros); err != nil {
			return err
		}
		_, err := s.exec("INSERT INTO signup_codes (hash, created_micros, expires_micros) VALUES ($1, $2, $3)",
			c.Hash, c.CreatedMicros, c.ExpiresMicros)
		return err
	})
}

// useSignupCode removes a valid code. It returns Forbidden invalid_invite_code
// if there is none.
func useSignupCode(s *transaction, hash string, nowMicros int64) error {
	used, err := s.exec("DELETE FROM signup_codes WHERE hash = $1 AND expires_micros > $2", hash, nowMicros)
	if err == nil && used == 0 {
		return fault.New(fault.Forbidden, fault.CodeInvalidInviteCode,
			"the invite_code is unknown, used or expired; ask the operator of this service for a new one")
	}
	return err
}
