package operation

import (
	"errors"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// refusedWell checks that an error is a refusal that a client may see.
func refusedWell(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Code == "" || len(refusal.Items) > fault.MaxItems {
		t.Fatalf("not a refusal: %v", err)
	}
}

// FuzzCursor passes arbitrary cursors. Each cursor that is not empty is refused, or has a
// valid position and is encoded as this package encodes cursors. No cursor is valid for two
// tenants.
func FuzzCursor(f *testing.F) {
	who := tenant.Principal{TenantID: "ten_1", Environment: tenant.Sandbox}
	l := List{Limit: 10}
	id := tenant.FirstID(tenant.KindDecision, time.Unix(1_800_000_000, 0))
	f.Add(l.CursorAfter(who, []string{"decisions"}, "\x00\x06\x00\x00\x00\x00\x00\x00"+id))
	f.Add(l.CursorAfter(who, []string{"blocked"}, "2026-11-15T06:00:00Z ip 00ff"))
	f.Add(l.CursorAfter(who, []string{"decisions"}, "x"))
	f.Add("====")
	f.Add("")
	f.Fuzz(func(t *testing.T, cursor string) {
		l := List{Limit: 10, Cursor: cursor}
		if page, err := l.Page(who, "decisions"); err != nil {
			refusedWell(t, err)
		} else if cursor != "" &&
			(page.AfterID == "" || l.CursorAfter(who, []string{"decisions"}, mustPlace(t, l, who)) != cursor) {
			t.Errorf("%q leads to %+v", cursor, page)
		}
		stranger := who
		stranger.TenantID = "ten_2"
		if _, err := l.Page(stranger, "decisions"); cursor != "" && err == nil {
			if _, err := l.Page(who, "decisions"); err == nil {
				t.Errorf("%q is two tenants' cursor", cursor)
			}
		}
	})
}

func mustPlace(t *testing.T, l List, who tenant.Principal) string {
	t.Helper()
	place, err := l.After(who, []string{"decisions"})
	if err != nil {
		t.Fatal(err)
	}
	return place
}
