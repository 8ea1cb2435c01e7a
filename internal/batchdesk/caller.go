package batchdesk

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// callerChecked is the interval at which the rights of a batch's creator are read again while rows are decided.
const callerChecked = time.Second

// caller returns the principal for which the rows are decided: the creator of the batch, with the present plan. If the
// creator may no longer decide, refusal is the outcome of the rows that are left: key_revoked if the API key was
// revoked, insufficient_scope if the person was disabled or has lost the right. A key that has expired keeps its
// rights, because the batch was accepted before the key expired (ADR 27).
func (s *Service) caller(
	ctx context.Context, scope *store.Scope, b *store.BatchJob,
) (p tenant.Principal, refusal *fault.Error, err error) {
	owner, err := s.core.DB.Accounts().Tenant(ctx, scope.Tenant())
	if err != nil {
		return p, nil, err
	}
	plan, ok := s.options.Plans.Get(owner.Plan)
	if !ok {
		return p, nil, fmt.Errorf("tenant %s is on the plan %q, which this installation does not have", owner.ID,
			owner.Plan)
	}
	p = tenant.Principal{
		TenantID:    owner.ID,
		Environment: tenant.Environment(scope.Environment()),
		Plan:        plan,
	}
	if tenant.Valid(tenant.KindKey, b.CreatedBy) {
		p.KeyID = b.CreatedBy
		p.Scopes, refusal, err = s.keyScopes(ctx, p)
	} else {
		p.UserID = b.CreatedBy
		p.Scopes, refusal, err = s.personScopes(ctx, p)
	}
	if err == nil && refusal == nil {
		refusal = fault.Of(p.Require(tenant.Decide))
	}
	p.Scopes = tenant.Decide
	return p, refusal, err
}

// keyScopes returns the scopes that the API key of a principal has now.
func (s *Service) keyScopes(
	ctx context.Context, p tenant.Principal,
) (scopes tenant.Scopes, refusal *fault.Error, err error) {
	key, err := s.core.DB.Accounts().KeyByID(ctx, p.TenantID, p.KeyID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return 0, nil, err
	}
	if err != nil || key.RevokedMicros != 0 {
		return 0, fault.New(fault.Unauthenticated, fault.CodeKeyRevoked,
			"the API key that started this batch was revoked before this row was decided; send the row again with "+
				"another key"), nil
	}
	scopes, err = tenant.ParseScopes(key.Scopes)
	if err != nil {
		return 0, nil, fmt.Errorf("key %s: %w", key.ID, err)
	}
	return tenant.Role(key.OwnerRole).Allow(scopes, key.OwnerDisabledMicros == 0), nil, nil
}

// personScopes returns the scopes that the person of a principal has now.
func (s *Service) personScopes(
	ctx context.Context, p tenant.Principal,
) (scopes tenant.Scopes, refusal *fault.Error, err error) {
	person, err := s.core.DB.Staff(p.TenantID).User(ctx, p.UserID)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return 0, nil, err
	}
	if err != nil || person.DisabledMicros != 0 {
		return 0, fault.New(fault.Forbidden, fault.CodeInsufficientScope,
			"the person who started this batch was disabled before this row was decided; let another person send the "+
				"row again"), nil
	}
	return tenant.Role(person.Role).Scopes(), nil, nil
}

// mayGoOn reads the rights of the creator again if they were read more than callerChecked ago. If the creator has lost
// them, all further rows are refused. If the read fails, the rows continue, and a later call reads the rights again.
func (d *deciding) mayGoOn(ctx context.Context) {
	now := d.s.core.Now().UnixMicro()
	checked := d.checked.Load()
	if now-checked < callerChecked.Microseconds() || !d.checked.CompareAndSwap(checked, now) {
		return
	}
	if _, refusal, err := d.s.caller(ctx, d.scope, &d.batch); err == nil && refusal != nil {
		d.rest.Store(refusal)
	}
}
