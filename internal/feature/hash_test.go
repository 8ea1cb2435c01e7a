package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/wire"
)

// canonical is the text a vector's hash is taken of, made the slow way.
func canonical(v *Vector) []byte {
	text := []byte("[")
	for i := range Count {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = wire.AppendString(text, NameAt(i))
		text = append(text, ',')
		text = v.AppendValue(text, i)
		text = append(text, ']')
	}
	return append(text, ']')
}

func TestHashIsOfTheCanonicalText(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		v := randomVector(seed)
		sum := sha256.Sum256(canonical(v))
		if got, want := v.Hash(), "sha256:"+hex.EncodeToString(sum[:]); got != want {
			t.Fatalf("seed %d: %s, want %s", seed, got, want)
		}
	}
	if _, err := wire.Parse(canonical(randomVector(1))); err != nil {
		t.Error(err)
	}
}

// TestHashIsStable holds hashes that were given out before: should one change,
// stored vectors no longer verify.
func TestHashIsStable(t *testing.T) {
	t.Parallel()
	h, s := newSource(1).large(asOfDays[11])
	var empty, full, bureau, bank Vector
	Compute(h, s, asOfDays[11], &full)
	Compute(h, nil, asOfDays[11], &bureau)
	Compute(nil, s, asOfDays[11], &bank)
	want := []string{
		"sha256:218746676bb363218b4a397643b0f89afbfb4eee0bc8230addeb852c01f32c55",
		"sha256:793780b93c771303fb8ef03bb55509c20f0a53e29033cc57c8caa3f92ba66c8a",
		"sha256:79eaed0d69626eb17f1b005583092bc37c743baf934fac5b4f84fda2c6e39009",
		"sha256:92f08a238811b28eff7485936b1caf5f1f016e126565b78b091471825ba30e88",
	}
	if diff := cmp.Diff(want, []string{empty.Hash(), full.Hash(), bureau.Hash(), bank.Hash()}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPutDecimal(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	check := func(value int64) {
		var text [longestValue]byte
		n := putDecimal(&text, value)
		if got, want := string(text[:n]), string(wire.AppendDecimal(nil, value, places)); got != want {
			t.Errorf("%d is %q, want %q", value, got, want)
		}
	}
	for power := int64(1); power <= mostValue; power *= 10 {
		for _, value := range []int64{power - 1, power, power + 1, 9 * power, 99 * (power / 10)} {
			check(value)
			check(-value)
		}
		for range 1000 {
			check(r.Int64N(power))
			check(-r.Int64N(power) / 100 * 100)
		}
	}
}
