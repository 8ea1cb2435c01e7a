//nolint:thelper // what EachURL runs is the test itself: a failure belongs to its own line
package evidencedesk_test

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"

	"verdict/internal/capsule"
	"verdict/internal/evidence"
	"verdict/internal/evidencedesk"
	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/usecase/usecasetest"
)

// witness signs checkpoints like a witness outside the service.
type witness struct {
	name string
	key  ed25519.PrivateKey
}

func witnessNamed(name string) witness {
	return witness{name, ed25519.NewKeyFromSeed(bytes.Repeat([]byte(name[:1]), ed25519.SeedSize))}
}

func (w witness) public() string { return evidence.WitnessKeyText(w.name, w.key) }

// cosign signs the last checkpoint of a log, and gives the signature to the service.
func (w witness) cosign(t *testing.T, h *usecasetest.House, at int64) (evidencedesk.NewCosignature, error) {
	t.Helper()
	signed, err := h.Service.Evidence.Checkpoint(t.Context(), h.Caller)
	if err != nil {
		t.Fatal(err)
	}
	line := evidence.Cosign(logOf(t, h).checkpoint(t), w.name, w.key, at)
	n := evidencedesk.NewCosignature{Checkpoint: string(signed) + line, WitnessKey: w.public()}
	seen, err := h.Service.Evidence.Cosign(t.Context(), h.Caller, n, nil)
	if err == nil && (seen.Witness != w.name || seen.At.Unix() != at) {
		t.Errorf("stored as %+v", seen)
	}
	return n, err
}

// seenBy returns the witnesses that a capsule shows, with their times.
func seenBy(t *testing.T, h *usecasetest.House, id string, witnesses ...witness) string {
	t.Helper()
	made, err := h.Service.Evidence.Capsule(t.Context(), h.Caller, id)
	if err != nil {
		t.Fatal(err)
	}
	read, err := capsule.Parse(made.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	var keys []evidence.WitnessKey
	for _, w := range witnesses {
		key, err := evidence.ParseWitnessKey(w.public())
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	r := read.Check(logOf(t, h).keys, keys)
	if r.Decided != nil || r.Logged != nil {
		t.Errorf("%+v", r)
	}
	text := fmt.Sprintf("size %d", r.Checkpoint.Size)
	for _, seen := range r.Seen {
		text += fmt.Sprintf(", %s at %d", seen.Witness, seen.At.Unix())
	}
	return text
}

// TestCosign adds signatures of witnesses. A capsule shows the first checkpoint that covers its
// decision and that a witness has signed. The entry of the first decision is the sixth, because the
// signup has added five.
func TestCosign(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		db := storetest.Open(t, databaseURL, store.Options{})
		h := open(t, db, newMemory())
		first := h.Decided(t, usecasetest.Sample)
		sign(t, h)
		asha, ravi := witnessNamed("asha.example"), witnessNamed("ravi.example")
		want := func(id, text string) {
			t.Helper()
			if got := seenBy(t, h, id, asha, ravi); got != text {
				t.Errorf("the capsule shows %q, want %q", got, text)
			}
		}
		want(first, "size 6")
		if _, err := asha.cosign(t, h, 1_000); err != nil {
			t.Fatal(err)
		}
		if _, err := asha.cosign(t, h, 2_000); err != nil { // the first time stays
			t.Fatal(err)
		}
		if _, err := ravi.cosign(t, h, 3_000); err != nil {
			t.Fatal(err)
		}
		want(first, "size 6, asha.example at 1000, ravi.example at 3000")
		if got := seenBy(t, h, first); got != "size 6" {
			t.Errorf("without the key of a witness the capsule shows %q", got)
		}

		second, third := h.Decided(t, usecasetest.Sample), h.Decided(t, usecasetest.Sample)
		sign(t, h)
		want(second, "size 8")
		if _, err := ravi.cosign(t, h, 4_000); err != nil {
			t.Fatal(err)
		}
		for range 300 {
			h.Decided(t, usecasetest.Sample)
		}
		sign(t, h)
		want(first, "size 6, asha.example at 1000, ravi.example at 3000")
		want(second, "size 8, ravi.example at 4000")
		want(third, "size 8, ravi.example at 4000")
	})
}

// TestCosignRefuses sends signatures that must not be stored.
func TestCosignRefuses(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	h := open(t, db, newMemory())
	asha := witnessNamed("asha.example")
	if _, err := h.Service.Evidence.Cosign(
		t.Context(), h.Caller, evidencedesk.NewCosignature{}, nil,
	); fault.KindOf(err) != fault.NotFound {
		t.Errorf("before the first checkpoint: %v", err)
	}
	id := h.Decided(t, usecasetest.Sample)
	sign(t, h)
	good, err := asha.cosign(t, h, 1_000)
	if err != nil {
		t.Fatal(err)
	}
	c := logOf(t, h).checkpoint(t)
	signedAs := func(c evidence.Checkpoint, secret ed25519.PrivateKey) string {
		t.Helper()
		signer, err := evidence.NewSigner(c.Origin, secret)
		if err != nil {
			t.Fatal(err)
		}
		text, err := c.Sign(signer)
		if err != nil {
			t.Fatal(err)
		}
		return string(text) + evidence.Cosign(c, asha.name, asha.key, 1_000)
	}
	longer, forked, other := c, c, c
	longer.Size, forked.Root, other.Origin = c.Size+1, [32]byte{1}, "verdict/ten_other/sandbox"
	bare, _, _ := strings.Cut(good.Checkpoint, "— asha")
	for name, n := range map[string]evidencedesk.NewCosignature{
		"nothing":               {},
		"no key":                {Checkpoint: good.Checkpoint},
		"another witness's key": {Checkpoint: good.Checkpoint, WitnessKey: witnessNamed("ravi.example").public()},
		"no signature":          {Checkpoint: bare, WitnessKey: asha.public()},
		"too large":             {Checkpoint: good.Checkpoint + strings.Repeat("x", 16<<10), WitnessKey: asha.public()},
		"another key":           {Checkpoint: signedAs(c, asha.key), WitnessKey: asha.public()},
		"a later checkpoint":    {Checkpoint: signedAs(longer, key), WitnessKey: asha.public()},
		"a fork":                {Checkpoint: signedAs(forked, key), WitnessKey: asha.public()},
		"another log":           {Checkpoint: signedAs(other, key), WitnessKey: asha.public()},
	} {
		if _, err := h.Service.Evidence.Cosign(t.Context(), h.Caller, n, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range 15 {
		if _, err := (witness{fmt.Sprintf("w%d", i), asha.key}).cosign(t, h, 1_000); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := witnessNamed("ravi.example").cosign(t, h, 1_000); fault.CodeOf(err) != fault.CodeCapReached {
		t.Errorf("the seventeenth witness: %v", err)
	}
	if got := seenBy(t, h, id, asha); got != "size 6, asha.example at 1000" {
		t.Errorf("the capsule shows %q", got)
	}
}
