package account

import (
	"context"
	"slices"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// User is a person of a tenant.
type User struct {
	ID, Email, Role string
	CreatedAt       time.Time
	DisabledAt      time.Time // zero if the person can sign in

	MayActivateAt time.Time // when a new activator may activate in live; zero means immediately
	MadeBy        string    // who gave the right to activate, or who confirmed it: a user, the operator or a connection
	StoppedAt     time.Time // when the person last lost that right

	// The next three fields say how the person signs in. Only ListWithSignIn sets Connection and
	// SecondFactor.
	HasPassword  bool
	Connection   string // the connection whose provider signs the person in, "" for none
	SecondFactor bool   // whether the password has a second factor
}

// Waits reports whether a new activator is still waiting.
func (u User) Waits(now time.Time) bool {
	return waits(store.User{
		Role:              u.Role,
		DisabledMicros:    operation.Micros(u.DisabledAt),
		MayActivateMicros: operation.Micros(u.MayActivateAt),
		MadeBy:            u.MadeBy,
	}, now)
}

// CountsUntil returns the time until which a former activator still counts, or the zero time if
// the person does not count as a former activator.
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
		HasPassword:   u.PasswordHash != "",
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

// ListWithSignIn returns the tenant's people like List, and how they sign in.
func (s *People) ListWithSignIn(ctx context.Context, p tenant.Principal) ([]User, error) {
	list, err := s.List(ctx, p)
	if err != nil {
		return nil, err
	}

	staff := s.core.DB.Staff(p.TenantID)
	identities, err := staff.Identities(ctx)
	if err != nil {
		return nil, err
	}

	withFactor, err := staff.PeopleWithFactor(ctx)
	if err != nil {
		return nil, err
	}

	connections := map[string]string{}
	for _, i := range identities {
		connections[i.UserID] = i.Connection
	}
	for i := range list {
		list[i].Connection = connections[list[i].ID]
		list[i].SecondFactor = slices.Contains(withFactor, list[i].ID)
	}

	return list, nil
}
