package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"verdict/internal/account"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// signedUpBefore is how long ago the tenant signed up.
const signedUpBefore = 45 * day

// staff holds the people who do the scheduled actions.
type staff struct{ asha, ravi, meera, vikram Person }

// open signs the tenant up and adds its users.
func (f *fill) open(ctx context.Context) error {
	signed, err := f.service.Operator.Signup(ctx, tenant.Signup{
		Email: "asha@kaveri.example", OrgName: f.options.Texts.OrgName, Password: f.options.Password,
	})
	if err != nil {
		return err
	}
	f.made.TenantID, f.made.OrgName = signed.Tenant.ID, signed.Tenant.OrgName
	f.staff.asha = Person{ID: signed.UserID, Email: signed.Email, Role: string(tenant.RoleAdmin)}
	f.made.Keys = append(f.made.Keys, Key{tenant.Sandbox, signed.Key})
	f.made.People = []Person{f.staff.asha}
	for _, p := range []struct {
		who   *Person
		email string
		role  tenant.Role
	}{
		{&f.staff.ravi, "ravi@kaveri.example", tenant.RoleRisk},
		{&f.staff.meera, "meera@kaveri.example", tenant.RoleRisk},
		{&f.staff.vikram, "vikram@kaveri.example", tenant.RoleViewer},
		{new(Person), "former@kaveri.example", tenant.RoleViewer},
	} {
		f.clock.set(f.clock.now().Add(20 * time.Minute))
		user, err := f.service.Operator.CreateUser(ctx, f.made.TenantID, p.email, f.options.Password, p.role)
		if err != nil {
			return fmt.Errorf("add %s: %w", p.role, err)
		}
		*p.who = Person{ID: user.ID, Email: user.Email, Role: user.Role}
		f.made.People = append(f.made.People, *p.who)
	}
	return nil
}

// as returns the principal of a person in an environment.
func (f *fill) as(p Person, env tenant.Environment) tenant.Principal {
	plan, _ := tenant.DefaultPricePlans().Get(tenant.FreePlan)
	return tenant.Principal{
		TenantID: f.made.TenantID, Environment: env, UserID: p.ID, Scopes: tenant.Role(p.Role).Scopes(), Plan: plan,
	}
}

// newKey describes an API key of the tenant, and its later history.
type newKey struct {
	account.NewAPIKey
	made, used time.Duration // how long ago the key was created and last used
	lasts      time.Duration // time until the key expires; 0 for never
	then       string        // how the key was ended three days ago: revoked, rotated or ""
}

// The values of newKey.then, which say how a key is ended.
const (
	revoked = "revoke"
	rotated = "rotate"
)

func newKeys(texts *Texts) []newKey {
	key := func(env tenant.Environment, name string, scopes tenant.Scopes) account.NewAPIKey {
		return account.NewAPIKey{Environment: env, Name: name, Scopes: scopes}
	}
	return []newKey{
		{
			NewAPIKey: key(tenant.Live, "Loan origination", tenant.Decide|tenant.Read),
			made:      40 * day,
			used:      2 * time.Minute,
		},
		{
			NewAPIKey: key(tenant.Live, texts.KeyName, tenant.Decide),
			made:      22 * day,
			used:      3 * time.Hour,
			lasts:     90 * day,
		},
		{NewAPIKey: key(tenant.Live, "Old warehouse feed", tenant.Read), made: 41 * day, used: 9 * day, then: revoked},
		{NewAPIKey: key(tenant.Live, "Reporting", tenant.Read), made: 30 * day, used: day, then: rotated},
		{
			NewAPIKey: key(tenant.Sandbox, "Staging", tenant.Decide|tenant.Read|tenant.PolicyWrite),
			made:      35 * day,
			used:      5 * time.Hour,
		},
		{NewAPIKey: key(tenant.Sandbox, "Workshop", tenant.Decide), made: 33 * day, used: 31 * day, lasts: 5 * day},
	}
}

// administration schedules keys, an invitation, a disabled user and a sign-in.
func (f *fill) administration() {
	admin := f.as(f.staff.asha, tenant.Live)
	for _, k := range newKeys(&f.options.Texts) {
		at := f.end.Add(-k.made)
		if k.lasts > 0 {
			k.ExpiresAt = at.Add(k.lasts)
		}
		f.schedule.add(at, "make a key", func(ctx context.Context) error {
			secret, made, err := f.service.People.CreateAPIKey(ctx, f.as(f.staff.asha, k.Environment), k.NewAPIKey)
			if err != nil {
				return err
			}
			f.schedule.add(f.end.Add(-k.used), "use a key", func(ctx context.Context) error {
				_, err := f.service.Access.Authenticate(ctx, secret)
				return err
			})
			f.schedule.add(f.end.Add(-3*day), k.then+" a key", func(ctx context.Context) error {
				return f.endKey(ctx, k.then, made.ID)
			})
			if k.then == "" && k.lasts == 0 {
				f.made.Keys = append(f.made.Keys, Key{k.Environment, secret})
			}
			return nil
		})
	}
	f.schedule.add(f.end.Add(-2*day), "invite somebody", func(ctx context.Context) error {
		_, _, err := f.service.People.Invite(ctx, admin, "new.analyst@kaveri.example", tenant.RoleRisk)
		return err
	})
	f.schedule.add(f.end.Add(-10*day), "disable a person's access", func(ctx context.Context) error {
		former := &f.made.People[len(f.made.People)-1]
		former.Disabled = true
		return f.service.People.DisableUser(ctx, admin, former.ID, true)
	})
	f.schedule.add(f.end.Add(-3*time.Hour), "sign in", func(ctx context.Context) error {
		who := f.staff.asha.Email
		_, _, err := f.service.Access.SignIn(ctx, who, f.options.Password, "49.36.12.7", f.options.Texts.Browser)
		return err
	})
}

// endKey revokes or rotates a key.
func (f *fill) endKey(ctx context.Context, how, id string) (err error) {
	admin := f.as(f.staff.asha, tenant.Live)
	switch how {
	case revoked:
		_, err = f.service.People.RevokeAPIKey(ctx, admin, id)
	case rotated:
		_, _, err = f.service.People.RotateAPIKey(ctx, admin, id, 7*day)
	}
	return err
}

// body returns a document as the body of a request. All documents come from this
// package, so a document that cannot be encoded is a bug in this package.
func body(document any) wire.Value {
	data, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("demo: write a request: %v", err))
	}
	v, err := wire.Parse(data)
	if err != nil {
		panic(fmt.Sprintf("demo: read a request: %v", err))
	}
	return v
}
