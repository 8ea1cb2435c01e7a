package tenant

import (
	"strings"
	"testing"
	"time"
)

// FuzzParseToken parses arbitrary texts as tokens and as hashes of tokens. Each must be
// refused, or be in our own encoding; a hash may also be in upper case.
func FuzzParseToken(f *testing.F) {
	token, err := MintToken(strings.NewReader(strings.Repeat("x", 64)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(token.Reveal())
	f.Add(HashToken(token).String())
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if token, ok := ParseToken(text); ok && token.Reveal() != text {
			t.Errorf("%q is read as %q", text, token.Reveal())
		}
		if hash, ok := ParseTokenHash(text); ok && !strings.EqualFold(hash.String(), text) {
			t.Errorf("%q is read as %s", text, hash)
		}
	})
}

// FuzzTime parses arbitrary ids. An id of a decision must sort by its time, so that a
// list in the order of ids is in the order of time.
func FuzzTime(f *testing.F) {
	f.Add(FirstID(KindDecision, time.Unix(1_800_000_000, 0)))
	f.Add("dec_")
	f.Add("")
	f.Fuzz(func(t *testing.T, id string) {
		made, ok := Time(id)
		if !ok {
			return
		}
		if Valid(KindDecision,
			id) && (FirstID(KindDecision, made) > id || FirstID(KindDecision, made.Add(time.Millisecond)) <= id) {
			t.Errorf("%q is said to be of %v", id, made)
		}
	})
}

// FuzzRates parses arbitrary rates and quotas. A rate must be refused or have no negative
// value. Quotas must be the same after they are written and parsed again.
func FuzzRates(f *testing.F) {
	for _, text := range []string{"500/s burst 1000", "60/m", "1/h burst 0", "-1/s", "9223372036854775808/s",
		"free=1000,pro=unmetered", "free=", "=1", "free=1,free=2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if rate, err := ParseRate(text); err == nil && (rate.Allowance < 0 || rate.Burst < 0 || rate.Window <= 0) {
			t.Errorf("%q is read as %+v", text, rate)
		}
		if plans, err := DefaultPricePlans().WithQuotas(text); err == nil {
			again, err := DefaultPricePlans().WithQuotas(plans.String())
			if err != nil || again.String() != plans.String() {
				t.Errorf("%q is read as %s, and that as %s: %v", text, plans, again, err)
			}
		}
	})
}
