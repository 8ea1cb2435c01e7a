//nolint:thelper // the function passed to Each is the test itself: report failures at their own lines
package account_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
)

func TestInvitationLetsOnePersonIn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		h := usecasetest.Open(t, db, usecase.Options{Logins: generous})
		admin := h.Admin()
		_, _, err := h.Service.People.Invite(t.Context(), admin, "nowhere", "king")
		if diff := cmp.Diff([]string{"/email", "/role"}, usecasetest.Pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		h.Signup("other@example.in")
		for _, taken := range []string{"ASHA@example.in", "other@example.in"} {
			_, _, err := h.Service.People.Invite(t.Context(), admin, taken, tenant.RoleViewer)
			if usecasetest.CodeOf(err) != fault.CodeEmailTaken {
				t.Errorf("%s was invited: %v", taken, err)
			}
		}
		_, replaced, err := h.Service.People.Invite(t.Context(), admin, "Ravi@Example.in", tenant.RoleViewer)
		if err != nil {
			t.Fatal(err)
		}
		invited, link, err := h.Service.People.Invite(t.Context(), admin, "ravi@example.in", tenant.RoleRisk)
		if err != nil || invited.Email != "ravi@example.in" ||
			invited.ExpiresAt.Sub(invited.CreatedAt) != 72*time.Hour {
			t.Fatalf("invited %+v, %v", invited, err)
		}
		list, err := h.Service.People.Invitations(t.Context(), admin)
		if diff := cmp.Diff([]account.Invitation{invited}, list); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		offer, err := h.Service.Access.Invitation(t.Context(), link)
		if err != nil || offer.OrgName != "Asha Finance" || offer.Role != "risk" {
			t.Errorf("it offers %+v, %v", offer, err)
		}
		_, err = h.Service.Access.Invitation(t.Context(), replaced)
		if usecasetest.CodeOf(err) != fault.CodeInvitationEnded {
			t.Errorf("the first link still holds: %v", err)
		}
		_, _, err = h.Service.Access.AcceptInvitation(t.Context(), link,
			tenant.NewSecret("short"), usecasetest.Home, "")
		if diff := cmp.Diff([]string{"/password"}, usecasetest.Pointers(t, err)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		c, token, err := h.Service.Access.AcceptInvitation(t.Context(), link, tenant.NewSecret(usecasetest.Password),
			usecasetest.Home, "Firefox")
		if err != nil || c.User.Email != "ravi@example.in" || c.Role() != tenant.RoleRisk ||
			c.Tenant.ID != admin.TenantID {
			t.Fatalf("came in as %+v, %v", c, err)
		}
		h.Held(token)
		_, _, err = h.Service.Access.AcceptInvitation(t.Context(), link,
			tenant.NewSecret(usecasetest.Password), usecasetest.Home, "")
		if usecasetest.CodeOf(err) != fault.CodeInvitationEnded {
			t.Errorf("a link worked twice: %v", err)
		}
		want := []string{admin.UserID + " invitation.created", c.User.ID + " invitation.accepted"}
		if diff := cmp.Diff(want, oldestFirst(h.Logged(admin, invited.ID))); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
	})
}

func TestInvitationsEnd(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		clock := usecasetest.NewClock()
		h := usecasetest.Open(t, db, usecase.Options{Now: clock.Now, Logins: generous})
		admin := h.Admin()
		withdrawn, gone, err := h.Service.People.Invite(t.Context(), admin, "gone@example.in", tenant.RoleRisk)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"", fault.CodeNotFound} {
			err := h.Service.People.RevokeInvitation(t.Context(), admin, withdrawn.ID)
			if usecasetest.CodeOf(err) != want {
				t.Errorf("withdrawn %d times: %v", i+1, err)
			}
		}
		_, late, err := h.Service.People.Invite(t.Context(), admin, "late@example.in", tenant.RoleRisk)
		if err != nil {
			t.Fatal(err)
		}
		clock.Pass(72 * time.Hour)
		for name, link := range map[string]tenant.Token{"withdrawn": gone, "expired": late, "none": {}} {
			_, _, err := h.Service.Access.AcceptInvitation(t.Context(), link,
				tenant.NewSecret(usecasetest.Password), usecasetest.Home, "")
			if usecasetest.CodeOf(err) != fault.CodeInvitationEnded {
				t.Errorf("%s: %v", name, err)
			}
		}
		if list, err := h.Service.People.Invitations(t.Context(), admin); err != nil || len(list) != 0 {
			t.Errorf("there are %v, %v", list, err)
		}
	})
}
