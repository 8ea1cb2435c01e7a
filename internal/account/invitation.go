package account

import (
	"context"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/tenant"
)

// invitationLife is how long an invitation is valid.
const invitationLife = 72 * time.Hour

// Invitation is an invitation to join a tenant.
type Invitation struct {
	ID, Email, Role      string
	OrgName              string // the name of the tenant; set only by Access.Invitation
	InvitedBy            string // the id of a user
	CreatedAt, ExpiresAt time.Time
}

func invitationOf(i store.Invitation, orgName string) Invitation {
	return Invitation{
		ID:        i.ID,
		Email:     i.Email,
		Role:      i.Role,
		OrgName:   orgName,
		InvitedBy: i.InvitedBy,
		CreatedAt: operation.Time(i.CreatedMicros),
		ExpiresAt: operation.Time(i.ExpiresMicros),
	}
}

// Invite creates an invitation, which replaces an earlier invitation of the same e-mail address.
// It refuses with email_taken if the address already has an account. The token is for the link,
// and only this call returns it.
func (s *People) Invite(
	ctx context.Context, p tenant.Principal, email string, role tenant.Role,
) (Invitation, tenant.Token, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return Invitation{}, tenant.Token{}, err
	}

	var faults fault.List
	address, ok := tenant.NormaliseEmail(email)
	if !ok {
		faults.Add("/email", fault.CodeInvalidEmail, "must be an e-mail address such as asha@example.in")
	}
	if role.Scopes() == 0 {
		faults.Add("/role", fault.CodeInvalidField, roleDetail)
	}
	if err := faults.Err(); err != nil {
		return Invitation{}, tenant.Token{}, err
	}

	switch _, err := s.core.DB.Accounts().UserByEmail(ctx, address); {
	case err == nil:
		return Invitation{}, tenant.Token{}, fault.New(fault.Conflict, fault.CodeEmailTaken,
			"this e-mail address has an account already")
	case fault.KindOf(err) != fault.NotFound:
		return Invitation{}, tenant.Token{}, err
	}

	token, err := tenant.MintToken(s.core.Random)
	if err != nil {
		return Invitation{}, tenant.Token{}, err
	}

	now := s.core.Moment()
	record := store.Invitation{
		ID:            s.core.IDs.New(tenant.KindInvitation, now),
		Email:         address,
		Role:          string(role),
		Hash:          tenant.HashToken(token).String(),
		InvitedBy:     p.UserID,
		CreatedMicros: now.UnixMicro(),
		ExpiresMicros: now.Add(invitationLife).UnixMicro(),
	}
	err = s.core.DB.Staff(p.TenantID).Invite(ctx, record,
		s.auditOf(operation.Actor(p), operation.ActionInvited, record.ID, string(role)))
	if err != nil {
		return Invitation{}, tenant.Token{}, err
	}

	return invitationOf(record, ""), token, nil
}

// Invitations returns the invitations that can still be accepted.
func (s *People) Invitations(ctx context.Context, p tenant.Principal) ([]Invitation, error) {
	if err := p.Require(tenant.Admin); err != nil {
		return nil, err
	}

	rows, err := s.core.DB.Staff(p.TenantID).Invitations(ctx, s.core.Now().UnixMicro())
	if err != nil {
		return nil, err
	}

	list := make([]Invitation, len(rows))
	for i, row := range rows {
		list[i] = invitationOf(row, "")
	}

	return list, nil
}

// RevokeInvitation withdraws an invitation that has not been accepted. It returns NotFound if
// there is no such invitation.
func (s *People) RevokeInvitation(ctx context.Context, p tenant.Principal, id string) error {
	if err := p.Require(tenant.Admin); err != nil {
		return err
	}
	if !tenant.Valid(tenant.KindInvitation, id) {
		return fault.Missing("invitation")
	}
	return s.core.DB.Staff(p.TenantID).RevokeInvitation(ctx, id,
		s.auditOf(operation.Actor(p), operation.ActionInvitationRevoked, id, ""))
}

// Invitation returns the invitation of a link's token. It refuses with invitation_ended if there
// is none.
func (s *Access) Invitation(ctx context.Context, token tenant.Token) (Invitation, error) {
	record, owner, err := s.invitation(ctx, token)
	return invitationOf(record, owner.OrgName), err
}

func (s *Access) invitation(ctx context.Context, token tenant.Token) (store.Invitation, store.Tenant, error) {
	record, owner, err := s.core.DB.Accounts().InvitationByHash(ctx, tenant.HashToken(token).String())
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return store.Invitation{}, store.Tenant{}, invitationEnded()
	case err != nil:
		return store.Invitation{}, store.Tenant{}, err
	case !s.core.Now().Before(operation.Time(record.ExpiresMicros)):
		return store.Invitation{}, store.Tenant{}, invitationEnded()
	}
	return record, owner, nil
}

func invitationEnded() error {
	return fault.New(fault.NotFound, fault.CodeInvitationEnded,
		"this invitation was accepted, withdrawn or has expired; ask for a new one")
}

// AcceptInvitation creates a user with the invitation's e-mail address and signs the user in. A
// link works once.
func (s *Access) AcceptInvitation(
	ctx context.Context, token tenant.Token, password tenant.Secret, address, agent string,
) (Session, tenant.Token, error) {
	record, owner, err := s.invitation(ctx, token)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	var faults fault.List
	s.options.Passwords.Check(&faults, "/password", password.Reveal(), record.Email)
	if err := faults.Err(); err != nil {
		return Session{}, tenant.Token{}, err
	}

	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	now := s.core.Moment()
	user := store.User{
		ID:            s.core.IDs.New(tenant.KindUser, now),
		Email:         record.Email,
		PasswordHash:  hash.Reveal(),
		Role:          record.Role,
		CreatedMicros: now.UnixMicro(),
	}
	begins, fresh, err := s.newSession(user.ID, address, agent, now)
	if err != nil {
		return Session{}, tenant.Token{}, err
	}

	err = s.core.DB.Staff(owner.ID).Accept(ctx, record.ID, user, begins, s.rightsChange(record.InvitedBy),
		s.auditOf(user.ID, operation.ActionInvitationUsed, record.ID, user.ID))
	if fault.KindOf(err) == fault.NotFound {
		err = invitationEnded()
	}

	return s.welcome(ctx, fresh, err)
}
