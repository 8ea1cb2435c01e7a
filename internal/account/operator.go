package account

import (
	"context"
	"fmt"
	"slices"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// Tenants lists tenants after an id, "" for the first, a page at a time.
func (s *Service) Tenants(ctx context.Context, after string) ([]tenant.Tenant, error) {
	rows, err := s.core.DB.System().ListTenants(ctx, after)
	if err != nil {
		return nil, err
	}
	list := make([]tenant.Tenant, len(rows))
	for i, t := range rows {
		list[i] = tenantOf(t)
	}
	return list, nil
}

// Tenant finds a tenant.
func (s *Service) Tenant(ctx context.Context, id string) (tenant.Tenant, error) {
	t, err := s.core.DB.System().Tenant(ctx, id)
	return tenantOf(t), err
}

func tenantOf(t store.Tenant) tenant.Tenant {
	return tenant.Tenant{ID: t.ID, OrgName: t.OrgName, Plan: t.Plan, CreatedAt: operation.Time(t.CreatedMicros)}
}

// SetPlan moves a tenant to another plan, which takes effect within a second.
func (s *Service) SetPlan(ctx context.Context, tenantID, plan string) error {
	if _, ok := s.options.Plans.Get(plan); !ok {
		return operation.Invalid("/plan", fault.CodeInvalidField, fmt.Sprintf("must be one of %v", s.options.Plans.Names()))
	}
	now := s.core.Moment()
	return s.core.DB.System().SetPlan(ctx, tenantID, plan, s.core.AuditBy(operation.ActorOperator, string(tenant.Live), now, operation.ActionPlanSet, tenantID, plan))
}

// NewKey describes a key to be made.
type NewKey struct {
	TenantID    string
	UserID      string // whose key it is
	Environment tenant.Environment
	Name        string
	Scopes      tenant.Scopes
	ExpiresAt   time.Time // zero for never
	By          string    // who makes it, "" for the operator
}

// CreateKey makes a key. It is returned in the clear, this once.
func (s *Service) CreateKey(ctx context.Context, n NewKey) (tenant.Key, tenant.APIKey, error) {
	now := s.core.Moment()
	var faults fault.List
	name := tenant.CheckKeyName(&faults, "/name", n.Name)
	if !n.Environment.Valid() {
		faults.Add("/environment", fault.CodeInvalidField, "must be sandbox or live")
	}
	if n.Scopes == 0 {
		faults.Add("/scopes", fault.CodeRequired, "must name at least one scope")
	}
	if !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now) {
		faults.Add("/expires_at", fault.CodeOutOfRange, "must lie in the future")
	}
	if err := faults.Err(); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	owner, err := s.belongs(ctx, n.TenantID, n.UserID)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	if may := owner.Scopes(); !may.Has(n.Scopes) {
		return tenant.Key{}, tenant.APIKey{}, operation.Invalid("/scopes", fault.CodeInvalidField,
			fmt.Sprintf("the role of the person, %s, has no more than %s; name fewer scopes or give the person another role", owner, may))
	}
	key, err := tenant.MintKey(n.Environment, s.core.Random)
	if err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	by := n.By
	if by == "" {
		by = operation.ActorOperator
	}
	record := store.Key{
		ID: s.core.IDs.New(tenant.KindKey, now), TenantID: n.TenantID, Environment: string(n.Environment), Name: name,
		Prefix: key.Prefix(), Hash: keyHash(tenant.HashKey(key)), Scopes: n.Scopes.String(), CreatedBy: n.UserID,
		CreatedMicros: now.UnixMicro(), ExpiresMicros: operation.Micros(n.ExpiresAt),
	}
	if err := s.core.DB.System().InsertKey(ctx, record, s.core.AuditBy(by, record.Environment, now, operation.ActionKeyCreated, record.ID, name)); err != nil {
		return tenant.Key{}, tenant.APIKey{}, err
	}
	shown, err := apiKey(record)
	return key, shown, err
}

// belongs returns the role of a user, and refuses one who is none of the
// tenant's: whose key it is decides who counts as a second person.
func (s *Service) belongs(ctx context.Context, tenantID, userID string) (tenant.Role, error) {
	users, err := s.core.DB.Staff(tenantID).Users(ctx)
	if err != nil {
		return "", err
	}
	for _, u := range users {
		if u.ID == userID {
			return tenant.Role(u.Role), nil
		}
	}
	return "", operation.Missing("user of this tenant")
}

// Keys lists a tenant's keys of both environments, the revoked ones too.
func (s *Service) Keys(ctx context.Context, tenantID string) ([]tenant.APIKey, error) {
	rows, err := s.core.DB.System().ListKeys(ctx, tenantID, s.core.Moment().UnixMicro())
	if err != nil {
		return nil, err
	}
	list := make([]tenant.APIKey, len(rows))
	for i, k := range rows {
		if list[i], err = apiKey(k); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// RevokeKey ends a key for good. Every node refuses it within a second.
func (s *Service) RevokeKey(ctx context.Context, tenantID, keyID string) (tenant.APIKey, error) {
	return s.revokeKey(ctx, tenantID, keyID, operation.ActorOperator)
}

// User is a person of a tenant.
type User struct {
	ID, Email, Role string
	CreatedAt       time.Time
	DisabledAt      time.Time // zero: they can sign in

	MayActivateAt time.Time // from when on they may activate in live; zero: at once
	MadeBy        string    // who made them somebody who may, a user or the operator
	StoppedAt     time.Time // when they last ceased to be one
}

// Waits reports whether somebody may activate only later, unless confirmed.
func (u User) Waits(now time.Time) bool {
	return u.DisabledAt.IsZero() && activates(u.Role) && now.Before(u.MayActivateAt)
}

// CountsUntil returns until when somebody counts as one who may activate and may
// not any more, the zero time for who does not count.
func (u User) CountsUntil(now time.Time) time.Time {
	return countsUntil(store.User{Role: u.Role, DisabledMicros: operation.Micros(u.DisabledAt), StoppedMicros: operation.Micros(u.StoppedAt)}, now)
}

func userOf(u store.User) User {
	return User{
		ID: u.ID, Email: u.Email, Role: u.Role, CreatedAt: operation.Time(u.CreatedMicros), DisabledAt: operation.Time(u.DisabledMicros),
		MayActivateAt: operation.Time(u.MayActivateMicros), MadeBy: u.MadeBy, StoppedAt: operation.Time(u.StoppedMicros),
	}
}

// Users lists a tenant's people.
func (s *Service) Users(ctx context.Context, tenantID string) ([]User, error) {
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

// CreateUser adds a person to a tenant.
func (s *Service) CreateUser(ctx context.Context, tenantID, email string, password tenant.Secret, role tenant.Role) (User, error) {
	var faults fault.List
	address, ok := tenant.NormaliseEmail(email)
	if !ok {
		faults.Add("/email", fault.CodeInvalidEmail, "must be an e-mail address such as asha@example.in")
	}
	if role.Scopes() == 0 {
		faults.Add("/role", fault.CodeInvalidField, "is not a role")
	}
	s.options.Passwords.Check(&faults, "/password", password.Reveal(), email)
	if err := faults.Err(); err != nil {
		return User{}, err
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return User{}, err
	}
	now := s.core.Moment()
	u := store.User{
		ID: s.core.IDs.New(tenant.KindUser, now), TenantID: tenantID, Email: address, PasswordHash: hash.Reveal(),
		Role: string(role), CreatedMicros: now.UnixMicro(),
	}
	err = s.core.DB.System().InsertUser(ctx, u, s.standing(operation.ActorOperator), s.core.AuditBy(operation.ActorOperator, string(tenant.Live), now, operation.ActionUserAdded, u.ID, ""))
	return userOf(u), err
}

// ResetPassword gives a person who forgot their password another one, and ends
// all their sessions. The service sends no mail, so the operator hands it over.
func (s *Service) ResetPassword(ctx context.Context, tenantID, email string, password tenant.Secret) error {
	address, _ := tenant.NormaliseEmail(email)
	var faults fault.List
	s.options.Passwords.Check(&faults, "/password", password.Reveal(), address)
	if err := faults.Err(); err != nil {
		return err
	}
	staff := s.core.DB.Staff(tenantID)
	people, err := staff.Users(ctx)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(people, func(u store.User) bool { return u.Email == address })
	if at < 0 {
		return operation.Missing("user")
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	ended, err := staff.SetPassword(ctx, people[at].ID, people[at].PasswordHash, hash.Reveal(), store.ConsoleSession{}, s.standing(operation.ActorOperator),
		s.auditOf(operation.ActorOperator, operation.ActionPasswordChanged, people[at].ID, ""))
	s.forget(ended...)
	return err
}
