package account

import (
	"context"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
)

// User is a person of a tenant.
type User struct {
	ID, Email, Role string
	CreatedAt       time.Time
	DisabledAt      time.Time // zero if the person can sign in

	MayActivateAt time.Time // when a new activator may activate in live; zero: immediately
	MadeBy        string    // who gave the person the right to activate, a user or the operator
	StoppedAt     time.Time // when the person last lost that right
}

// Waits reports whether a new activator is still waiting.
func (u User) Waits(now time.Time) bool {
	return u.DisabledAt.IsZero() && activates(u.Role) && now.Before(u.MayActivateAt)
}

// CountsUntil returns the time until which a former activator still counts, the zero time if the
// person does not count as a former activator.
func (u User) CountsUntil(now time.Time) time.Time {
	return countsUntil(store.User{
		Role:           u.Role,
		DisabledMicros: operation.Micros(u.DisabledAt),
		StoppedMicros:  operation.Micros(u.StoppedAt),
	}, now)
}

func userOf(u store.User) User {
	return User{
		ID:            u.ID,
		Email:         u.Email,
		Role:          u.Role,
		CreatedAt:     operation.Time(u.CreatedMicros),
		DisabledAt:    operation.Time(u.DisabledMicros),
		MayActivateAt: operation.Time(u.MayActivateMicros),
		MadeBy:        u.MadeBy,
		StoppedAt:     operation.Time(u.StoppedMicros),
	}
}

// users returns a tenant's people.
func (s *shared) users(ctx context.Context, tenantID string) ([]User, error) {
	rows, err := s.core.DB.Staff(tenantID).Users(ctx)
	if err != nil {
		return nil, err
	}

	list := make([]User, len(rows))
	for i, u := range rows {
		list[i] = userOf(u)
	}

	return list, nil
}
