package feature

import (
	"crypto/sha256"
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/wire"
)

// canonical returns the text that is hashed for a vector, built in a simple and
// slow way.
func canonical(v *Vector) []byte {
	text := []byte("[")
	for i := range Count {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, '[')
		text = wire.AppendString(text, NameAt(i))
		text = append(text, ',')
		text = appendValue(text, v, i)
		text = append(text, ']')
	}
	return append(text, ']')
}

// appendValue appends a feature's value as JSON: a number, or null.
func appendValue(dst []byte, v *Vector, index int) []byte {
	value, ok := v.Get(index)
	if !ok {
		return append(dst, "null"...)
	}
	return wire.AppendDecimal(dst, value, places)
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

// TestHashIsStable checks published hashes. If a hash changed, stored vectors
// would no longer verify.
func TestHashIsStable(t *testing.T) {
	t.Parallel()
	h, s := newSource(1).large(asOfDays[11])
	var empty, full, bureau, bank Vector
	Compute(Catalogue1, h, s, asOfDays[11], &full)
	Compute(Catalogue1, h, nil, asOfDays[11], &bureau)
	Compute(Catalogue1, nil, s, asOfDays[11], &bank)
	want := []string{
		"sha256:218746676bb363218b4a397643b0f89afbfb4eee0bc8230addeb852c01f32c55",
		"sha256:3a2ba56a782b27c6bd0e48ab64fabe0c04680d53f15b01c7cc9ac3d053304c66",
		"sha256:79eaed0d69626eb17f1b005583092bc37c743baf934fac5b4f84fda2c6e39009",
		"sha256:b3a300c4b7893b86c2c33b906ab3b2e6d90e9bf0f472dffa4b3df5b115b09435",
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

// TestFirstCatalogueIsFrozen compares the hash over the vectors of random inputs
// with a hash that was recorded before the second catalogue was added.
func TestFirstCatalogueIsFrozen(t *testing.T) {
	t.Parallel()
	all := sha256.New()
	for seed := range uint64(300) {
		r := newSource(seed)
		asOf := r.asOf()
		h, s := r.history(asOf), r.statement(asOf)
		var v Vector
		Compute(Catalogue1, h, s, asOf, &v)
		all.Write(v.Encode(nil))
		all.Write([]byte(v.Hash()))
	}
	const want = "82b38b646f432bbd17235152914ad0ef592ce4284c601d93033e13d8f2a727e0"
	if got := hex.EncodeToString(all.Sum(nil)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
