package console_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/capsule"
	"verdict/internal/verifypage"
	"verdict/proof/browser"
)

// corpusFolder has the committed capsules and the public key of their log.
const corpusFolder = "../../internal/capsule/testdata"

// answer is what the page's program says about a capsule.
type answer struct {
	Error     string
	Decision  string
	Holds     bool
	Sentences []struct{ Truth, Text string }
}

// lines returns the answer as the command prints it.
func (a answer) lines() (lines []string) {
	if a.Error != "" {
		return []string{a.Error}
	}
	lines = []string{a.Decision, fmt.Sprintf("holds: %t", a.Holds)}
	for _, s := range a.Sentences {
		lines = append(lines, s.Truth+": "+s.Text)
	}
	return lines
}

// commanded returns what the command says about a capsule.
func commanded(text []byte, keys capsule.Keys) []string {
	result, err := capsule.Verify(text, keys)
	if err != nil {
		return []string{err.Error()}
	}
	lines := []string{result.Decision, fmt.Sprintf("holds: %t", result.Holds)}
	for _, s := range result.Sentences {
		lines = append(lines, string(s.Truth)+": "+s.Text)
	}
	return lines
}

// TestVerifyPage opens verify.html from disk and gives it the committed capsules. The page
// must say what "verdict verify" says, also about a capsule of which one byte was altered.
func TestVerifyPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: browser")
	}
	page, err := verifypage.Build(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	const maxSize = 3 << 20
	if t.Logf("verify.html has %d bytes", len(page)); len(page) > maxSize {
		t.Errorf("verify.html has %d bytes, and should have at most %d", len(page), maxSize)
	}
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "verify.html"), page, 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(corpusFolder, "log.pub"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := capsule.ReadKeys(string(key), "")
	if err != nil {
		t.Fatal(err)
	}
	shots := os.Getenv(shotsVariable)
	v := &verifyPage{
		keys: keys, lens: browser.Lens{Axe: browser.Axe(t), Folder: shots, Tall: shots != ""},
		Tab: browser.Open(t).Tab(t, "file://"+folder),
	}
	v.Go("/verify.html")
	v.Sees("the capsule and the public key of the log are missing")
	v.files(t)
	v.second(t)
	v.refusals(t)
	v.flips(t, string(key))
	v.Quiet()
}

// verifyPage is the open page.
type verifyPage struct {
	*browser.Tab
	keys capsule.Keys
	lens browser.Lens
}

// files chooses the committed capsules and the key as an examiner does.
func (v *verifyPage) files(t *testing.T) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(corpusFolder, "*.json"))
	if err != nil || len(names) < 3 {
		t.Fatalf("the corpus is %v, %v", names, err)
	}
	key, err := filepath.Abs(filepath.Join(corpusFolder, "log.pub"))
	if err != nil {
		t.Fatal(err)
	}
	v.Upload("#log-file", key)
	v.Sees("the capsule is missing")
	for _, name := range names {
		absolute, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		v.Upload("#capsule", absolute)
		v.Sees("1 capsule checked, 1 genuine")
		v.Sees(commanded(text, v.keys)[0]) // the id of this decision, not of the one before
		var shown []string
		v.Ask(`[...document.querySelectorAll(".result li")].map(e =>
			e.querySelector(".mark").className.replace("mark ", "") + ": " + e.lastChild.textContent)`, &shown)
		want := commanded(text, v.keys)[2:]
		if diff := cmp.Diff(want, shown); diff != "" {
			t.Errorf("%s: the command and the page differ (-command +page):\n%s", name, diff)
		}
	}
	v.Inspect(v.lens, "verify-genuine")
}

// second passes the capsules of the second corpus to the program of the page, with the key of their witness.
func (v *verifyPage) second(t *testing.T) {
	t.Helper()
	folder := filepath.Join(corpusFolder, "second")
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(names) < 4 {
		t.Fatalf("the corpus is %v, %v", names, err)
	}
	read := func(name string) []byte {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	log, witness := read(filepath.Join(folder, "log.pub")), read(filepath.Join(folder, "witness.pub"))
	keys, err := capsule.ReadKeys(string(log), string(witness))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text := read(name)
		given, err := json.Marshal([]string{base64.StdEncoding.EncodeToString(text), string(log), string(witness)})
		if err != nil {
			t.Fatal(err)
		}
		var said string
		v.Ask(fmt.Sprintf(`(([text, log, witness]) => verdictCheck(Uint8Array.from(atob(text), c => c.charCodeAt(0)),
			log, witness))(%s)`, given), &said)
		var a answer
		if err := json.Unmarshal([]byte(said), &a); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(commanded(text, keys), a.lines()); diff != "" || !a.Holds {
			t.Errorf("%s: the command and the page differ (-command +page):\n%s", name, diff)
		}
	}
}

// refusals checks files and keys that the page must refuse.
func (v *verifyPage) refusals(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpusFolder, "approved.json"))
	if err != nil {
		t.Fatal(err)
	}
	altered := filepath.Join(t.TempDir(), "altered.json")
	status := strings.Replace(string(text), `"status":"APPROVED"`, `"status":"DECLINED"`, 1)
	if err := os.WriteFile(altered, []byte(status), 0o600); err != nil {
		t.Fatal(err)
	}
	v.Upload("#capsule", altered)
	v.Sees("Do not rely on this capsule")
	v.Inspect(v.lens, "verify-altered")
	hostile := filepath.Join(t.TempDir(), "hostile.json")
	if err := os.WriteFile(hostile, []byte("<script>alert(1)</script>"), 0o600); err != nil {
		t.Fatal(err)
	}
	v.Upload("#capsule", hostile)
	v.Sees(capsule.ErrNotACapsule.Error())
	v.Sees("1 capsule checked, 0 genuine")
	v.Fill("#log", "verdict/x")
	v.Sees(capsule.ErrNotALogKey.Error())
	v.Inspect(v.lens, "verify-refused")
}

// flips alters every byte of a capsule, one at a time, and compares what the page says with what the
// command says. Each call into the page checks many alterations.
func (v *verifyPage) flips(t *testing.T, key string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpusFolder, "approved.json"))
	if err != nil {
		t.Fatal(err)
	}
	v.Ask(fmt.Sprintf(`globalThis.sample = Uint8Array.from(atob(%q), c => c.charCodeAt(0)); 0`,
		base64.StdEncoding.EncodeToString(text)), nil)
	encoded, err := json.Marshal(key)
	if err != nil {
		t.Fatal(err)
	}
	const atOnce = 500
	for from := 0; from < len(text); from += atOnce {
		end := min(from+atOnce, len(text))
		var said []string
		v.Ask(fmt.Sprintf(`(() => {
			const said = [];
			for (let i = %d; i < %d; i++) {
				sample[i] ^= 1 << (i %% 8);
				said.push(verdictCheck(sample, %s, ""));
				sample[i] ^= 1 << (i %% 8);
			}
			return said;
		})()`, from, end, encoded), &said)
		if len(said) != end-from {
			t.Fatalf("%d answers, want %d", len(said), end-from)
		}
		for i := from; i < end; i++ {
			var a answer
			if err := json.Unmarshal([]byte(said[i-from]), &a); err != nil {
				t.Fatal(err)
			}
			text[i] ^= 1 << (i % 8)
			want := commanded(text, v.keys)
			text[i] ^= 1 << (i % 8)
			if !slices.Equal(a.lines(), want) {
				t.Errorf("with another byte %d the page says %q, the command %q", i, a.lines(), want)
			}
			if a.Holds {
				t.Errorf("with another byte %d the page finds the capsule genuine", i)
			}
		}
	}
}
