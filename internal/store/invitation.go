package store

import (
	"context"
	"slices"

	"verdict/internal/fault"
)

// Invitation is an invitation to join a tenant. It holds the hash of the token
// in its link, never the token.
type Invitation struct {
	ID            string
	TenantID      string // set by the Staff handle
	Email         string
	Role          string
	Hash          string
	InvitedBy     string
	CreatedMicros int64
	ExpiresMicros int64
}

const invitationColumns = "i.id, i.tenant_id, i.email, i.role, i.hash, i.invited_by, i.created_micros, i.expires_micros"

func (i *Invitation) fields() []any {
	return []any{&i.ID, &i.TenantID, &i.Email, &i.Role, &i.Hash, &i.InvitedBy, &i.CreatedMicros, &i.ExpiresMicros}
}

// InvitationByHash returns an invitation with its tenant, even if it has
// expired.
func (a *Accounts) InvitationByHash(ctx context.Context, hash string) (Invitation, Tenant, error) {
	var i Invitation
	var t Tenant
	err := a.read(ctx, func(s *transaction) error {
		dest := slices.Concat(i.fields(), t.fields())
		return orNotFound("invitation", s.one(dest, "SELECT "+invitationColumns+", "+tenantColumns+`
			FROM invitations i JOIN tenants t ON t.id = i.tenant_id WHERE i.hash = $1`, hash))
	})
	return i, t, err
}

// Invite adds an invitation and replaces an earlier one for the same e-mail
// address. It returns Conflict too_many_people if the tenant has MaxPage
// people, invitations included, and NotFound if the inviting user is no longer
// an active administrator.
func (st *Staff) Invite(ctx context.Context, i Invitation, audit AuditEntry) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.lock(); err != nil {
			return err
		}
		by, err := tx.user(i.InvitedBy)
		if err == nil && (by.DisabledMicros != 0 || by.Role != adminRole) {
			err = fault.Missing("user")
		}
		if err != nil {
			return err
		}
		if _, err := tx.exec("DELETE FROM invitations WHERE tenant_id = $1 AND email = $2", i.Email); err != nil {
			return err
		}
		if _, err := tx.exec(
			`INSERT INTO invitations (tenant_id, id, email, role, hash, invited_by, created_micros, expires_micros)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			i.ID, i.Email, i.Role, i.Hash, i.InvitedBy, i.CreatedMicros, i.ExpiresMicros); err != nil {
			return err
		}
		if err := tx.checkPeople(i.CreatedMicros); err != nil {
			return err
		}
		return tx.audit(audit)
	})
}

// checkPeople returns Conflict too_many_people if the tenant has more than
// MaxPage people, invitations included. The caller has locked the tenant and
// has added the new person or invitation.
//
// If the tenant by now has an account with the e-mail address of an invitation, the invitation cannot be accepted,
// so it does not count. Expired invitations do not count either. They are deleted, because a node whose clock is
// behind would still accept them.
func (tx *staffTx) checkPeople(nowMicros int64) error {
	if _, err := tx.exec("DELETE FROM invitations WHERE tenant_id = $1 AND expires_micros <= $2",
		nowMicros); err != nil {
		return err
	}
	var people int64
	err := tx.one([]any{&people}, `SELECT (SELECT count(*) FROM users WHERE tenant_id = $1) +
		(SELECT count(*) FROM invitations i WHERE i.tenant_id = $1 AND NOT EXISTS
			(SELECT 1 FROM users u WHERE u.tenant_id = $1 AND u.email IN (i.email, i.email || ' ' || lower($1))))`)
	if err == nil && people > MaxPage {
		return fault.New(fault.Conflict, fault.CodeTooManyPeople,
			"a tenant can have at most %d people, including invitations", MaxPage)
	}
	return err
}

// Invitations returns the invitations that have not expired, oldest first.
func (st *Staff) Invitations(ctx context.Context, nowMicros int64) ([]Invitation, error) {
	var found []Invitation
	err := st.read(ctx, func(tx *staffTx) error {
		found = nil
		return tx.each(func(scan func(...any) error) error {
			var i Invitation
			err := scan(i.fields()...)
			found = append(found, i)
			return err
		}, "SELECT "+invitationColumns+` FROM invitations i WHERE i.tenant_id = $1 AND i.expires_micros > $2
			ORDER BY i.created_micros, i.id LIMIT $3`, nowMicros, int64(MaxPage))
	})
	return found, err
}

// RevokeInvitation deletes an invitation. It returns NotFound if there is none,
// for instance because it was accepted.
func (st *Staff) RevokeInvitation(ctx context.Context, id string, audit AuditEntry) error {
	return st.write(ctx, func(tx *staffTx) error {
		removed, err := tx.exec("DELETE FROM invitations WHERE tenant_id = $1 AND id = $2", id)
		if err != nil {
			return err
		}
		if removed == 0 {
			return fault.Missing("invitation")
		}
		return tx.audit(audit)
	})
}

// Accept turns an invitation into a user with a session, in one transaction. It
// returns NotFound if the invitation was accepted or revoked or has expired,
// and Conflict email_taken if another user has the e-mail address by now.
func (st *Staff) Accept(
	ctx context.Context, id string, u User, begins ConsoleSession, by RightsChange, audit AuditEntry,
) error {
	return st.write(ctx, func(tx *staffTx) error {
		if err := tx.lock(); err != nil {
			return err
		}
		removed, err := tx.exec("DELETE FROM invitations WHERE tenant_id = $1 AND id = $2 AND email = $3 AND role = "+
			"$4 AND expires_micros > $5",
			id, u.Email, u.Role, u.CreatedMicros)
		if err != nil {
			return err
		}
		if removed == 0 {
			return fault.Missing("invitation")
		}
		u.TenantID = tx.tenant
		if err := by.begin(tx, &u); err != nil {
			return err
		}
		if err := tx.setRLS(); err != nil {
			return err
		}
		if err := insertUser(tx.transaction, u); err != nil {
			return err
		}
		if err := tx.insertSession(begins); err != nil {
			return err
		}
		return tx.audit(audit)
	})
}

// PurgeInvitations removes at most limit expired invitations of all tenants and
// returns the number removed.
func (a *Accounts) PurgeInvitations(ctx context.Context, nowMicros int64, limit int) (int64, error) {
	var removed int64
	err := a.write(ctx, "purge invitations", func(s *transaction) (err error) {
		removed, err = s.exec(`DELETE FROM invitations WHERE (tenant_id, id) IN
			(SELECT tenant_id, id FROM invitations WHERE expires_micros <= $1 LIMIT $2)`, nowMicros, int64(limit))
		return err
	})
	return removed, err
}
