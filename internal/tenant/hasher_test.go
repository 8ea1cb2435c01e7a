package tenant

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"verdict/internal/fault"
)

// cheap is a low cost for tests that are not about the cost.
var cheap = Cost{MemoryKiB: 64, Passes: 1, Lanes: 1}

func hasher(t *testing.T, cost Cost, limit int) *Hasher {
	t.Helper()
	h, err := NewHasher(cost, limit, seeded(1))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestArgon2Known verifies hashes of the reference implementation: the argon2id
// cases of its test suite (P-H-C/phc-winner-argon2, src/test.c).
func TestArgon2Known(t *testing.T) {
	t.Parallel()
	h := hasher(t, DefaultCost(), 1)
	for stored, password := range map[string]string{
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc": "password",
		"$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4":   "password",
		"$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc":   "password",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94": "differentpassword",
	} {
		ok, upgrade, err := h.Verify(t.Context(), NewSecret(password), NewSecret(stored))
		if !ok || !upgrade || err != nil {
			t.Errorf("%s: %v, %v, %v", stored, ok, upgrade, err)
		}
		if ok, _, err := h.Verify(t.Context(), NewSecret(password+"x"), NewSecret(stored)); ok || err != nil {
			t.Errorf("%s with another password: %v, %v", stored, ok, err)
		}
	}
}

func TestHashGolden(t *testing.T) {
	t.Parallel()
	h, err := NewHasher(DefaultCost(), 1, same('s'))
	if err != nil {
		t.Fatal(err)
	}
	stored, err := h.Hash(t.Context(), NewSecret("correct horse"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "$argon2id$v=19$m=19456,t=2,p=1$c3Nzc3Nzc3Nzc3Nzc3Nzcw$Ofgc0ZGLJ9ZXyJI1GvQp+DI08ffOw5oETSq7Ez6Opo4"
	if stored.Reveal() != want {
		t.Errorf("got %s, want %s", stored.Reveal(), want)
	}
}

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	h := hasher(t, cheap, 2)
	password := NewSecret("correct horse")
	first, err := h.Hash(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.Hash(t.Context(), password)
	if err != nil || first.Reveal() == second.Reveal() {
		t.Errorf("two hashes of one password are alike (%v)", err)
	}
	for _, c := range []struct {
		name        string
		h           *Hasher
		password    string
		ok, upgrade bool
	}{
		{"right", h, "correct horse", true, false},
		{"wrong", h, "correct horsE", false, false},
		{"empty", h, "", false, false},
		{"longer", h, "correct horse\x00", false, false},
		{"more memory now", hasher(t, Cost{128, 1, 1}, 1), "correct horse", true, true},
		{"more passes now", hasher(t, Cost{64, 2, 1}, 1), "correct horse", true, true},
		{"more lanes now", hasher(t, Cost{64, 1, 2}, 1), "correct horse", true, true},
		{"wrong, and more passes", hasher(t, Cost{64, 2, 1}, 1), "battery", false, false},
	} {
		ok, upgrade, err := c.h.Verify(t.Context(), NewSecret(c.password), first)
		if ok != c.ok || upgrade != c.upgrade || err != nil {
			t.Errorf("%s: %v, %v, %v", c.name, ok, upgrade, err)
		}
	}
}

// TestVerifyNobody checks that no password matches an empty hash. It also checks
// that Verify does the work even if the user does not exist, by checking that
// Verify needs a slot in this case too.
func TestVerifyNobody(t *testing.T) {
	t.Parallel()
	h := hasher(t, cheap, 1)
	for _, stored := range []Secret{{}, NewSecret("")} {
		for _, password := range []string{"", "correct horse"} {
			if ok, upgrade, err := h.Verify(t.Context(), NewSecret(password), stored); ok || upgrade || err != nil {
				t.Errorf("nobody has the password %q: %v, %v, %v", password, ok, upgrade, err)
			}
		}
	}
	h.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, stored := range map[string]string{
		"nobody":   "",
		"somebody": "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA",
	} {
		_, _, err := h.Verify(ctx, NewSecret("x"), NewSecret(stored))
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != fault.Unavailable {
			t.Errorf("%s did not wait: %v", name, err)
		}
	}
}

// TestHasherIsBounded checks that at most limit callers of Hash run together. Each
// caller blocks when it reads its salt, while it holds a slot.
func TestHasherIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const limit, callers = 3, 20
		gate := make(chan struct{})
		var inside atomic.Int32
		h, err := NewHasher(cheap, limit, readerFunc(func(p []byte) (int, error) {
			inside.Add(1)
			<-gate
			inside.Add(-1)
			return rand.Read(p)
		}))
		if err != nil {
			t.Fatal(err)
		}
		ctx, giveUp := context.WithCancel(t.Context())
		var done, refused atomic.Int32
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				_, err := h.Hash(ctx, NewSecret("correct horse"))
				var refusal *fault.Error
				switch {
				case err == nil:
					done.Add(1)
				case errors.As(err, &refusal) && refusal.Kind == fault.Unavailable && refusal.Code == "unavailable":
					refused.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		for i := range int32(5) {
			synctest.Wait()
			if inside.Load() != limit || done.Load() != i || refused.Load() != 0 {
				t.Fatalf("%d inside, %d done, %d refused", inside.Load(), done.Load(), refused.Load())
			}
			gate <- struct{}{}
		}
		synctest.Wait()
		giveUp()
		synctest.Wait()
		if inside.Load() != limit || refused.Load() != callers-5-limit {
			t.Fatalf("after giving up %d are inside and %d refused", inside.Load(), refused.Load())
		}
		close(gate)
		all.Wait()
		if done.Load() != 5+limit {
			t.Errorf("%d were done", done.Load())
		}
		if _, err := h.Hash(ctx, NewSecret("x")); err == nil {
			t.Error("a caller who had gone away got a free slot")
		}
		if _, err := h.Hash(t.Context(), NewSecret("x")); err != nil {
			t.Errorf("the slots were not given back: %v", err)
		}
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestHasherRefuses(t *testing.T) {
	t.Parallel()
	for _, cost := range []Cost{
		{},
		{64, 0, 1},
		{64, 1, 0},
		{7, 1, 1},
		{8, 1, 2},
		{256*1024 + 1, 1, 1},
		{64, 33, 1},
		{1024, 1, 17},
	} {
		if h, err := NewHasher(cost, 1, seeded(1)); err == nil || h != nil {
			t.Errorf("a hasher costs %v", cost)
		}
	}
	broken := errors.New("no entropy")
	h, err := NewHasher(cheap, 0, iotest.ErrReader(broken))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 { // a slot that is not released would block the second call
		if stored, err := h.Hash(t.Context(), NewSecret("x")); !errors.Is(err, broken) || stored.Reveal() != "" {
			t.Errorf("got %v without randomness", err)
		}
	}
}

func TestStoredHashForm(t *testing.T) {
	t.Parallel()
	h := hasher(t, cheap, 1)
	const good = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA"
	if ok, _, err := h.Verify(t.Context(), NewSecret("x"), NewSecret(good)); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	for _, stored := range []string{
		"x", "$", "$$$$$", good[1:], good + "$", good + "=", good + "-", " " + good, good + "\n",
		strings.Replace(good, "argon2id", "argon2i", 1), strings.Replace(good, "argon2id", "argon2d", 1),
		strings.Replace(good, "v=19", "v=16", 1), strings.Replace(good, "v=19$", "", 1),
		strings.Replace(good, "m=64,t=1", "t=1,m=64", 1), strings.Replace(good, ",p=1", "", 1),
		strings.Replace(good, "m=64", "m=", 1), strings.Replace(good, "m=64", "m=-64", 1),
		strings.Replace(good, "m=64", "m=+64", 1), strings.Replace(good, "m=64", "m=4294967295", 1),
		strings.Replace(good, "m=64", "m=4294967360", 1), strings.Replace(good, "m=64", "m=7", 1),
		strings.Replace(good, "t=1", "t=0", 1), strings.Replace(good, "t=1", "t=1000000", 1),
		strings.Replace(good, "p=1", "p=0", 1), strings.Replace(good, "p=1", "p=257", 1),
		strings.Replace(good, "p=1", "p=1,x=2", 1), strings.Replace(good, "c29tZXNhbHQ", "c29tZXNhbHQ=", 1),
		// The salt "c29t" is too short. In "c29tZXNhbHR", unused bits after the last byte are set.
		strings.Replace(good, "c29tZXNhbHQ", "c29t", 1), strings.Replace(good, "c29tZXNhbHQ", "c29tZXNhbHR", 1),
		strings.Replace(good, "AAAAAAAAAAAAAAAAAAAAAA", "", 1),
		strings.Replace(good, "AAAAAAAAAAAAAAAAAAAAAA", "AAAA", 1),
		strings.Replace(good, "AAAAAAAAAAAAAAAAAAAAAA", strings.Repeat("A", 88), 1), good + strings.Repeat("A", 1<<20),
	} {
		ok, upgrade, err := h.Verify(t.Context(), NewSecret("x"), NewSecret(stored))
		var refusal *fault.Error
		if ok || upgrade || !errors.As(err, &refusal) || refusal.Kind != fault.Internal {
			t.Errorf("%.100q: %v, %v, %v", stored, ok, upgrade, err)
		}
	}
}

// FuzzStoredHash parses arbitrary stored hashes. Only hashes in our own encoding
// and within the cost limits may be accepted.
func FuzzStoredHash(f *testing.F) {
	f.Add("$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc")
	f.Add("$argon2id$v=19$m=4294967295,t=1,p=255$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA")
	f.Add("$argon2id$v=19$m=064,t=1,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := parseEncoded(text)
		if err != nil {
			return
		}
		if e.String() != text {
			t.Fatalf("%q is written as %q", text, e)
		}
		if !e.cost.valid() {
			t.Fatalf("%q costs too much", text)
		}
	})
}

func BenchmarkHash(b *testing.B) {
	h, err := NewHasher(DefaultCost(), 1, seeded(1))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Hash(b.Context(), NewSecret("correct horse")); err != nil {
			b.Fatal(err)
		}
	}
}

// TestHasherTellsOfWaits checks that the callbacks before and after waiting for
// a slot are called if no slot is free, and are not called if a slot is free.
func TestHasherTellsOfWaits(t *testing.T) {
	t.Parallel()
	h := hasher(t, cheap, 1)
	var told []string
	h.OnWait(func(context.Context) func() {
		told = append(told, "waits")
		if len(told) == 1 {
			<-h.slots // a slot is free now
		}
		return func() { told = append(told, "goes on") }
	})
	if _, err := h.Hash(t.Context(), NewSecret("x")); err != nil || len(told) != 0 {
		t.Errorf("%q, %v", told, err)
	}
	h.slots <- struct{}{}
	if _, err := h.Hash(t.Context(), NewSecret("x")); err != nil || len(told) != 2 {
		t.Errorf("%q, %v", told, err)
	}
}
