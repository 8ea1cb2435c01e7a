package store

import (
	"context"

	"verdict/internal/fault"
)

// Tenant is an organisation that signed up.
type Tenant struct {
	ID            string
	OrgName       string
	Plan          string
	CreatedMicros int64
	SeenMicros    int64 // when the first authenticated request came or the operator created the tenant, 0 if neither
	ClosingMicros int64 // when the tenant began to close because it is unused; 0 if it is not closing

	SecondFactorMicros int64 // since when everybody with a password needs a second factor; 0 if nobody does
}

const tenantColumns = "t.id, t.org_name, t.plan, t.created_micros, t.seen_micros, t.closing_micros, " +
	"t.second_factor_micros"

func (t *Tenant) fields() []any {
	return []any{&t.ID, &t.OrgName, &t.Plan, &t.CreatedMicros, &t.SeenMicros, &t.ClosingMicros,
		&t.SecondFactorMicros}
}

// User is a person of a tenant. The e-mail address is in lower case. It is unique
// across all tenants among people who can sign in with it and a password, and
// unique within a tenant among all people (see address.go).
type User struct {
	ID            string
	TenantID      string
	Email         string
	PasswordHash  string
	Role          string
	CreatedMicros int64

	DisabledMicros int64 // when access was disabled; 0 if it was not

	// AddressElsewhere is set if an account of another tenant had the e-mail address
	// when this person was added. The person can sign in only through the provider.
	AddressElsewhere bool

	// MayActivateMicros is the time from which the person may activate in live; 0 means no delay. MadeBy says who
	// gave the person this right. StoppedMicros is when the person last lost the right; 0 means never. StoppedBy says
	// who took it away.
	MayActivateMicros int64
	MadeBy            string
	StoppedMicros     int64
	StoppedBy         string
}

const userColumns = `id, tenant_id, email, password_hash, role, created_micros, disabled_micros,
	may_activate_micros, made_by, stopped_micros, stopped_by`

func (u *User) fields() []any {
	return []any{&u.ID, &u.TenantID, addressColumn{u}, &u.PasswordHash, &u.Role, &u.CreatedMicros, &u.DisabledMicros,
		&u.MayActivateMicros, &u.MadeBy, &u.StoppedMicros, &u.StoppedBy}
}

// Seed is the data that a signup creates, in one transaction.
type Seed struct {
	CodeHash     string // hash of the signup code that is used, "" for none
	Tenant       Tenant
	User         User
	Keys         []Key
	Environments []SeedEnvironment
}

// SeedEnvironment is the initial data of one environment. The rule sets whose
// status is active are activated in their order.
type SeedEnvironment struct {
	Environment string
	RuleSets    []RuleSet
	SafeID      string // the id of the rule set that stops lending
	Scorecards  []Scorecard
	Audit       []AuditEntry
}

// CreateTenant stores a signup in one transaction. It returns Conflict
// email_taken if a user has the e-mail address already, and Forbidden
// invalid_invite_code if the signup code is not valid.
func (a *Accounts) CreateTenant(ctx context.Context, seed Seed) error {
	return a.write(ctx, seed.Tenant.ID, func(s *transaction) error {
		t := seed.Tenant
		if seed.CodeHash != "" {
			if err := useSignupCode(s, seed.CodeHash, t.CreatedMicros); err != nil {
				return err
			}
		}
		if _, err := s.exec(
			"INSERT INTO tenants (id, org_name, plan, created_micros, seen_micros) VALUES ($1, $2, $3, $4, $5)",
			t.ID, t.OrgName, t.Plan, t.CreatedMicros, t.SeenMicros); err != nil {
			return err
		}
		user := seed.User
		user.TenantID = t.ID
		if err := insertUser(s, user); err != nil {
			return err
		}
		for _, key := range seed.Keys {
			key.TenantID = t.ID
			if err := insertKey(s, key, key.CreatedBy); err != nil {
				return err
			}
		}
		for _, environment := range seed.Environments {
			if err := environment.insert(s.within(t.ID, environment.Environment)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e SeedEnvironment) insert(tx *Tx) error {
	for _, set := range e.RuleSets {
		if _, err := tx.RuleSets().Insert(set); err != nil {
			return err
		}
		if set.ID == e.SafeID {
			if _, err := tx.exec(`UPDATE series SET safe_id = $4
				WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`,
				set.PolicyKey, set.ID); err != nil {
				return err
			}
		}
		if set.Status != StatusActive {
			continue
		}
		first := Activation{ID: set.ID, NowMicros: set.CreatedMicros, Actor: set.CreatedBy}
		if _, err := tx.RuleSets().Activate(first); err != nil {
			return err
		}
	}
	for _, card := range e.Scorecards {
		if _, err := tx.Scorecards().Insert(card); err != nil {
			return err
		}
	}
	return tx.Audit().Add(e.Audit...)
}

// InsertUser adds a person to a tenant. It returns Conflict email_taken if a
// user has the e-mail address already, Conflict too_many_people if the tenant
// has MaxPage people, invitations included, and NotFound if there is no such
// tenant.
func (a *Accounts) InsertUser(ctx context.Context, user User, by RightsChange, audit AuditEntry) error {
	return a.write(ctx, user.TenantID, func(s *transaction) error {
		staff := &staffTx{transaction: s, tenant: user.TenantID, rls: rlsSystem}
		if err := staff.lock(); err != nil {
			return err
		}
		if err := by.begin(staff, &user); err != nil {
			return err
		}
		if err := insertUser(s, user); err != nil {
			return err
		}
		if err := staff.checkPeople(user.CreatedMicros); err != nil {
			return err
		}
		return s.within(user.TenantID, audit.Environment).Audit().Add(audit)
	})
}

// UserByEmail returns a person by the e-mail address in lower case. It returns
// NotFound if there is none.
func (a *Accounts) UserByEmail(ctx context.Context, email string) (User, error) {
	var u User
	err := a.read(ctx, func(s *transaction) error {
		return orNotFound("user", s.one(u.fields(), "SELECT "+userColumns+" FROM users WHERE email = $1", email))
	})
	return u, err
}

// Tenant returns a tenant, NotFound if there is none.
func (a *Accounts) Tenant(ctx context.Context, id string) (Tenant, error) {
	var t Tenant
	err := a.read(ctx, func(s *transaction) (err error) {
		t, err = tenantByID(s, id)
		return err
	})
	return t, err
}

func tenantByID(s *transaction, id string) (Tenant, error) {
	var t Tenant
	err := s.one(t.fields(), "SELECT "+tenantColumns+" FROM tenants t WHERE t.id = $1", id)
	return t, orNotFound("tenant", err)
}

// ListTenants returns the tenants after an id, at most MaxPage, in the order of
// their ids. afterID is "" for the first page.
func (a *Accounts) ListTenants(ctx context.Context, afterID string) ([]Tenant, error) {
	var tenants []Tenant
	err := a.read(ctx, func(s *transaction) error {
		tenants = nil
		return s.each(func(scan func(...any) error) error {
			var t Tenant
			err := scan(t.fields()...)
			tenants = append(tenants, t)
			return err
		}, "SELECT "+tenantColumns+" FROM tenants t WHERE t.id > $1 ORDER BY t.id LIMIT $2", afterID, int64(MaxPage))
	})
	return tenants, err
}

// SetPlan changes a tenant's price plan. It returns NotFound if there is no such
// tenant.
func (a *Accounts) SetPlan(ctx context.Context, tenantID, plan string, audit AuditEntry) error {
	return a.write(ctx, tenantID, func(s *transaction) error {
		changed, err := s.exec("UPDATE tenants SET plan = $2 WHERE id = $1", tenantID, plan)
		if err != nil {
			return err
		}
		if changed == 0 {
			return fault.Missing("tenant")
		}
		return s.within(tenantID, audit.Environment).Audit().Add(audit)
	})
}
