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
	SeenMicros    int64 // when the first authenticated request came; 0: none has
	ClosingMicros int64 // since when it is closed because nobody uses it; 0: it is not
}

const tenantColumns = "t.id, t.org_name, t.plan, t.created_micros, t.seen_micros, t.closing_micros"

func (t *Tenant) fields() []any {
	return []any{&t.ID, &t.OrgName, &t.Plan, &t.CreatedMicros, &t.SeenMicros, &t.ClosingMicros}
}

// User is a person of a tenant. The e-mail is lower-case and unique among all.
type User struct {
	ID            string
	TenantID      string
	Email         string
	PasswordHash  string
	Role          string
	CreatedMicros int64

	DisabledMicros int64 // when they were shut out; 0: they were not

	// MayActivateMicros is from when on they may activate in live, 0 for at once,
	// and MadeBy who made them somebody who may. StoppedMicros is when they last
	// ceased to be one, 0 for never, and StoppedBy by whose doing.
	MayActivateMicros int64
	MadeBy            string
	StoppedMicros     int64
	StoppedBy         string
}

const userColumns = `id, tenant_id, email, password_hash, role, created_micros, disabled_micros,
	may_activate_micros, made_by, stopped_micros, stopped_by`

func (u *User) fields() []any {
	return []any{&u.ID, &u.TenantID, &u.Email, &u.PasswordHash, &u.Role, &u.CreatedMicros, &u.DisabledMicros,
		&u.MayActivateMicros, &u.MadeBy, &u.StoppedMicros, &u.StoppedBy}
}

// Seed is what a signup creates, all of it or nothing.
type Seed struct {
	CodeHash     string // of the signup code that it uses up, "" for none
	Tenant       Tenant
	User         User
	Keys         []Key
	Environments []SeedEnvironment
}

// SeedEnvironment is what one environment starts with. The rule sets whose
// status is active are activated in their order.
type SeedEnvironment struct {
	Environment string
	RuleSets    []RuleSet
	SafeID      string // which of them stops lending
	Scorecards  []Scorecard
	Audit       []AuditEntry
}

// CreateTenant stores a signup in one transaction: Conflict email_taken when
// somebody has the e-mail already, Forbidden invalid_invite_code.
func (sys *System) CreateTenant(ctx context.Context, seed Seed) error {
	return sys.write(ctx, seed.Tenant.ID, func(s *session) error {
		t := seed.Tenant
		if seed.CodeHash != "" {
			if err := useSignupCode(s, seed.CodeHash, t.CreatedMicros); err != nil {
				return err
			}
		}
		if _, err := s.exec("INSERT INTO tenants (id, org_name, plan, created_micros, seen_micros) VALUES ($1, $2, $3, $4, $5)",
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
			if err := insertKey(s, key); err != nil {
				return err
			}
		}
		for _, environment := range seed.Environments {
			if err := environment.plant(s.within(t.ID, environment.Environment)); err != nil {
				return err
			}
		}
		return nil
	})
}

func (e SeedEnvironment) plant(tx *Tx) error {
	for _, set := range e.RuleSets {
		if _, err := tx.RuleSets().Insert(set); err != nil {
			return err
		}
		if set.ID == e.SafeID {
			if _, err := tx.exec(`UPDATE series SET safe_id = $4
				WHERE tenant_id = $1 AND environment = $2 AND kind = 'policy' AND name = $3`, set.PolicyKey, set.ID); err != nil {
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

// InsertUser adds a person to a tenant: email_taken, or NotFound when there is
// no such tenant.
func (sys *System) InsertUser(ctx context.Context, user User, by Standing, audit AuditEntry) error {
	return sys.write(ctx, user.TenantID, func(s *session) error {
		if _, err := tenantByID(s, user.TenantID); err != nil {
			return err
		}
		if err := by.begin(&staffTx{session: s, tenant: user.TenantID, voice: systemVoice}, &user); err != nil {
			return err
		}
		if err := insertUser(s, user); err != nil {
			return err
		}
		return s.within(user.TenantID, audit.Environment).Audit().Add(audit)
	})
}

func insertUser(s *session, u User) error {
	// The conflict is looked for and not provoked: in PostgreSQL an error
	// would end the whole transaction.
	added, err := s.exec(`INSERT INTO users (tenant_id, id, email, password_hash, role, created_micros, may_activate_micros, made_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (email) DO NOTHING`,
		u.TenantID, u.ID, u.Email, u.PasswordHash, u.Role, u.CreatedMicros, u.MayActivateMicros, u.MadeBy)
	if err == nil && added == 0 {
		return fault.New(fault.Conflict, fault.CodeEmailTaken, "this e-mail address has an account already")
	}
	return err
}

// UserByEmail finds a person by the lower-case e-mail, for a login.
func (sys *System) UserByEmail(ctx context.Context, email string) (User, error) {
	var u User
	err := sys.read(ctx, func(s *session) error {
		return oneOf("user", s.one(u.fields(), "SELECT "+userColumns+" FROM users WHERE email = $1", email))
	})
	return u, err
}

// Tenant finds a tenant by id.
func (sys *System) Tenant(ctx context.Context, id string) (Tenant, error) {
	var t Tenant
	err := sys.read(ctx, func(s *session) (err error) {
		t, err = tenantByID(s, id)
		return err
	})
	return t, err
}

func tenantByID(s *session, id string) (Tenant, error) {
	var t Tenant
	err := s.one(t.fields(), "SELECT "+tenantColumns+" FROM tenants t WHERE t.id = $1", id)
	return t, oneOf("tenant", err)
}

// ListTenants returns the tenants after an id, "" for the first, in the order
// of their ids and at most MaxPage of them.
func (sys *System) ListTenants(ctx context.Context, afterID string) ([]Tenant, error) {
	var tenants []Tenant
	err := sys.read(ctx, func(s *session) error {
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

// SetPlan moves a tenant to another plan.
func (sys *System) SetPlan(ctx context.Context, tenantID, plan string, audit AuditEntry) error {
	return sys.write(ctx, tenantID, func(s *session) error {
		changed, err := s.exec("UPDATE tenants SET plan = $2 WHERE id = $1", tenantID, plan)
		if err != nil {
			return err
		}
		if changed == 0 {
			return notFound("tenant")
		}
		return s.within(tenantID, audit.Environment).Audit().Add(audit)
	})
}
