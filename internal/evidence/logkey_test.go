package evidence

import (
	"bytes"
	"crypto/ed25519"
	"strings"
	"testing"
)

func testKey(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

const rotatedAt = "2026-11-17T02:00:00.000Z"

// rotated returns two changes: from key 1 to key 2, and from key 2 to key 3.
func rotated() []KeyChange {
	return []KeyChange{
		NewKeyChange(testKey(1), testKey(2), rotatedAt), NewKeyChange(testKey(2), testKey(3), rotatedAt),
	}
}

// TestKeyChange checks that a change is accepted only if both keys have signed exactly this change.
func TestKeyChange(t *testing.T) {
	t.Parallel()
	c := rotated()[0]
	line := c.String()
	if again, err := ParseKeyChange(line); err != nil || again.String() != line {
		t.Errorf("%v, %v", again, err)
	}
	for i := range line {
		altered := []byte(line)
		altered[i] ^= 1
		if _, err := ParseKeyChange(string(altered)); err == nil {
			t.Errorf("it is accepted with another byte %d", i)
		}
	}
	forged := c
	forged.To = PublicOf(testKey(9))
	forged.ByTo = ed25519.Sign(testKey(9), forged.text())
	if _, err := ParseKeyChange(forged.String()); err == nil {
		t.Error("a change that the old key has not signed is accepted")
	}
	for _, lines := range []string{line + "\n" + line + "\n", line + " \n", "\n", "x\n"} {
		if _, err := ParseKeyChanges(lines); err == nil {
			t.Errorf("%q is accepted", lines)
		}
	}
	if changes, err := ParseKeyChanges(""); err != nil || len(changes) != 0 {
		t.Errorf("no change is %v, %v", changes, err)
	}
}

// TestLogKeys checks checkpoints that were signed with present and former keys.
func TestLogKeys(t *testing.T) {
	t.Parallel()
	const origin = "verdict/ten_A/live"
	text, err := LogKeysText(origin, PublicOf(testKey(3)), rotated())
	if err != nil || strings.Count(text, "\n") != 3 {
		t.Fatalf("%q, %v", text, err)
	}
	keys, err := ParseLogKeys(text)
	if err != nil || keys.Name() != origin {
		t.Fatalf("%v, %v", keys, err)
	}
	old, err := LogKeysText(origin, PublicOf(testKey(1)), nil)
	if err != nil {
		t.Fatal(err)
	}
	oldKeys, err := ParseLogKeys(old)
	if err != nil {
		t.Fatal(err)
	}
	signedBy := func(key byte, origin string) []byte {
		t.Helper()
		signer, err := NewSigner(origin, testKey(key))
		if err != nil {
			t.Fatal(err)
		}
		signed, err := Checkpoint{Origin: origin, Size: 7}.Sign(signer)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	for _, c := range []struct {
		name     string
		signed   []byte
		ok, old  bool
		replaced string
	}{
		{"the present key", signedBy(3, origin), true, false, ""},
		{"the key before", signedBy(2, origin), true, false, rotatedAt},
		{"the first key", signedBy(1, origin), true, true, rotatedAt},
		{"an unknown key", signedBy(4, origin), false, false, ""},
		{"a reopened log", signedBy(3, origin+"#2"), true, false, ""},
		{"another log", signedBy(3, "verdict/ten_B/live"), false, false, ""},
		{"nothing", nil, false, false, ""},
	} {
		got, replaced, err := keys.Open(c.signed)
		if (err == nil) != c.ok || replaced != c.replaced || c.ok && got.Size != 7 {
			t.Errorf("%s: %+v, %q, %v", c.name, got, replaced, err)
		}
		if _, _, err := oldKeys.Open(c.signed); (err == nil) != c.old {
			t.Errorf("%s with the first key alone: %v", c.name, err)
		}
	}
	for i := range len(text) - 1 { // the end of the last line does not matter
		altered := []byte(text)
		altered[i] ^= 1
		if k, err := ParseLogKeys(string(altered)); err == nil && len(k.keys) == 3 && k.name == origin {
			t.Errorf("the keys are accepted with another byte %d", i)
		}
	}
	lines := strings.SplitAfter(text, "\n")
	for _, text := range []string{"", "x", lines[1], lines[0] + lines[2], lines[0] + lines[0], text + lines[2]} {
		if _, err := ParseLogKeys(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
