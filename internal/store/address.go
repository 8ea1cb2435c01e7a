package store

import (
	"fmt"
	"strings"

	"verdict/internal/fault"
)

// The column users.email is unique across all tenants, because people sign in with an address and a password before
// the tenant is known. Nobody verifies the address of a signup. So an address that is in use elsewhere must not stop
// a person whom an identity provider signs in: that person is found by the identity and not by the address.
//
// If an account of another tenant has the address, the column therefore contains the address, a space and the id of
// the person's own tenant in lower case. No address contains a space, so nobody can sign in with such a value and a
// password.

// addressWithin returns the value of users.email for a person whose address is in use in another tenant.
func addressWithin(tenantID, email string) string { return email + " " + strings.ToLower(tenantID) }

// addressColumn scans users.email.
type addressColumn struct{ u *User }

// Scan implements sql.Scanner.
func (c addressColumn) Scan(value any) error {
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case []byte:
		text = string(v)
	default:
		return fmt.Errorf("users.email has the type %T", value)
	}
	c.u.Email, _, c.u.AddressElsewhere = strings.Cut(text, " ")
	return nil
}

// insertUser adds a person. It returns Conflict email_taken if another person has the e-mail address.
func insertUser(s *transaction, u User) error {
	found := false
	err := s.each(func(scan func(...any) error) error {
		found = true
		var id string
		return scan(&id)
	}, "SELECT id FROM users WHERE email = $1 AND tenant_id = $2", addressWithin(u.TenantID, u.Email), u.TenantID)
	if err != nil {
		return err
	}
	if found {
		return emailTaken()
	}
	added, err := insertUserRow(s, u, u.Email)
	if err == nil && !added {
		return emailTaken()
	}
	return err
}

// insertSignedOn adds a person whom an identity provider has signed in. It returns Conflict email_taken if another
// person of the same tenant has the e-mail address.
func insertSignedOn(tx *staffTx, u User) error {
	within := addressWithin(u.TenantID, u.Email)
	same, err := tx.firstColumn("SELECT id FROM users WHERE tenant_id = $1 AND email IN ($2, $3)", u.Email, within)
	if err != nil {
		return err
	}
	if len(same) > 0 {
		return emailTaken()
	}
	for _, email := range []string{u.Email, within} {
		added, err := insertUserRow(tx.transaction, u, email)
		if err != nil || added {
			return err
		}
	}
	return emailTaken()
}

// insertUserRow adds a person whose column users.email gets the value email, and reports whether it added the row. If
// the value is taken, it adds nothing. An error instead would abort the whole transaction in PostgreSQL.
func insertUserRow(s *transaction, u User, email string) (bool, error) {
	added, err := s.exec(
		`INSERT INTO users (tenant_id, id, email, password_hash, role, created_micros, may_activate_micros, made_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (email) DO NOTHING`,
		u.TenantID, u.ID, email, u.PasswordHash, u.Role, u.CreatedMicros, u.MayActivateMicros, u.MadeBy)
	return added > 0, err
}

func emailTaken() error {
	return fault.New(fault.Conflict, fault.CodeEmailTaken, "this e-mail address has an account already")
}
