//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func identity(tenant, subject string) store.Identity {
	return store.Identity{
		UserID: "usr_" + tenant, Connection: "acme", Issuer: "https://id.example", Subject: subject,
		CreatedMicros: 1000,
	}
}

// signOn returns a sign-in of a subject with a role.
func signOn(subject, email, role, session string) store.SignOn {
	i := identity("", subject)
	i.UserID = ""
	return store.SignOn{
		Identity: i,
		User:     store.User{ID: "usr_" + subject, Email: email, Role: role, CreatedMicros: 2000},
		Session: store.ConsoleSession{
			ID: session, Hash: "hash_" + session, Connection: "acme", CreatedMicros: 2000, SeenMicros: 2000,
			ExpiresMicros: 9000,
		},
		By: by(2000),
		Audit: func(action, userID, object, note string) store.AuditEntry {
			return store.AuditEntry{
				ID: "aud_" + session + action, Environment: live, Actor: userID, Action: action, Object: object,
				Note: note,
			}
		},
		Added: "user.created", RoleSet: "user.role_set", Disabled: "user.disabled", SignedIn: "session.created",
	}
}

// TestSignOn checks who is added, changed and refused by a sign-in through a provider.
func TestSignOn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		ctx, staff := t.Context(), db.Staff("ten_A")
		try := func(tenant string, s store.SignOn, want store.SignOnResult) []string {
			t.Helper()
			result, ended, err := db.Staff(tenant).SignOn(ctx, s)
			if err != nil || result != want {
				t.Fatalf("%s: %d, %v; want %d", s.Session.ID, result, err, want)
			}
			return ended
		}
		try("ten_A", signOn("sub_1", "ravi@example.in", "", "ses_0"), store.NoRole)
		try("ten_A", signOn("sub_1", "ravi@example.in", "risk", "ses_1"), store.SignedOn)
		c, u, _, err := db.Accounts().SessionByHash(ctx, "hash_ses_1")
		if err != nil || c.Connection != "acme" || u.ID != "usr_sub_1" || u.TenantID != "ten_A" ||
			u.PasswordHash != "" {
			t.Errorf("the session is %+v of %+v, %v", c, u, err)
		}

		// A person is found by the identity and not by the address. An address that another person of the same tenant
		// has is refused.
		again := signOn("sub_1", "other@example.in", "risk", "ses_2")
		again.User.ID = "usr_unused"
		if ended := try("ten_A", again, store.SignedOn); len(ended) != 0 {
			t.Errorf("ended %v", ended)
		}
		_, _, err = staff.SignOn(ctx, signOn("sub_2", "ravi@example.in", "risk", "ses_3"))
		wantKind(t, err, fault.Conflict, fault.CodeEmailTaken)
		try("ten_B", signOn("sub_1x", "b@example.in", "viewer", "ses_b"), store.SignedOn)

		ended := try("ten_A", signOn("sub_1", "ravi@example.in", "viewer", "ses_4"), store.SignedOn)
		slices.Sort(ended)
		if diff := cmp.Diff([]string{"hash_ses_1", "hash_ses_2"}, ended); diff != "" {
			t.Errorf("another role ended (-want +got):\n%s", diff)
		}
		kept := signOn("sub_1", "ravi@example.in", "admin", "ses_k")
		kept.KeepRole = true
		try("ten_A", kept, store.SignedOn)
		if u, err := staff.User(ctx, "usr_sub_1"); err != nil || u.Role != "viewer" {
			t.Errorf("the person has the role %s, %v", u.Role, err)
		}
		ended = try("ten_A", signOn("sub_1", "ravi@example.in", "", "ses_5"), store.NoRole)
		slices.Sort(ended)
		if diff := cmp.Diff([]string{"hash_ses_4", "hash_ses_k"}, ended); diff != "" {
			t.Errorf("no role ended (-want +got):\n%s", diff)
		}
		try("ten_A", signOn("sub_1", "ravi@example.in", "risk", "ses_6"), store.UserDisabled)
		u, err = staff.User(ctx, "usr_sub_1")
		if err != nil || u.DisabledMicros != 2000 || u.Role != "viewer" {
			t.Errorf("the person is %+v, %v", u, err)
		}

		// The last administrator is linked, and keeps the role.
		wantKind(t, staff.LinkIdentity(ctx, identity("ten_A", "sub_9"), passwordHash, store.AuditEntry{}), 0, "")
		_, _, err = staff.SignOn(ctx, signOn("sub_9", "a@example.in", "viewer", "ses_7"))
		wantKind(t, err, fault.Conflict, fault.CodeLastAdmin)
		_, _, err = staff.SignOn(ctx, signOn("sub_9", "a@example.in", "", "ses_7"))
		wantKind(t, err, fault.Conflict, fault.CodeLastAdmin)
	})
}

// TestSignOnAddresses checks that a provider can add a person although an account of another tenant has the same
// address, and that the person is then found by the identity alone.
func TestSignOnAddresses(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		ctx, staff := t.Context(), db.Staff("ten_A")
		const email = "ten_b@example.in" // the address of the user who signed up ten_B
		first, err := db.Accounts().UserByEmail(ctx, email)
		wantKind(t, err, 0, "")
		try := func(tenant string, s store.SignOn) error {
			_, _, err := db.Staff(tenant).SignOn(ctx, s)
			return err
		}
		wantKind(t, try("ten_A", signOn("sub_1", email, "risk", "ses_1")), 0, "")
		_, u, _, err := db.Accounts().SessionByHash(ctx, "hash_ses_1")
		if err != nil || u.ID != "usr_sub_1" || u.TenantID != "ten_A" || u.Email != email || !u.AddressElsewhere {
			t.Errorf("signed in as %+v, %v", u, err)
		}
		people, err := staff.Users(ctx)
		if err != nil || len(people) != 2 || people[1].Email != email {
			t.Errorf("the people are %+v, %v", people, err)
		}
		found, err := db.Accounts().UserByEmail(ctx, email)
		if diff := cmp.Diff(first, found); err != nil || diff != "" {
			t.Errorf("%v, the account of the signup changed (-was +is):\n%s", err, diff)
		}

		// An address can belong to only one person of a tenant, in whatever way the second person is added.
		wantKind(t, try("ten_A", signOn("sub_2", email, "risk", "ses_2")), fault.Conflict, fault.CodeEmailTaken)
		wantKind(t, try("ten_B", signOn("sub_2", email, "risk", "ses_2")), fault.Conflict, fault.CodeEmailTaken)
		wantKind(t, try("ten_A", signOn("sub_3", "c@example.in", "risk", "ses_3")), 0, "")
		wantKind(t, try("ten_B", signOn("sub_3", "c@example.in", "risk", "ses_4")), 0, "")
		again := store.User{ID: "usr_new", TenantID: "ten_B", Email: "c@example.in", PasswordHash: passwordHash,
			Role: "risk"}
		wantKind(t, db.Accounts().InsertUser(ctx, again, by(2000), store.AuditEntry{Environment: live}),
			fault.Conflict, fault.CodeEmailTaken)
	})
}

// TestIdentities checks linking, and that a tenant sees no identity of another.
func TestIdentities(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		addUser(t, db, "ten_A", "usr_1", "risk")
		ctx, staff := t.Context(), db.Staff("ten_A")
		link := func(staff *store.Staff, userID, subject, hash string) error {
			i := identity("", subject)
			i.UserID = userID
			return staff.LinkIdentity(ctx, i, hash, store.AuditEntry{})
		}
		wantNotFound(t, link(staff, "usr_1", "sub_1", "the password changed"))
		wantNotFound(t, link(db.Staff("ten_B"), "usr_1", "sub_1", passwordHash))
		wantKind(t, link(staff, "usr_1", "sub_1", passwordHash), 0, "")
		wantKind(t, link(staff, "usr_1", "sub_2", passwordHash), fault.Conflict, fault.CodeIdentityTaken)
		wantKind(t, link(staff, "usr_ten_A", "sub_1", passwordHash), fault.Conflict, fault.CodeIdentityTaken)
		wantKind(t, link(db.Staff("ten_B"), "usr_ten_B", "sub_1", passwordHash), 0, "")
		list, err := staff.Identities(ctx)
		if err != nil || len(list) != 1 || list[0].UserID != "usr_1" || list[0].Subject != "sub_1" {
			t.Errorf("the identities are %+v, %v", list, err)
		}
		_, err = db.Staff("ten_B").UnlinkIdentity(ctx, "usr_1", store.AuditEntry{})
		wantNotFound(t, err)
		if _, err := staff.UnlinkIdentity(ctx, "usr_1", store.AuditEntry{}); err != nil {
			t.Error(err)
		}
		_, err = staff.UnlinkIdentity(ctx, "usr_1", store.AuditEntry{})
		wantNotFound(t, err)

		// Without a password, the identity is the only way to sign in.
		if _, _, err := staff.SignOn(ctx, signOn("sub_3", "c@example.in", "risk", "ses_1")); err != nil {
			t.Fatal(err)
		}
		_, err = staff.UnlinkIdentity(ctx, "usr_sub_3", store.AuditEntry{})
		wantNotFound(t, err)
	})
}

// confirmedFactor gives the first user of a tenant a second factor with two recovery codes.
func confirmedFactor(t *testing.T, staff *store.Staff, tenant string) store.SecondFactor {
	t.Helper()
	f := store.SecondFactor{UserID: "usr_" + tenant, Secret: "sealed:x", CreatedMicros: 1000}
	wantKind(t, staff.BeginSecondFactor(t.Context(), f, passwordHash), 0, "")
	f.ConfirmedMicros, f.LastStep, f.Recovery = 2000, 50, []string{"r1", "r2"}
	if _, err := staff.ConfirmSecondFactor(t.Context(), f, "", store.AuditEntry{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSecondFactor checks that a session begins only with a code that was not used before.
func TestSecondFactor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		ctx, staff := t.Context(), db.Staff("ten_A")
		number := 0
		open := func(proof store.FactorProof) error {
			number++
			return staff.OpenSession(ctx, consoleSession("ten_A", numbered("ses", number)), passwordHash, proof,
				store.AuditEntry{})
		}
		wantKind(t, open(store.FactorProof{}), 0, "")
		wantKind(t, open(store.FactorProof{Secret: "x", Step: 1}), fault.Unauthenticated, fault.CodeWrongCode)
		pending := store.SecondFactor{UserID: "usr_ten_A", Secret: "sealed:other", CreatedMicros: 1000}
		wantNotFound(t, staff.BeginSecondFactor(ctx, pending, "the password changed"))
		wantNotFound(t, db.Staff("ten_B").BeginSecondFactor(ctx, pending, passwordHash))
		wantKind(t, staff.BeginSecondFactor(ctx, pending, passwordHash), 0, "")
		wantKind(t, open(store.FactorProof{}), 0, "") // the factor is not confirmed
		f := confirmedFactor(t, staff, "ten_A")
		wantKind(t, staff.BeginSecondFactor(ctx, pending, passwordHash), fault.Conflict, fault.CodeInvalidTransition)
		_, err := staff.ConfirmSecondFactor(ctx, f, "", store.AuditEntry{})
		wantKind(t, err, fault.Conflict, fault.CodeNothingToConfirm)

		wantKind(t, open(store.FactorProof{}), fault.Unauthenticated, fault.CodeSecondFactorRequired)
		for name, proof := range map[string]store.FactorProof{
			"the step of the confirmation": {Secret: f.Secret, Step: 50},
			"an earlier step":              {Secret: f.Secret, Step: 49},
			"another secret":               {Secret: "sealed:other", Step: 51},
			"an unknown recovery code":     {Secret: f.Secret, Recovery: "r3"},
		} {
			if err := open(proof); fault.CodeOf(err) != fault.CodeWrongCode {
				t.Errorf("%s: %v", name, err)
			}
		}
		wantKind(t, open(store.FactorProof{Secret: f.Secret, Step: 51}), 0, "")
		wantKind(t, open(store.FactorProof{Secret: f.Secret, Step: 51}), fault.Unauthenticated, fault.CodeWrongCode)
		wantKind(t, open(store.FactorProof{Secret: f.Secret, Recovery: "r1"}), 0, "")
		wantKind(t, open(store.FactorProof{Secret: f.Secret, Recovery: "r1"}), fault.Unauthenticated,
			fault.CodeWrongCode)
		c, _, _, err := db.Accounts().SessionByHash(ctx, "hash_ten_A"+numbered("ses", 1))
		if fault.KindOf(err) != fault.NotFound {
			t.Errorf("the session from before the factor is %+v, %v", c, err)
		}
		got, err := staff.SecondFactor(ctx, "usr_ten_A")
		if err != nil || got.LastStep != 51 || !slices.Equal(got.Recovery, []string{"r2"}) {
			t.Errorf("the factor is %+v, %v", got, err)
		}
		if people, err := db.Staff("ten_B").PeopleWithFactor(ctx); err != nil || len(people) != 0 {
			t.Errorf("another tenant sees %v, %v", people, err)
		}
		_, err = db.Staff("ten_B").ResetSecondFactor(ctx, "usr_ten_A", by(3000), store.AuditEntry{})
		wantNotFound(t, err)
		ended, err := staff.ResetSecondFactor(ctx, "usr_ten_A", by(3000), store.AuditEntry{})
		if err != nil || len(ended) != 2 {
			t.Errorf("the reset ended %v, %v", ended, err)
		}
		wantKind(t, open(store.FactorProof{}), 0, "")
	})
}

// TestSecondFactorOnce checks that one session begins if the same code is used many times concurrently.
func TestSecondFactorOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		staff := db.Staff("ten_A")
		f := confirmedFactor(t, staff, "ten_A")
		for _, proof := range []store.FactorProof{
			{Secret: f.Secret, Step: 60}, {Secret: f.Secret, Recovery: "r1"},
		} {
			errs := make([]error, 10)
			var all sync.WaitGroup
			for i := range errs {
				all.Go(func() {
					session := consoleSession("ten_A", numbered("ses"+proof.Recovery, i))
					errs[i] = staff.OpenSession(t.Context(), session, passwordHash, proof, store.AuditEntry{})
				})
			}
			all.Wait()
			in := 0
			for _, err := range errs {
				switch {
				case err == nil:
					in++
				case fault.CodeOf(err) != fault.CodeWrongCode:
					t.Error(err)
				}
			}
			if in != 1 {
				t.Errorf("%d people used one code %+v", in, proof)
			}
		}
	})
}
