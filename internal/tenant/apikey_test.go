package tenant

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/fault"
)

func TestAPIKeyCheck(t *testing.T) {
	t.Parallel()
	good := APIKey{ID: "key_1", TenantID: "ten_1", UserID: "usr_1", Environment: Live, Scopes: Decide}
	with := func(change func(*APIKey)) *APIKey {
		k := good
		change(&k)
		return &k
	}
	for _, c := range []struct {
		name string
		key  *APIKey
		want string
	}{
		{"no record", nil, fault.CodeUnauthenticated},
		{"empty record", &APIKey{}, fault.CodeUnauthenticated},
		{"no tenant", with(func(k *APIKey) { k.TenantID = "" }), fault.CodeUnauthenticated},
		{"no environment", with(func(k *APIKey) { k.Environment = "" }), fault.CodeUnauthenticated},
		{"good", &good, ""},
		{"revoked", with(func(k *APIKey) { k.RevokedAt = noon.Add(-time.Hour) }), fault.CodeKeyRevoked},
		{"revoked by a clock that is ahead",
			with(func(k *APIKey) { k.RevokedAt = noon.Add(time.Second) }), fault.CodeKeyRevoked},
		{"a moment before the end", with(func(k *APIKey) { k.ExpiresAt = noon.Add(1) }), ""},
		{"at the end", with(func(k *APIKey) { k.ExpiresAt = noon }), fault.CodeKeyExpired},
		{"after the end", with(func(k *APIKey) { k.ExpiresAt = noon.Add(-time.Hour) }), fault.CodeKeyExpired},
		{"revoked and expired", with(func(k *APIKey) { k.ExpiresAt, k.RevokedAt = noon, noon }), fault.CodeKeyRevoked},
	} {
		err := c.key.Check(noon)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != fault.Unauthenticated || refusal.Code != c.want {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	plan, _ := DefaultPricePlans().Get(FreePlan)
	want := Principal{TenantID: "ten_1", Environment: Live, KeyID: "key_1", UserID: "usr_1", Scopes: Decide, Plan: plan}
	if diff := cmp.Diff(want, good.Principal(plan)); diff != "" {
		t.Error(diff)
	}
}

func TestAPIKeyStale(t *testing.T) {
	t.Parallel()
	for ago, want := range map[time.Duration]bool{
		0: false, time.Minute - 1: false, time.Minute: true, time.Hour: true, -time.Hour: false,
	} {
		if got := (&APIKey{LastUsedAt: noon.Add(-ago)}).Stale(noon); got != want {
			t.Errorf("used %v ago: %v", ago, got)
		}
	}
	if !(&APIKey{}).Stale(noon) {
		t.Error("a key that was never used is not stale")
	}
}

func TestKeyName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		" Loan app ": "", "ऋण": "", "x": "", strings.Repeat("ऋ", 80): "",
		"": fault.CodeOutOfRange, "   ": fault.CodeOutOfRange, strings.Repeat("x", 81): fault.CodeOutOfRange,
		"a\nb": fault.CodeInvalidCharacter, "a\u202eb": fault.CodeInvalidCharacter,
		"a\xffb": fault.CodeInvalidCharacter,
	} {
		var faults fault.List
		got := CheckKeyName(&faults, "/name", name)
		switch {
		case want == "" && (faults.Len() != 0 || got != strings.TrimSpace(name)):
			t.Errorf("%q gives %q and %v", name, got, faults.Items())
		case want != "" &&
			(faults.Len() != 1 || faults.Items()[0].Code != want || faults.Items()[0].Pointer != "/name"):
			t.Errorf("%q gives %v, want %s", name, faults.Items(), want)
		}
	}
}
