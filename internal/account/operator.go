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

// Tenants returns a page of the tenants whose ids are greater than the id "after". If that id is "", it returns
// the first page.
func (s *Operator) Tenants(ctx context.Context, after string) ([]tenant.Tenant, error) {
	rows, err := s.core.DB.Accounts().ListTenants(ctx, after)
	if err != nil {
		return nil, err
	}

	list := make([]tenant.Tenant, len(rows))
	for i, t := range rows {
		list[i] = tenantOf(t)
	}

	return list, nil
}

// Tenant returns the tenant with the id, or NotFound.
func (s *Operator) Tenant(ctx context.Context, id string) (tenant.Tenant, error) {
	t, err := s.core.DB.Accounts().Tenant(ctx, id)
	return tenantOf(t), err
}

func tenantOf(t store.Tenant) tenant.Tenant {
	return tenant.Tenant{
		ID:        t.ID,
		OrgName:   t.OrgName,
		Plan:      t.Plan,
		CreatedAt: operation.Time(t.CreatedMicros),
	}
}

// SetPlan moves a tenant to another plan, which takes effect within a second. It returns
// Invalid if there is no such plan.
func (s *Operator) SetPlan(ctx context.Context, tenantID, plan string) error {
	if _, ok := s.options.Plans.Get(plan); !ok {
		return operation.Invalid("/plan", fault.CodeInvalidField,
			fmt.Sprintf("must be one of %v", s.options.Plans.Names()))
	}
	now := s.core.Moment()
	return s.core.DB.Accounts().SetPlan(ctx, tenantID, plan,
		s.core.AuditBy(operation.ActorOperator, string(tenant.Live), now, operation.ActionPlanSet, tenantID, plan))
}

// NewKey describes a key to be created.
type NewKey struct {
	TenantID    string
	UserID      string // the owner
	Environment tenant.Environment
	Name        string
	Scopes      tenant.Scopes
	ExpiresAt   time.Time // zero for never
	By          string    // the actor who creates it, "" for the operator
}

// CreateKey creates a key. Only this call returns the key itself.
func (s *Operator) CreateKey(ctx context.Context, n NewKey) (tenant.Key, tenant.APIKey, error) {
	return s.createKey(ctx, n)
}

// Keys returns a tenant's keys like APIKeys.
func (s *Operator) Keys(ctx context.Context, tenantID string) ([]tenant.APIKey, error) {
	return s.keysOf(ctx, tenantID)
}

// RevokeKey revokes a key permanently. Every node refuses it within a second.
func (s *Operator) RevokeKey(ctx context.Context, tenantID, keyID string) (tenant.APIKey, error) {
	return s.revokeKey(ctx, tenantID, keyID, operation.ActorOperator)
}

// Users returns a tenant's people.
func (s *Operator) Users(ctx context.Context, tenantID string) ([]User, error) {
	return s.users(ctx, tenantID)
}

// CreateUser adds a person to a tenant.
func (s *Operator) CreateUser(
	ctx context.Context, tenantID, email string, password tenant.Secret, role tenant.Role,
) (User, error) {
	var faults fault.List
	address, ok := tenant.NormaliseEmail(email)
	if !ok {
		faults.Add("/email", fault.CodeInvalidEmail, "must be an e-mail address such as asha@example.in")
	}
	if role.Scopes() == 0 {
		faults.Add("/role", fault.CodeInvalidField, roleDetail)
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
		ID:            s.core.IDs.New(tenant.KindUser, now),
		TenantID:      tenantID,
		Email:         address,
		PasswordHash:  hash.Reveal(),
		Role:          string(role),
		CreatedMicros: now.UnixMicro(),
	}
	err = s.core.DB.Accounts().InsertUser(ctx, u, s.rightsChange(operation.ActorOperator),
		s.core.AuditBy(operation.ActorOperator, string(tenant.Live), now, operation.ActionUserAdded, u.ID, ""))
	return userOf(u), err
}

// ResetPassword sets a new password for a person who forgot the old password, and ends all sessions of the person.
// It returns NotFound if the tenant has no such person. It returns email_taken if an account of another tenant has
// the address: then the person can sign in only through the provider. The service sends no mail, so the operator
// must tell the person the new password.
func (s *Operator) ResetPassword(ctx context.Context, tenantID, email string, password tenant.Secret) error {
	address, _ := tenant.NormaliseEmail(email)
	var faults fault.List
	s.options.Passwords.Check(&faults, "/password", password.Reveal(), address)
	if err := faults.Err(); err != nil {
		return err
	}

	user, err := s.userByEmail(ctx, tenantID, email)
	if err == nil && user.AddressElsewhere {
		err = fault.New(fault.Conflict, fault.CodeEmailTaken,
			"an account of another tenant has this e-mail address, so this person cannot have a password; the person "+
				"signs in through the identity provider")
	}
	if err != nil {
		return err
	}

	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}

	ended, err := s.core.DB.Staff(tenantID).SetPassword(ctx, user.ID, user.PasswordHash, hash.Reveal(),
		store.ConsoleSession{}, s.rightsChange(operation.ActorOperator),
		s.auditOf(operation.ActorOperator, operation.ActionPasswordChanged, user.ID, ""))
	s.forget(ended...)
	return err
}

// userByEmail returns a person of a tenant, or NotFound.
func (s *Operator) userByEmail(ctx context.Context, tenantID, email string) (store.User, error) {
	address, _ := tenant.NormaliseEmail(email)
	people, err := s.core.DB.Staff(tenantID).Users(ctx)
	if err != nil {
		return store.User{}, err
	}

	at := slices.IndexFunc(people, func(u store.User) bool { return u.Email == address })
	if at < 0 {
		return store.User{}, fault.Missing("user")
	}

	return people[at], nil
}
