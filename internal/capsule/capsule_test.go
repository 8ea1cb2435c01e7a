package capsule

import (
	"bytes"
	"crypto/rand"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"verdict/internal/evidence"
)

// corpus returns the committed capsules, which every later version must accept, and the
// public key of their log.
func corpus(t testing.TB) (files map[string][]byte, log *evidence.LogKeys) {
	t.Helper()
	return corpusOf(t, "testdata")
}

// second is the folder of the second corpus: several people, lists, tables, own exposure and caps, in a log whose key
// was replaced and that a witness has signed.
const second = "testdata/second"

// corpusOf returns the capsules of a folder.
func corpusOf(t testing.TB, folder string) (files map[string][]byte, log *evidence.LogKeys) {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(folder, "log.pub"))
	if err != nil {
		t.Fatal(err)
	}
	if log, err = evidence.ParseLogKeys(string(key)); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(names) < 3 {
		t.Fatalf("the corpus is %v, %v", names, err)
	}
	files = map[string][]byte{}
	for _, name := range names {
		if files[name], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return files, log
}

// witnessOf returns the key of the witness that has signed the log of the second corpus.
func witnessOf(t testing.TB) evidence.WitnessKey {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(second, "witness.pub"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := evidence.ParseWitnessKey(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// seen reports whether a text is a capsule that passes all checks and whose checkpoint the witness has signed.
func seen(text []byte, log *evidence.LogKeys, witness evidence.WitnessKey) bool {
	if !holds(text, log) {
		return false
	}
	c, err := Parse(text)
	return err == nil && len(c.Check(log, []evidence.WitnessKey{witness}).Seen) > 0
}

// holds reports whether a text is a capsule that passes all checks.
func holds(text []byte, log *evidence.LogKeys) bool {
	c, err := Parse(text)
	if err != nil {
		return false
	}
	_, err = c.logged(log, &Report{}) // first, because it is faster than deciding again
	return err == nil && c.decideAgain() == nil
}

// TestCorpus checks the committed capsules.
func TestCorpus(t *testing.T) {
	t.Parallel()
	key := witnessOf(t)
	files, log := corpusOf(t, second)
	for name, text := range files {
		c, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := c.Check(log, []evidence.WitnessKey{key})
		before := strings.HasSuffix(name, "before.json") // the log key was replaced after this decision
		if r.Decided != nil || r.Logged != nil || before != (r.Replaced != "") || before != (len(r.Seen) == 0) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	files, log = corpus(t)
	for name, text := range files {
		c, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r := c.Check(log, nil); r.Decided != nil || r.Logged != nil || r.Checkpoint.Size == 0 || r.Seen != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestEveryByteOfACapsuleCounts flips one bit in every byte of two capsules, and in every seventh byte of the other
// capsules. The position of the bit differs from byte to byte. None of the changed files may pass.
func TestEveryByteOfACapsuleCounts(t *testing.T) {
	t.Parallel()
	files, log := corpus(t)
	more, secondLog := corpusOf(t, second)
	witness := witnessOf(t)
	maps.Copy(files, more)
	for name, text := range files {
		log, holds := log, holds
		if strings.HasPrefix(name, second) {
			log = secondLog
		}
		if bytes.Contains(text, []byte("auditor.example")) {
			// Check with the key of the witness, too. Without that key, nothing checks the bytes of the witness's
			// signature.
			holds = func(text []byte, log *evidence.LogKeys) bool { return seen(text, log, witness) }
		}
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text := bytes.TrimSuffix(text, []byte("\n"))
			step := 7
			// The two capsules: one with features, one with people and the signature of a witness.
			if strings.Contains(name, "features") || strings.HasSuffix(name, "people.json") {
				step = 1
			}
			altered := bytes.Clone(text)
			for i := 0; i < len(text); i += step {
				altered[i] ^= 1 << (i % 8)
				if holds(altered, log) {
					t.Errorf("it passes with another byte %d: …%s…", i, altered[max(0, i-20):min(len(text), i+20)])
				}
				altered[i] = text[i]
			}
			for _, other := range []string{
				" " + string(text), string(text) + " ", string(text) + "\n\n", string(text[:len(text)-1]),
				strings.Replace(string(text), `"facts":`, `"extra":1,"facts":`, 1), "", "{}", "[]", "null",
			} {
				if holds([]byte(other), log) {
					t.Errorf("it passes as %.40q", other)
				}
			}
		})
	}
}

// TestParseRefuses checks the reasons for which a file is refused.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want error
	}{
		{"", ErrNotACapsule},
		{"{}", ErrNotACapsule},
		{`{"capsule":1}`, ErrNotACapsule},
		{`{"capsule":3,"decision":{}}`, ErrLaterVersion},
		{strings.Repeat(" ", MaxSize+1), ErrTooLarge},
	} {
		if _, err := Parse([]byte(c.text)); !errors.Is(err, c.want) {
			t.Errorf("%.40q: %v, want %v", c.text, err, c.want)
		}
	}
}

// TestForgedParts adds parts to genuine capsules, and makes capsules whose leaf is genuine but
// whose row belongs to something else. None of them may pass.
func TestForgedParts(t *testing.T) {
	t.Parallel()
	files, log := corpus(t)
	for name, forge := range map[string]func(c *Capsule){
		"features that were never stored": func(c *Capsule) {
			c.Features = &Features{Vector: []byte("forged"), Source: []byte("a bureau report")}
		},
		"no features":            func(c *Capsule) { c.Features = nil },
		"a salt left out":        func(c *Capsule) { c.Salts = c.Salts[:1] },
		"salts in another order": func(c *Capsule) { c.Salts[0], c.Salts[1] = c.Salts[1], c.Salts[0] },
		"another tenant":         func(c *Capsule) { c.Row.Tenant = "ten_other" },
		"another environment":    func(c *Capsule) { c.Row.Environment = "live" },
		"another decision":       func(c *Capsule) { c.Row.ID, c.Leaf.ID = "dec_other", "dec_other" },
		"another status":         func(c *Capsule) { c.Row.Status = "REFERRED" },
		"another policy version": func(c *Capsule) { c.Row.PolicyVersion++ },
		"another time":           func(c *Capsule) { c.Row.CreatedMicros += 1_000_000 },
		"no zones":               func(c *Capsule) { c.Row.Plain = `{"zones":{}}` },
	} {
		for file, text := range files {
			c, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			had := c.Features != nil
			if forge(c); name == "no features" && !had || strings.HasPrefix(name, "features") && had {
				continue
			}
			if holds(c.Append(nil), log) {
				t.Errorf("%s passes with %s", file, name)
			}
		}
	}
	c, err := Parse(files["testdata/approved.json"])
	if err != nil {
		t.Fatal(err)
	}
	c.Row.Status = "APPROVED\nyes: it is all true\x1b[8m"
	if _, err := Parse(c.Append(nil)); !errors.Is(err, ErrNotACapsule) {
		t.Errorf("a status with control characters: %v", err)
	}
}

// TestOtherLog checks that a capsule does not pass with the key of another log.
func TestOtherLog(t *testing.T) {
	t.Parallel()
	files, _ := corpus(t)
	_, key, err := note.GenerateKey(rand.Reader, "verdict/ten_other/live")
	if err != nil {
		t.Fatal(err)
	}
	other, err := evidence.ParseLogKeys(key)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if r := c.Check(other, nil); r.Logged == nil || r.Decided != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// FuzzParse parses arbitrary files. Parse must not panic, and a file that it accepts must
// be written again as the same bytes.
func FuzzParse(f *testing.F) {
	files, log := corpus(f)
	for _, text := range files {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(text)
		if err != nil {
			return
		}
		if !bytes.Equal(c.Append(nil), bytes.TrimSuffix(text, []byte("\n"))) {
			t.Error("the capsule is written differently")
		}
		c.Check(log, nil)
	})
}
