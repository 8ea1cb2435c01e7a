//nolint:thelper // what Each runs is the test itself: a failure belongs to its own line
package decisioning_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/decisioning"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

func TestInvitationLetsOnePersonIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := open(t, db, decisioning.Options{Logins: generous})
		admin := h.admin()
		_, _, err := h.service.Invite(t.Context(), admin, "nowhere", "king")
		if diff := cmp.Diff([]string{"/email", "/role"}, pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		h.signup("other@example.in")
		for _, taken := range []string{"ASHA@example.in", "other@example.in"} {
			if _, _, err := h.service.Invite(t.Context(), admin, taken, tenant.RoleViewer); codeOf(err) != store.CodeEmailTaken {
				t.Errorf("%s was invited: %v", taken, err)
			}
		}
		_, replaced, err := h.service.Invite(t.Context(), admin, "Ravi@Example.in", tenant.RoleViewer)
		if err != nil {
			t.Fatal(err)
		}
		invited, link, err := h.service.Invite(t.Context(), admin, "ravi@example.in", tenant.RoleRisk)
		if err != nil || invited.Email != "ravi@example.in" || invited.ExpiresAt.Sub(invited.CreatedAt) != 72*time.Hour {
			t.Fatalf("invited %+v, %v", invited, err)
		}
		list, err := h.service.Invitations(t.Context(), admin)
		if diff := cmp.Diff([]decisioning.Invitation{invited}, list); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		offer, err := h.service.Invitation(t.Context(), link)
		if err != nil || offer.OrgName != "Asha Finance" || offer.Role != "risk" {
			t.Errorf("it offers %+v, %v", offer, err)
		}
		if _, err := h.service.Invitation(t.Context(), replaced); codeOf(err) != decisioning.CodeInvitationEnded {
			t.Errorf("the first link still holds: %v", err)
		}
		_, _, err = h.service.AcceptInvitation(t.Context(), link, tenant.NewSecret("short"), home, "")
		if diff := cmp.Diff([]string{"/password"}, pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		c, token, err := h.service.AcceptInvitation(t.Context(), link, tenant.NewSecret(password), home, "Firefox")
		if err != nil || c.User.Email != "ravi@example.in" || c.Role() != tenant.RoleRisk || c.Tenant.ID != admin.TenantID {
			t.Fatalf("came in as %+v, %v", c, err)
		}
		h.held(token)
		if _, _, err := h.service.AcceptInvitation(t.Context(), link, tenant.NewSecret(password), home, ""); codeOf(err) != decisioning.CodeInvitationEnded {
			t.Errorf("a link worked twice: %v", err)
		}
		if diff := cmp.Diff([]string{admin.UserID + " invitation.created", c.User.ID + " invitation.accepted"}, oldestFirst(h.logged(admin, invited.ID))); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

func TestInvitationsEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := newClock()
		h := open(t, db, decisioning.Options{Now: clock.now, Logins: generous})
		admin := h.admin()
		withdrawn, gone, err := h.service.Invite(t.Context(), admin, "gone@example.in", tenant.RoleRisk)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"", store.CodeNotFound} {
			if err := h.service.RevokeInvitation(t.Context(), admin, withdrawn.ID); codeOf(err) != want {
				t.Errorf("withdrawn %d times: %v", i+1, err)
			}
		}
		_, late, err := h.service.Invite(t.Context(), admin, "late@example.in", tenant.RoleRisk)
		if err != nil {
			t.Fatal(err)
		}
		clock.pass(72 * time.Hour)
		for name, link := range map[string]tenant.Token{"withdrawn": gone, "expired": late, "none": {}} {
			if _, _, err := h.service.AcceptInvitation(t.Context(), link, tenant.NewSecret(password), home, ""); codeOf(err) != decisioning.CodeInvitationEnded {
				t.Errorf("%s: %v", name, err)
			}
		}
		if list, err := h.service.Invitations(t.Context(), admin); err != nil || len(list) != 0 {
			t.Errorf("there are %v, %v", list, err)
		}
	})
}
