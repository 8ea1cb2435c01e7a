package tenant

import (
	"bytes"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

// seeded returns a random source that is the same in every run.
func seeded(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// same is a reader that returns one byte endlessly.
type same byte

func (s same) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s)
	}
	return len(p), nil
}

var noon = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)

func TestIDGolden(t *testing.T) {
	t.Parallel()
	// The time is that of the example in the ULID specification.
	at := time.UnixMilli(1469918176385)
	ids := NewIDs(bytes.NewReader([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a" + "\x00\x00\x00\x05")))
	for _, want := range []string{
		"dec_01ARYZ6S41041061050R3GG28A",
		"dec_01ARYZ6S41041061050R3GG28G", // increased by 5 + 1
	} {
		if got := ids.New(KindDecision, at); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestIDIsTheNumberItStandsFor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		chance := rapid.SliceOfN(rapid.Byte(), 10, 10).Draw(t, "chance")
		millis := rapid.Int64Range(0, maxMillis).Draw(t, "millis")
		id := NewIDs(bytes.NewReader(chance)).New(KindUser, time.UnixMilli(millis))
		want := new(big.Int).Lsh(big.NewInt(millis), 80)
		want.Add(want, new(big.Int).SetBytes(chance))
		got := new(big.Int)
		for _, c := range strings.TrimPrefix(id, "usr_") {
			got.Lsh(got, 5).Add(got, big.NewInt(int64(strings.IndexRune(crockford, c))))
		}
		if got.Cmp(want) != 0 {
			t.Errorf("%s is %x, want %x", id, got, want)
		}
	})
}

// TestIDsSortAsMade checks that ids sort in the order of creation, unless the
// clock is set back far.
func TestIDsSortAsMade(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ids := NewIDs(seeded(rapid.Byte().Draw(t, "seed")))
		last, latest := "", int64(0)
		for _, step := range rapid.SliceOfN(rapid.Int64Range(-mostAhead.Milliseconds(), 1<<43), 2, 50).Draw(t,
			"steps") {
			id := ids.New(KindDecision, time.UnixMilli(latest+step))
			latest = max(latest, latest+step)
			if !Valid(KindDecision, id) {
				t.Fatalf("%s is not valid", id)
			}
			if id <= last {
				t.Fatalf("%s was made after %s", id, last)
			}
			last = id
		}
	})
}

// TestIDsFollowAClockSetBack checks that ids keep their order if the clock is
// set back a little, and follow the clock if it is set back far.
func TestIDsFollowAClockSetBack(t *testing.T) {
	t.Parallel()
	ids := NewIDs(seeded(1))
	first := ids.New(KindDecision, noon)
	if near := ids.New(KindDecision, noon.Add(-mostAhead)); near <= first {
		t.Errorf("%s was made after %s", near, first)
	}
	far := ids.New(KindDecision, noon.Add(-time.Hour))
	if made, ok := Time(far); !ok || !made.Equal(noon.Add(-time.Hour)) {
		t.Errorf("an hour earlier an id says %s", made)
	}
}

func TestIDRunsOverIntoTheNextMillisecond(t *testing.T) {
	t.Parallel()
	ids := NewIDs(same(0xff))
	for i, want := range []string{"2026-11-14T12:00:00.000Z", "2026-11-14T12:00:00.001Z", "2026-11-14T12:00:00.002Z"} {
		id := ids.New(KindRun, noon)
		made, ok := Time(id)
		if !ok || made.Format("2006-01-02T15:04:05.000Z") != want {
			t.Errorf("id %d was made at %v, want %s", i, made, want)
		}
		if !strings.HasSuffix(id, strings.Repeat("Z", 16)) {
			t.Errorf("id %d is %s", i, id)
		}
	}
}

func TestIDsInParallel(t *testing.T) {
	t.Parallel()
	const workers, each = 8, 500
	ids := NewIDs(seeded(1))
	made := make([][]string, workers)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range each {
				made[w] = append(made[w], ids.New(KindRequest, noon.Add(time.Duration(i)*100*time.Microsecond)))
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, own := range made {
		if !slices.IsSorted(own) {
			t.Error("one worker's ids are out of order")
		}
		for _, id := range own {
			if seen[id] {
				t.Errorf("%s was made twice", id)
			}
			seen[id] = true
		}
	}
	if len(seen) != workers*each {
		t.Errorf("%d ids were made, want %d", len(seen), workers*each)
	}
}

func TestIDWithoutRandomness(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("an id was made without randomness")
		}
	}()
	NewIDs(iotest.ErrReader(errors.New("no entropy"))).New(KindKey, noon)
}

func TestIDForm(t *testing.T) {
	t.Parallel()
	ids := NewIDs(seeded(2))
	for _, kind := range Kinds() {
		id := ids.New(kind, noon)
		for _, other := range Kinds() {
			if got := Valid(other, id); got != (other == kind) {
				t.Errorf("Valid(%s, %s) is %v", other, id, got)
			}
		}
		if made, ok := Time(id); !ok || !made.Equal(noon) {
			t.Errorf("%s says it was made at %v", id, made)
		}
	}
	for _, id := range []string{
		"", "dec_", "01ARYZ6S41TSV4RRFFQ69G5FAV", "dec-01ARYZ6S41TSV4RRFFQ69G5FAV", "DEC_01ARYZ6S41TSV4RRFFQ69G5FAV",
		"dec_01ARYZ6S41TSV4RRFFQ69G5FA", "dec_01ARYZ6S41TSV4RRFFQ69G5FAVV", "dec_01aryz6s41tsv4rrffq69g5fav",
		"dec_01ARYZ6S41TSV4RRFFQ69G5FAU", "dec_O1ARYZ6S41TSV4RRFFQ69G5FAV", "dec_81ARYZ6S41TSV4RRFFQ69G5FAV",
		"dec_01ARYZ6S41TSV4RRFFQ69G5FA\x00", "xyz_01ARYZ6S41TSV4RRFFQ69G5FAV", " dec_01ARYZ6S41TSV4RRFFQ69G5FAV",
	} {
		if Valid(KindDecision, id) {
			t.Errorf("%q passes for an id", id)
		}
		if _, ok := Time(id); ok {
			t.Errorf("%q has a time", id)
		}
	}
	if !Valid(KindDecision, "dec_7ZZZZZZZZZZZZZZZZZZZZZZZZZ") {
		t.Error("the last id of all is not valid")
	}
}

// TestFirstID checks that an id is between the FirstID of its millisecond and the
// FirstID of the next millisecond.
func TestFirstID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(0, maxMillis-1).Draw(t, "millis"))
		id := NewIDs(seeded(rapid.Byte().Draw(t, "seed"))).New(KindDecision, at)
		if first, next := FirstID(KindDecision, at),
			FirstID(KindDecision, at.Add(time.Millisecond)); id < first || id >= next {
			t.Errorf("%s is not between %s and %s", id, first, next)
		}
	})
	if first := FirstID(KindDecision, noon); !Valid(KindDecision, first) {
		t.Errorf("%s is no id", first)
	}
}

func BenchmarkID(b *testing.B) {
	ids := NewIDs(seeded(3))
	b.ReportAllocs()
	for b.Loop() {
		ids.New(KindDecision, noon)
	}
}
