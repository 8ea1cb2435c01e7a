//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package storetest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// passwordHash is the password hash of the first user of the fixture.
const passwordHash = "argon2id"

func consoleSession(tenant, id string) store.ConsoleSession {
	return store.ConsoleSession{
		ID: id, TenantID: tenant, UserID: "usr_" + tenant, Hash: "hash_" + tenant + id, Address: "203.0.113.7",
		Agent: "Firefox", CreatedMicros: 1000, SeenMicros: 1000, ExpiresMicros: 9000,
	}
}

func invitation(tenant, id string) store.Invitation {
	return store.Invitation{
		ID: id, TenantID: tenant, Email: id + "@example.in", Role: "risk", Hash: "hash_" + tenant + id,
		InvitedBy: "usr_" + tenant, CreatedMicros: 1000, ExpiresMicros: 9000,
	}
}

// fillStaff inserts a row into every table of a tenant's people.
func fillStaff(t *testing.T, db *store.DB, tenant string) error {
	t.Helper()
	staff := db.Staff(tenant)
	if err := staff.OpenSession(
		t.Context(), consoleSession(tenant, "ses_1"), passwordHash, store.FactorProof{}, store.AuditEntry{},
	); err != nil {
		return err
	}
	if err := staff.LinkIdentity(t.Context(), identity(tenant, "sub_1"), passwordHash, store.AuditEntry{}); err != nil {
		return err
	}
	factor := store.SecondFactor{UserID: "usr_" + tenant, Secret: "sealed:x", CreatedMicros: 1000}
	if err := staff.BeginSecondFactor(t.Context(), factor, passwordHash); err != nil {
		return err
	}
	return staff.Invite(t.Context(), invitation(tenant, "inv_1"), store.AuditEntry{})
}

func addUser(t *testing.T, db *store.DB, tenant, id, role string) store.User {
	t.Helper()
	u := store.User{
		ID:            id,
		TenantID:      tenant,
		Email:         id + "@example.in",
		PasswordHash:  passwordHash,
		Role:          role,
		CreatedMicros: 200,
	}
	if err := db.Accounts().InsertUser(t.Context(), u, store.RightsChange{}, store.AuditEntry{}); err != nil {
		t.Fatal(err)
	}
	return u
}

// by returns the RightsChange for changes by the fixture's administrator, with a
// delay of 100 microseconds.
func by(now int64) store.RightsChange {
	return store.RightsChange{
		By:          "usr_ten_A",
		NowMicros:   now,
		DelayMicros: 100,
		Activates:   func(role string) bool { return role != "viewer" },
	}
}

// rolesOf returns the roles of the people of a scope's tenant who can sign in.
func rolesOf(tx *store.Tx) (roles []string, err error) {
	people, err := tx.People()
	for _, u := range people {
		if u.DisabledMicros == 0 {
			roles = append(roles, u.Role)
		}
	}
	return roles, err
}

// actions returns the actions that the live audit log has for an object.
func actions(t *testing.T, db *store.DB, tenant, object string) []string {
	t.Helper()
	entries, _, err := db.Scope(tenant, live).Audit(t.Context()).List(store.AuditFilter{Object: object}, store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Action)
	}
	return found
}

func entry(id, action, object string) store.AuditEntry {
	return store.AuditEntry{
		ID:            "aud_" + id,
		Environment:   live,
		CreatedMicros: 500,
		Actor:         "usr_ten_A",
		Action:        action,
		Object:        object,
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts, staff := t.Context(), db.Accounts(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		first, second := consoleSession("ten_A", "ses_1"), consoleSession("ten_A", "ses_2")
		second.CreatedMicros = 1001
		wantKind(t, staff.OpenSession(ctx, first, passwordHash, store.FactorProof{},
			entry("1", "session.created", "ses_1")), 0, "")
		wantKind(t, staff.OpenSession(ctx, second, passwordHash, store.FactorProof{}, store.AuditEntry{}), 0, "")
		wantNotFound(t, staff.OpenSession(ctx, consoleSession("ten_A", "ses_3"), "the password changed",
			store.FactorProof{}, store.AuditEntry{}))
		wantNotFound(t, db.Staff("ten_B").OpenSession(ctx, consoleSession("ten_A", "ses_3"), passwordHash,
			store.FactorProof{}, store.AuditEntry{}))

		got, user, tenant, err := accounts.SessionByHash(ctx, first.Hash)
		if diff := cmp.Diff(first, got); err != nil || diff != "" || user.ID != "usr_ten_A" || user.Role != "admin" ||
			tenant.ID != "ten_A" {
			t.Errorf("%v, %+v, %+v (-want +got):\n%s", err, user, tenant, diff)
		}
		_, _, _, err = accounts.SessionByHash(ctx, "hash_of_nothing")
		wantNotFound(t, err)

		list := func(staff *store.Staff, user string, now, since int64) []string {
			t.Helper()
			sessions, err := staff.Sessions(ctx, user, now, since)
			wantKind(t, err, 0, "")
			var ids []string
			for _, s := range sessions {
				ids = append(ids, s.ID)
			}
			return ids
		}
		for name, c := range map[string]struct{ got, want []string }{
			"both, the newest first": {list(staff, "usr_ten_A", 2000, 0), []string{"ses_2", "ses_1"}},
			"expired":                {list(staff, "usr_ten_A", 9000, 0), nil},
			"not seen":               {list(staff, "usr_ten_A", 2000, 1000), nil},
			"another person":         {list(staff, "usr_nobody", 2000, 0), nil},
			"another tenant":         {list(db.Staff("ten_B"), "usr_ten_A", 2000, 0), nil},
		} {
			if diff := cmp.Diff(c.want, c.got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		endSessions(t, db, first, second)
	})
}

// endSessions ends two sessions, after checking that another tenant or another user
// cannot end them.
func endSessions(t *testing.T, db *store.DB, first, second store.ConsoleSession) {
	t.Helper()
	ctx, staff := t.Context(), db.Staff("ten_A")
	for _, c := range []struct {
		staff    *store.Staff
		user, id string
	}{{db.Staff("ten_B"), first.UserID, first.ID}, {staff, "usr_nobody", first.ID}, {staff, first.UserID, "ses_none"}} {
		_, err := c.staff.EndSession(ctx, c.user, c.id, entry("2", "session.ended", c.id))
		wantNotFound(t, err)
	}
	if ended, err := db.Staff("ten_B").EndOtherSessions(ctx, first.UserID, "", store.AuditEntry{}); err != nil ||
		len(ended) != 0 {
		t.Errorf("another tenant ended %v, %v", ended, err)
	}
	wantKind(t, db.Accounts().TouchSessions(ctx, nil), 0, "")
	wantKind(t, db.Accounts().TouchSessions(ctx,
		[]store.Touch{{Hash: second.Hash, UsedMicros: 5000}, {Hash: first.Hash, UsedMicros: 1}}), 0, "")
	if got, _, _, err := db.Accounts().SessionByHash(ctx, second.Hash); err != nil || got.SeenMicros != 5000 {
		t.Errorf("got %+v, %v", got, err)
	}
	if ended, err := staff.EndOtherSessions(
		ctx, first.UserID, second.ID, entry("3", "session.ended", "usr_ten_A"),
	); err != nil || !slices.Equal(ended, []string{first.Hash}) {
		t.Errorf("ended %v, %v", ended, err)
	}
	if hash, err := staff.EndSession(
		ctx, first.UserID, second.ID, entry("4", "session.ended", second.ID),
	); err != nil || hash != second.Hash {
		t.Errorf("ended %q, %v", hash, err)
	}
	if ended, err := staff.EndOtherSessions(
		ctx, first.UserID, "", entry("5", "session.ended", "usr_ten_A"),
	); err != nil || len(ended) != 0 {
		t.Errorf("ended %v, %v", ended, err)
	}
	if got := actions(t, db, "ten_A", "usr_ten_A"); len(got) != 1 {
		t.Errorf("the log says %v", got)
	}
}

// TestSessionsAreFew checks that the oldest session of a user ends if there are too
// many.
func TestSessionsAreFew(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		staff := db.Staff("ten_A")
		for i := range 25 {
			s := consoleSession("ten_A", numbered("ses", i))
			s.CreatedMicros += int64(i)
			wantKind(t, staff.OpenSession(t.Context(), s, passwordHash, store.FactorProof{}, store.AuditEntry{}), 0, "")
		}
		found, err := staff.Sessions(t.Context(), "usr_ten_A", 0, 0)
		if err != nil || len(found) != 20 || found[0].ID != "ses_024" || found[19].ID != "ses_005" {
			t.Errorf("%d sessions, %v", len(found), err)
		}
	})
}

func TestPurgeSessionsAndInvitations(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		for _, tenant := range []string{"ten_A", "ten_B"} {
			signUp(t, db, tenant)
			wantKind(t, fillStaff(t, db, tenant), 0, "")
		}
		for _, step := range []struct {
			now, since int64
			limit      int
			want       int64
		}{{8999, 999, 10, 0}, {9000, 0, 1, 1}, {0, 1000, 10, 1}} {
			if removed, err := accounts.PurgeSessions(ctx, step.now, step.since, step.limit); err != nil ||
				removed != step.want {
				t.Errorf("removed %d at %d, %v", removed, step.now, err)
			}
		}
		for _, step := range []struct {
			now   int64
			limit int
			want  int64
		}{{8999, 10, 0}, {9000, 1, 1}, {9000, 10, 1}} {
			if removed, err := accounts.PurgeInvitations(ctx, step.now, step.limit); err != nil ||
				removed != step.want {
				t.Errorf("removed %d invitations at %d, %v", removed, step.now, err)
			}
		}
	})
}

func TestRolesAndTheLastAdmin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, staff := t.Context(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		wantKind(t, fillStaff(t, db, "ten_A"), 0, "")
		const first = "usr_ten_A"
		_, err := staff.SetRole(ctx, first, "viewer", by(1), entry("1", "user.role_set", first))
		wantKind(t, err, fault.Conflict, fault.CodeLastAdmin)
		_, err = staff.Disable(ctx, first, by(300), entry("2", "user.disabled", first))
		wantKind(t, err, fault.Conflict, fault.CodeLastAdmin)
		second := addUser(t, db, "ten_A", "usr_second", "risk")
		// the second user is not an administrator
		_, err = staff.Disable(ctx, first, by(300), entry("3", "user.disabled", first))
		wantKind(t, err, fault.Conflict, fault.CodeLastAdmin)
		_, err = db.Staff("ten_B").SetRole(ctx, second.ID, "admin", by(1), store.AuditEntry{})
		wantNotFound(t, err)
		_, err = staff.SetRole(ctx, second.ID, "admin", by(1), entry("4", "user.role_set", second.ID))
		wantKind(t, err, 0, "")
		ended, err := staff.SetRole(ctx, first, "viewer", by(1), entry("5", "user.role_set", first))
		if err != nil || !slices.Equal(ended, []string{"hash_ten_Ases_1"}) {
			t.Errorf("ended %v, %v", ended, err)
		}
		if left, err := staff.Invitations(ctx, 1000); err != nil || len(left) != 0 {
			t.Errorf("the links of one who is no administrator any more: %v, %v", left, err)
		}
		ended, err = staff.SetRole(ctx, first, "viewer", by(1), entry("6", "user.role_set", first))
		if err != nil || ended != nil {
			t.Errorf("ended %v, %v", ended, err)
		}
		if diff := cmp.Diff([]string{"user.role_set"}, actions(t, db, "ten_A", first)); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
		disableAndEnable(t, db, first)
	})
}

// disableAndEnable disables a viewer and enables them again.
func disableAndEnable(t *testing.T, db *store.DB, userID string) {
	t.Helper()
	ctx, staff := t.Context(), db.Staff("ten_A")
	wantNotFound(t, db.Staff("ten_B").Enable(ctx, userID, by(1), store.AuditEntry{}))
	_, err := db.Staff("ten_B").Disable(ctx, userID, by(300), store.AuditEntry{})
	wantNotFound(t, err)
	for _, now := range []int64{300, 400} {
		_, err := staff.Disable(ctx, userID, by(now), entry(fmt.Sprint("d", now), "user.disabled", userID))
		wantKind(t, err, 0, "")
	}
	if u, err := staff.User(ctx, userID); err != nil || u.DisabledMicros != 300 {
		t.Errorf("got %+v, %v", u, err)
	}
	wantNotFound(t, staff.OpenSession(ctx, consoleSession("ten_A", "ses_9"), passwordHash,
		store.FactorProof{}, store.AuditEntry{}))
	_, err = staff.SetPassword(ctx, userID, passwordHash, "another", consoleSession("ten_A", "ses_9"),
		store.RightsChange{}, store.AuditEntry{})
	wantNotFound(t, err)
	wantNotFound(t, staff.Invite(ctx, invitation("ten_A", "inv_9"), store.AuditEntry{}))
	err = db.Scope("ten_A", live).Read(ctx, func(tx *store.Tx) error {
		roles, err := rolesOf(tx)
		if diff := cmp.Diff([]string{"admin"}, roles); diff != "" {
			t.Errorf("roles (-want +got):\n%s", diff)
		}
		return err
	})
	wantKind(t, err, 0, "")
	wantKind(t, staff.Enable(ctx, userID, by(1), entry("e", "user.enabled", userID)), 0, "")
	wantKind(t, staff.OpenSession(ctx, consoleSession("ten_A", "ses_9"), passwordHash,
		store.FactorProof{}, store.AuditEntry{}), 0, "")
}

// TestAdminsRace disables all administrators concurrently and checks that one of them remains enabled.
func TestAdminsRace(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		nodes := []*store.DB{storetest.Open(t, databaseURL, store.Options{}),
			storetest.Open(t, databaseURL, store.Options{})}
		signUp(t, nodes[0], "ten_A")
		ids := []string{"usr_ten_A"}
		for i := range 5 {
			ids = append(ids, addUser(t, nodes[0], "ten_A", numbered("usr", i), "admin").ID)
		}
		errs := race(len(ids), func(i int) error {
			_, err := nodes[i%2].Staff("ten_A").Disable(t.Context(), ids[i], by(300), store.AuditEntry{})
			return err
		})
		if n := succeeded(t, errs, fault.Conflict, fault.CodeLastAdmin); n != len(ids)-1 {
			t.Errorf("%d of %d administrators were disabled", n, len(ids))
		}
	})
}

func TestSetPassword(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, staff := t.Context(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		wantKind(t, fillStaff(t, db, "ten_A"), 0, "")
		begins := consoleSession("ten_A", "ses_2")
		for _, c := range []struct {
			staff *store.Staff
			old   string
		}{{staff, "not this one"}, {db.Staff("ten_B"), passwordHash}} {
			_, err := c.staff.SetPassword(ctx, "usr_ten_A", c.old, "fresh", begins, store.RightsChange{},
				store.AuditEntry{})
			wantNotFound(t, err)
		}
		ended, err := staff.SetPassword(ctx, "usr_ten_A", passwordHash, "fresh", begins, store.RightsChange{},
			entry("1", "user.password_changed", "usr_ten_A"))
		if err != nil || !slices.Equal(ended, []string{"hash_ten_Ases_1"}) {
			t.Errorf("ended %v, %v", ended, err)
		}
		if _, u, _, err := db.Accounts().SessionByHash(ctx, begins.Hash); err != nil || u.PasswordHash != "fresh" {
			t.Errorf("got %+v, %v", u, err)
		}
		wantKind(t, staff.Rehash(ctx, "usr_ten_A", "fresh", "costlier"), 0, "")
		wantNotFound(t, staff.Rehash(ctx, "usr_ten_A", "fresh", "costlier"))
		if _, _, _, err := db.Accounts().SessionByHash(ctx, begins.Hash); err != nil {
			t.Errorf("a costlier hash ended the session: %v", err)
		}
	})
}

func TestInvitations(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts, staff := t.Context(), db.Accounts(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		old, fresh := invitation("ten_A", "inv_1"), invitation("ten_A", "inv_2")
		fresh.Email = old.Email
		wantKind(t, staff.Invite(ctx, old, entry("1", "user.invited", "inv_1")), 0, "")
		wantKind(t, staff.Invite(ctx, fresh, entry("2", "user.invited", "inv_2")), 0, "")
		_, _, err := accounts.InvitationByHash(ctx, old.Hash)
		wantNotFound(t, err) // only the later link is valid
		got, tenant, err := accounts.InvitationByHash(ctx, fresh.Hash)
		if diff := cmp.Diff(fresh, got); err != nil || diff != "" || tenant.OrgName != "Asha Finance" {
			t.Errorf("%v, %+v (-want +got):\n%s", err, tenant, diff)
		}
		for now, want := range map[int64]int{8999: 1, 9000: 0} {
			if list, err := staff.Invitations(ctx, now); err != nil || len(list) != want {
				t.Errorf("%d at %d, %v", len(list), now, err)
			}
		}
		if list, err := db.Staff("ten_B").Invitations(ctx, 0); err != nil || len(list) != 0 {
			t.Errorf("another tenant's are %v, %v", list, err)
		}
		wantNotFound(t, db.Staff("ten_B").RevokeInvitation(ctx, fresh.ID, store.AuditEntry{}))
		wantKind(t, staff.RevokeInvitation(ctx, fresh.ID, entry("3", "invitation.revoked", fresh.ID)), 0, "")
		wantNotFound(t, staff.RevokeInvitation(ctx, fresh.ID, entry("4", "invitation.revoked", fresh.ID)))
		if diff := cmp.Diff(
			[]string{"user.invited", "invitation.revoked"}, actions(t, db, "ten_A", fresh.ID),
		); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
		wantNotFound(t, db.Staff("ten_NOBODY").Invite(ctx, invitation("ten_NOBODY", "inv_1"), store.AuditEntry{}))
	})
}

func TestAcceptInvitation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, staff := t.Context(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		i := invitation("ten_A", "inv_1")
		wantKind(t, staff.Invite(ctx, i, store.AuditEntry{}), 0, "")
		person := func(n int) (store.User, store.ConsoleSession) {
			u := store.User{
				ID:            numbered("usr", n),
				Email:         i.Email,
				Role:          i.Role,
				PasswordHash:  passwordHash,
				CreatedMicros: 2000,
			}
			s := consoleSession("ten_A", numbered("ses", n))
			s.UserID = u.ID
			return u, s
		}
		u, s := person(99)
		wantNotFound(t, db.Staff("ten_B").Accept(ctx, i.ID, u, s, by(1), store.AuditEntry{}))
		late := u
		late.CreatedMicros = i.ExpiresMicros
		wantNotFound(t, staff.Accept(ctx, i.ID, late, s, by(1), store.AuditEntry{}))
		raised := u
		raised.Role = "admin"
		wantNotFound(t, staff.Accept(ctx, i.ID, raised, s, by(1), store.AuditEntry{}))
		errs := race(6, func(n int) error {
			u, s := person(n)
			return staff.Accept(ctx, i.ID, u, s, by(1), store.AuditEntry{})
		})
		if n := succeeded(t, errs, fault.NotFound, fault.CodeNotFound); n != 1 {
			t.Errorf("one invitation let %d people in", n)
		}
		if users, err := staff.Users(ctx); err != nil || len(users) != 2 {
			t.Errorf("the people are %v, %v", users, err)
		}

		taken := invitation("ten_A", "inv_2")
		taken.Email = "ten_b@example.in" // a user of another tenant, whom this tenant cannot see
		wantKind(t, staff.Invite(ctx, taken, store.AuditEntry{}), 0, "")
		u, s = person(50)
		u.Email = taken.Email
		wantKind(t, staff.Accept(ctx, taken.ID, u, s, by(1), store.AuditEntry{}), fault.Conflict, fault.CodeEmailTaken)
		if list, err := staff.Invitations(ctx, 0); err != nil || len(list) != 1 {
			t.Errorf("the refused one is gone: %v, %v", list, err)
		}
	})
}

// TestTooManyPeople checks that people and invitations share one limit, and that an invitation
// counts only as long as it can be accepted.
func TestTooManyPeople(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		staff := db.Staff("ten_A")
		errs := race(store.MaxPage+5, func(n int) error {
			return staff.Invite(t.Context(), invitation("ten_A", numbered("inv", n)), store.AuditEntry{})
		})
		if n := succeeded(t, errs, fault.Conflict, fault.CodeTooManyPeople); n != store.MaxPage-1 {
			t.Errorf("%d were invited", n)
		}
		add := func(email string, now int64) error {
			return db.Accounts().InsertUser(t.Context(), store.User{
				ID: "usr_" + email, TenantID: "ten_A", Email: email, Role: "risk", CreatedMicros: now,
			}, store.RightsChange{}, store.AuditEntry{})
		}
		wantKind(t, add("more@example.in", 1000), fault.Conflict, fault.CodeTooManyPeople)
		wantKind(t, add("ten_a@example.in", 1000), fault.Conflict, fault.CodeEmailTaken)
		invited, err := staff.Invitations(t.Context(), 0)
		if err != nil || len(invited) != store.MaxPage-1 {
			t.Fatalf("%d invitations, %v", len(invited), err)
		}
		wantKind(t, add(invited[0].Email, 1000), 0, "") // the user counts instead of the invitation
		wantKind(t, add("more@example.in", 1000), fault.Conflict, fault.CodeTooManyPeople)
		wantKind(t, add("more@example.in", 9000), 0, "") // the invitations have expired
		later := invitation("ten_A", "inv_later")
		later.CreatedMicros, later.ExpiresMicros = 9000, 18_000 // the others have expired
		wantKind(t, staff.Invite(t.Context(), later, store.AuditEntry{}), 0, "")
	})
}

func TestRotateKey(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, accounts := t.Context(), db.Accounts()
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		old := key("ten_A", sandbox)
		fresh := func(tenant, environment string, n int) store.Key {
			k := key(tenant, environment)
			k.ID, k.Hash, k.CreatedMicros = numbered("key", n), numbered("hash", n), 500
			return k
		}
		_, err := accounts.RotateKey(ctx, old.ID, 900, fresh("ten_B", sandbox, 1), plenty)
		wantNotFound(t, err)
		_, err = accounts.RotateKey(ctx, old.ID, 900, fresh("ten_A", live, 1), plenty)
		wantNotFound(t, err)
		ends, err := accounts.RotateKey(ctx, old.ID, 900, fresh("ten_A", sandbox, 1), plenty,
			store.AuditEntry{ID: "aud_1", Action: "key.rotated", Object: old.ID})
		if err != nil || ends.ExpiresMicros != 900 {
			t.Errorf("got %+v, %v", ends, err)
		}
		if ends, err := accounts.RotateKey(ctx, old.ID, 1900, fresh("ten_A", sandbox, 2), plenty); err != nil ||
			ends.ExpiresMicros != 900 {
			t.Errorf("its end was moved: %+v, %v", ends, err)
		}
		late := fresh("ten_A", sandbox, 3)
		late.CreatedMicros = 900
		_, err = accounts.RotateKey(ctx, old.ID, 1900, late, plenty)
		wantKind(t, err, fault.Conflict, fault.CodeKeyNotActive)
		if keys, err := accounts.ListKeys(ctx, "ten_A", 1000); err != nil || len(keys) != 3 ||
			keys[0].ExpiresMicros != 900 || keys[1].ExpiresMicros != 0 {
			t.Errorf("the keys are %+v, %v", keys, err)
		}
		_, err = accounts.RevokeKey(ctx, "ten_A", "key_001", 600, store.AuditEntry{})
		wantKind(t, err, 0, "")
		_, err = accounts.RotateKey(ctx, "key_001", 1900, fresh("ten_A", sandbox, 4), plenty)
		wantKind(t, err, fault.Conflict, fault.CodeKeyNotActive)
	})
}

// TestListKeysKeepsTheOnesInUse checks that working keys are listed even if there are more keys than a list can show.
func TestListKeysKeepsTheOnesInUse(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		errs := race(store.MaxPage+20, func(n int) error {
			k := key("ten_A", live)
			k.ID, k.Hash, k.CreatedMicros, k.RevokedMicros = numbered("key", n), numbered("hash", n), int64(200+n), 900
			return db.Accounts().InsertKey(t.Context(), k, plenty, store.AuditEntry{})
		})
		succeeded(t, errs, 0, "")
		keys, err := db.Accounts().ListKeys(t.Context(), "ten_A", 1000)
		if err != nil || len(keys) != store.MaxPage || keys[0].ID != key("ten_A", sandbox).ID ||
			keys[1].CreatedMicros <= 220 {
			t.Errorf("%d keys, the first %+v, %v", len(keys), keys[0], err)
		}
	})
}

// TestKeysToExpireOutliveTheExpired checks that a key that has not expired yet is listed, however many expired keys
// there are. A working key that is not listed could not be revoked.
func TestKeysToExpireOutliveTheExpired(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		signUp(t, db, "ten_A")
		errs := race(store.MaxPage+20, func(n int) error {
			k := key("ten_A", live)
			k.ID, k.Hash, k.CreatedMicros, k.ExpiresMicros = numbered("key", n), numbered("hash", n), int64(200+n), 900
			if n == 0 {
				k.ExpiresMicros = 9000
			}
			return db.Accounts().InsertKey(t.Context(), k, plenty, store.AuditEntry{})
		})
		succeeded(t, errs, 0, "")
		for now, want := range map[int64]bool{1000: true, 9000: false} {
			keys, err := db.Accounts().ListKeys(t.Context(), "ten_A", now)
			if shown := slices.ContainsFunc(keys, func(k store.Key) bool {
				return k.ID == numbered("key", 0)
			}); err != nil || len(keys) != store.MaxPage || shown != want {
				t.Errorf("at %d: %d keys, shown %t, %v", now, len(keys), shown, err)
			}
		}
	})
}

// TestDisableWithKeys checks that disabling a person also revokes all keys of the person that still work, in both
// environments and however many keys there are. No other key must be revoked.
func TestDisableWithKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, staff := t.Context(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		signUp(t, db, "ten_B")
		many, few := addUser(t, db, "ten_A", "usr_many", "risk").ID, addUser(t, db, "ten_A", "usr_few", "risk").ID
		errs := race(store.MaxPage+20, func(n int) error {
			k := key("ten_A", []string{live, sandbox}[n%2])
			k.ID, k.Hash, k.CreatedBy, k.ExpiresMicros = numbered("key", n), numbered("hash", n), many, 900
			if n < 3 {
				k.CreatedBy, k.ExpiresMicros = few, []int64{900, 9000, 0}[n]
			}
			return db.Accounts().InsertKey(ctx, k, plenty, store.AuditEntry{})
		})
		succeeded(t, errs, 0, "")
		audits := 0
		audit := func(keyID string) store.AuditEntry {
			audits++
			return store.AuditEntry{ID: fmt.Sprintf("aud_key_%d", audits), Action: "key.revoked", Object: keyID}
		}
		disable := func(staff *store.Staff, userID string, now int64) (sessions, keys []string, err error) {
			disabled := entry(fmt.Sprint("d", userID, now), "user.disabled", userID)
			return staff.DisableWithKeys(ctx, userID, by(now), disabled, audit)
		}
		_, _, err := disable(staff, "usr_ten_A", 300)
		wantKind(t, err, fault.Conflict, fault.CodeLastAdmin)
		_, _, err = disable(db.Staff("ten_B"), few, 300)
		wantNotFound(t, err)
		_, _, err = disable(staff, "usr_nobody", 300)
		wantNotFound(t, err)

		_, revoked, err := disable(staff, few, 1000)
		slices.Sort(revoked)
		if diff := cmp.Diff([]string{numbered("hash", 1), numbered("hash", 2)}, revoked); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for n, environment := range map[int]string{1: sandbox, 2: live} {
			entries, _, err := db.Scope("ten_A", environment).Audit(ctx).List(
				store.AuditFilter{Object: numbered("key", n)}, store.Page{})
			if err != nil || len(entries) != 1 || entries[0].Action != "key.revoked" {
				t.Errorf("the log of %s has %v, %v", environment, entries, err)
			}
		}
		if _, again, err := disable(staff, few, 1001); err != nil || len(again) != 0 {
			t.Errorf("revoked again: %v, %v", again, err)
		}
		_, err = staff.Disable(ctx, many, by(300), store.AuditEntry{})
		wantKind(t, err, 0, "")
		if _, revoked, err := disable(staff, many, 301); err != nil || len(revoked) != store.MaxPage+17 {
			t.Errorf("%d of many keys were revoked, %v", len(revoked), err)
		}
		if k, _, err := db.Accounts().KeyByHash(ctx, key("ten_A", sandbox).Hash); err != nil || k.RevokedMicros != 0 {
			t.Errorf("another person's key: %+v, %v", k, err)
		}
	})
}

// TestDisableWithKeysIsOneTransaction makes the revocation of the last key fail, and checks that
// then nothing has changed.
func TestDisableWithKeysIsOneTransaction(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		signUp(t, db, "ten_A")
		person := addUser(t, db, "ten_A", "usr_1", "risk").ID
		for n, environment := range []string{live, live, sandbox} {
			k := key("ten_A", environment)
			k.ID, k.Hash, k.CreatedBy = numbered("key", n), numbered("hash", n), person
			wantKind(t, db.Accounts().InsertKey(ctx, k, plenty, store.AuditEntry{}), 0, "")
		}
		_, _, err := db.Staff("ten_A").DisableWithKeys(ctx, person, by(300), entry("1", "user.disabled", person),
			func(keyID string) store.AuditEntry {
				if keyID == numbered("key", 2) {
					keyID = "ten_A" // the id of an entry that the log of the sandbox already has
				}
				return store.AuditEntry{ID: "aud_" + keyID, CreatedMicros: 100, Action: "key.revoked"}
			})
		wantKind(t, err, fault.Conflict, fault.CodeVersionConflict)
		if u, err := db.Staff("ten_A").User(ctx, person); err != nil || u.DisabledMicros != 0 {
			t.Errorf("the person: %+v, %v", u, err)
		}
		keys, err := db.Accounts().ListKeys(ctx, "ten_A", 300)
		for _, k := range keys {
			if k.RevokedMicros != 0 {
				t.Errorf("%s is revoked", k.ID)
			}
		}
		if err != nil || len(keys) != 4 || len(actions(t, db, "ten_A", person)) != 0 {
			t.Errorf("%d keys, %v", len(keys), err)
		}
	})
}

// TestNoKeyForADisabledOwner checks that a key is neither created nor rotated for a disabled person. A key that is
// created while the person is being disabled together with all keys must be refused or revoked.
func TestNoKeyForADisabledOwner(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		ctx, staff := t.Context(), db.Staff("ten_A")
		signUp(t, db, "ten_A")
		owned := func(person string, n int) store.Key {
			k := key("ten_A", live)
			k.ID, k.Hash, k.CreatedBy = numbered("key", n), numbered("hash", n), person
			return k
		}
		const attempts = 20
		for n := range attempts {
			person := addUser(t, db, "ten_A", numbered("usr", n), "risk").ID
			errs := race(2, func(caller int) error {
				if caller == 0 {
					return db.Accounts().InsertKey(ctx, owned(person, n), plenty, store.AuditEntry{})
				}
				_, _, err := staff.DisableWithKeys(ctx, person, by(300), entry(person, "user.disabled", person),
					func(keyID string) store.AuditEntry {
						return store.AuditEntry{ID: "aud_" + keyID, Action: "key.revoked", Object: keyID}
					})
				return err
			})
			wantKind(t, errs[1], 0, "")
			k, _, err := db.Accounts().KeyByHash(ctx, numbered("hash", n))
			switch {
			case errs[0] != nil:
				wantKind(t, errs[0], fault.Conflict, fault.CodeInvalidTransition)
				wantNotFound(t, err)
			case err != nil || k.RevokedMicros == 0:
				t.Errorf("the key of a person who was disabled with all keys: %+v, %v", k, err)
			}
		}

		disabled := owned(numbered("usr", 0), attempts)
		wantKind(t, db.Accounts().InsertKey(ctx, disabled, plenty, store.AuditEntry{}),
			fault.Conflict, fault.CodeInvalidTransition)
		disabled.Environment = sandbox
		_, err := db.Accounts().RotateKey(ctx, key("ten_A", sandbox).ID, 900, disabled, plenty)
		wantKind(t, err, fault.Conflict, fault.CodeInvalidTransition)
		wantNotFound(t, db.Accounts().InsertKey(ctx, owned("usr_nobody", attempts), plenty, store.AuditEntry{}))
		wantKind(t, staff.Enable(ctx, disabled.CreatedBy, by(400), store.AuditEntry{}), 0, "")
		wantKind(t, db.Accounts().InsertKey(ctx, disabled, plenty, store.AuditEntry{}), 0, "")
	})
}
