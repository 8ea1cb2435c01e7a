package account

import (
	"testing"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestMarksAreOnePersons checks that a mark is valid only for the person,
// environment, purpose and text that it was made for, and is valid on every
// node.
func TestMarksAreOnePersons(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		one, err := New(operation.New(db, operation.Options{}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		other, err := New(operation.New(db, operation.Options{}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		p := tenant.Principal{TenantID: "ten_A", Environment: tenant.Sandbox, UserID: "usr_1"}
		mark, err := one.Access.Mark(t.Context(), p, "edit", "text")
		if err != nil {
			t.Fatal(err)
		}
		live, colleague, stranger := p, p, p
		live.Environment, colleague.UserID, stranger.TenantID = tenant.Live, "usr_2", "ten_B"
		for _, c := range []struct {
			name                string
			who                 tenant.Principal
			purpose, text, mark string
			want                bool
		}{
			{"the same", p, "edit", "text", mark, true},
			{"another environment", live, "edit", "text", mark, false},
			{"a colleague", colleague, "edit", "text", mark, false},
			{"another tenant", stranger, "edit", "text", mark, false},
			{"another purpose", p, "share", "text", mark, false},
			{"another text", p, "edit", "texts", mark, false},
			{"no mark", p, "edit", "text", "", false},
		} {
			got, err := other.Access.Marked(t.Context(), c.who, c.purpose, c.text, c.mark)
			if err != nil || got != c.want {
				t.Errorf("%s: marked is %t, %v", c.name, got, err)
			}
		}
	})
}
