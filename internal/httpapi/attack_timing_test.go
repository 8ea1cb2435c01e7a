package httpapi_test

import (
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/proof"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
)

// TestAttackTiming checks that response times do not distinguish another
// tenant's resource from a resource that does not exist, or a nearly correct
// key from a random key. It sends the two requests of each pair alternately, a
// thousand times. Timings are unreliable while other tests run, so without
// VERDICT_LONG the test makes a few requests and compares nothing.
// TestIsolation compares the answers themselves.
func TestAttackTiming(t *testing.T) { //nolint:paralleltest // the measurement needs the machine to itself
	if testing.Short() {
		t.Skip("left out with -short: attacks")
	}
	tries, compare := 4, false
	if os.Getenv("VERDICT_LONG") != "" {
		tries, compare = 1_000, true
	} else {
		t.Parallel()
	}
	fast := tenant.Rate{Allowance: 1_000_000, Window: time.Second, Burst: 1_000_000}
	plans := tenant.DefaultPricePlans().WithRates(tenant.Rates{Decide: fast, Write: fast, Backtest: fast})
	s := start(t, storetest.Open(t, storetest.SQLite(t), store.Options{}), stackOptions{plans: plans})
	owner, stranger := s.signup(), s.signup()
	id := owner.post("/v1/decisions", sample).want(http.StatusOK).text("decision_id")
	almost, letters := owner.key[len("vk_sandbox_"):len(owner.key)-6], mintable(t)
	var timings []proof.Timing
	for name, pair := range map[string][2]func() answer{
		"a decision of another tenant": {
			func() answer { return stranger.get("/v1/decisions/" + id).want(http.StatusNotFound) },
			func() answer { return stranger.get("/v1/decisions/" + other(id)).want(http.StatusNotFound) },
		},
		"a policy of another tenant": {
			func() answer { return stranger.get("/v1/rule-sets/" + owner.ruleSetID).want(http.StatusNotFound) },
			func() answer {
				return stranger.get("/v1/rule-sets/" + other(owner.ruleSetID)).want(http.StatusNotFound)
			},
		},
		"a key that differs from a real one only in its last letter": {
			func() answer {
				near := []byte(almost)
				near[len(near)-1] = letters[(strings.IndexByte(letters, near[len(near)-1])+1)%len(letters)]
				return s.send("GET", "/v1/usage", minted(t, letters, string(near)), "").want(http.StatusUnauthorized)
			},
			func() answer {
				return s.send("GET", "/v1/usage", minted(t, letters, rand.Text()+"abcdef"), "").
					want(http.StatusUnauthorized)
			},
		},
	} {
		timing := proof.Compare(name+", and one that does not exist", tries, func() time.Duration {
			return took(pair[0])
		}, func() time.Duration { return took(pair[1]) })
		t.Log(timing)
		timings = append(timings, timing)
		if compare && !timing.Alike() {
			t.Error(timing)
		}
	}
	slices.SortFunc(timings, func(a, b proof.Timing) int { return strings.Compare(a.Name, b.Name) })
	if compare && !t.Failed() {
		text := proof.Origin(t.Context(), time.Now(), "make attack") + "\n" + proof.TimingTable(timings)
		if err := proof.Write(os.Getenv(proof.Variable), "attack-timing", text); err != nil {
			t.Error(err)
		}
	}
}

// chance is a source of randomness that returns the bytes it was given.
type chance []byte

func (c *chance) Read(p []byte) (int, error) {
	n := copy(p, *c)
	if *c = (*c)[n:]; n == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}

// mintable returns the alphabet of API keys: the letter at index n encodes the number n.
func mintable(t *testing.T) (letters string) {
	t.Helper()
	for first := byte(0); first < 62; first += 31 {
		var draw chance
		for i := range byte(64) {
			draw = append(draw, first+i%31)
		}
		key, err := tenant.MintKey(tenant.Sandbox, &draw)
		if err != nil {
			t.Fatal(err)
		}
		letters += key.Reveal()[len("vk_sandbox_"):][:31]
	}
	return letters
}

// minted returns a key with the chosen letters and a valid checksum.
func minted(t *testing.T, letters, chosen string) string {
	t.Helper()
	var draw chance
	for i := range chosen {
		draw = append(draw, byte(strings.IndexByte(letters, chosen[i])))
	}
	draw = append(draw, make([]byte, 64)...)
	key, err := tenant.MintKey(tenant.Sandbox, &draw)
	if err != nil {
		t.Fatal(err)
	}
	if text := key.Reveal(); !strings.Contains(text, chosen) {
		t.Fatalf("minted %s, want %s in it", text, chosen)
	}
	return key.Reveal()
}

func took(do func() answer) time.Duration {
	begun := time.Now()
	do()
	return time.Since(begun)
}

// other returns an id that does not exist and has the same timestamp as the given id.
func other(id string) string {
	last := "0"
	if strings.HasSuffix(id, last) {
		last = "1"
	}
	return id[:len(id)-1] + last
}
