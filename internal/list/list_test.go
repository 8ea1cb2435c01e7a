package list_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/fault"
	"verdict/internal/list"
	"verdict/internal/rule"
)

func TestNormal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"ACME Ltd", "acme ltd"},
		{"  ACME\t \n Ltd ", "acme ltd"},
		{"ＡＣＭＥ　Ｌｔｄ", "acme ltd"}, // full-width letters and space
		{"Straße", "strasse"},
		{"STRASSE", "strasse"},
		{"Caf\u0065\u0301", "café"},
		{"ﬁnance", "finance"}, // the ligature fi
		{"ACME\u00a0Ltd", "acme ltd"},
		{"टाटा मोटर्स", "टाटा मोटर्स"},
		{" \t", ""},
		{"Mallory\u200b Ltd", "mallory ltd"}, // an invisible character, with which a name could evade a list
		{"M\u200dal\u2060lory\ufeff", "mallory"},
		{"Mal\u00adlo\u034fry\ufe0f", "mallory"},
		{"Mal\x01lory\x7f", "mallory"},
		{"Mallory \u202e \u00a0Ltd", "mallory ltd"},
		{"Cafe\u034f\u0301", "café"},
		{"\u200b", ""},
		{"", ""},
		{"=SUM(A1)", "=sum(a1)"},
	} {
		if got := string(list.Normal(nil, c.text)); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}

// TestNormalIsIdempotent checks that the normal form of a normal form is itself, for every character alone and between
// others, and for random texts.
func TestNormalIsIdempotent(t *testing.T) {
	t.Parallel()
	check := func(text string) bool {
		once := list.Normal(nil, text)
		return string(list.Normal(nil, string(once))) == string(once)
	}
	const assigned = 0x32000 // from here on, Normal keeps or removes a character, but never replaces it
	for r := rune(0); r < assigned; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue // surrogates are not characters
		}
		for _, text := range []string{string(r), "a" + string(r) + "\u0301 b", " " + string(r) + "\u0345A"} {
			if !check(text) {
				t.Errorf("the normal form of %+q is not stable", text)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		if text := rapid.String().Draw(t, "text"); !check(text) {
			t.Errorf("the normal form of %+q is not stable", text)
		}
	})
}

// TestKeysAllocateNothing checks that a lookup of an ordinary value does not allocate.
//
//nolint:paralleltest // Allocations are counted over the whole process.
func TestKeysAllocateNothing(t *testing.T) {
	for _, typ := range []list.Type{list.Text, list.Number, list.Hashed} {
		keyer := list.Keyer{Type: typ}
		value := rule.Str("Acme  Finance (India) Private Limited")
		if typ == list.Number {
			value = rule.Num(rule.Int(400001))
		}
		keys, _ := list.Encode(nil, 0)
		chunk, err := list.ReadChunk(keys)
		if err != nil {
			t.Fatal(err)
		}
		if n := testing.AllocsPerRun(100, func() { chunk.Contains(keyer.Of(value), 0) }); n != 0 {
			t.Errorf("%s: %v allocations", typ, n)
		}
	}
}

// TestMembership checks that chunks contain the same entries as a map of normal forms. The entries are added in
// every possible way: all together, and by changes.
func TestMembership(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keyer := list.Keyer{Type: list.Text, Secret: [32]byte{7}}
		words := rapid.SampledFrom([]string{"a", "A ", "b", " B", "c  d", "C d", "é", "e\u0301", "ß", "SS", "x", "y",
			"z"})
		naive := map[string]int64{}
		entry := func() list.Entry {
			value, expires := words.Draw(t, "value"), rapid.Int64Range(0, 5).Draw(t, "expires")
			e, code, _ := keyer.NewEntry(value, expires)
			if code != "" {
				t.Fatal(code)
			}
			return e
		}
		var entries []list.Entry
		for range rapid.IntRange(0, 8).Draw(t, "entries") {
			e := entry()
			entries = append(entries, e)
			normal := string(list.Normal(nil, e.Value))
			if before, there := naive[normal]; !there {
				naive[normal] = e.ExpiresMicros
			} else if before != 0 && (e.ExpiresMicros == 0 || e.ExpiresMicros > before) {
				naive[normal] = e.ExpiresMicros
			}
		}
		entries, _ = list.Sort(entries)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			var add []list.Entry
			var remove []list.Key
			for range rapid.IntRange(0, 2).Draw(t, "removed") {
				value := words.Draw(t, "value")
				remove = append(remove, keyer.Of(rule.Str(value)))
				delete(naive, string(list.Normal(nil, value)))
			}
			if rapid.Bool().Draw(t, "add") {
				e := entry()
				if !slices.Contains(remove, e.Key) {
					add = append(add, e)
					naive[string(list.Normal(nil, e.Value))] = e.ExpiresMicros
				}
			}
			slices.SortFunc(remove, list.Key.Compare)
			entries, _, _ = list.Merged(entries, add, slices.Compact(remove))
		}
		keys, values := list.Encode(entries, 1)
		chunk, err := list.ReadChunk(keys)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := list.Decode(keys, values)
		if err != nil || len(decoded) != len(entries) || len(entries) > 0 && !cmp.Equal(decoded, entries) {
			t.Errorf("decoded %v, want %v: %v", decoded, entries, err)
		}
		if chunk.Len() != len(naive) {
			t.Errorf("%d entries, want %d", chunk.Len(), len(naive))
		}
		for _, word := range []string{"a", "B", "c d", "É", "ss", "X", "y ", "Z", "other"} {
			for at := range int64(7) {
				expires, there := naive[string(list.Normal(nil, word))]
				want := there && (expires == 0 || expires > at)
				if got := chunk.Contains(keyer.Of(rule.Str(word)), at); got != want {
					t.Errorf("%q at %d: %v, want %v", word, at, got, want)
				}
			}
		}
	})
}

// TestDirectory checks that every key belongs to one chunk, and that the chunks of a large list are small.
func TestDirectory(t *testing.T) {
	t.Parallel()
	keyer := list.Keyer{Type: list.Number}
	for _, n := range []int{0, 1, 1024, 1025, 50_000} {
		entries := make([]list.Entry, n)
		for i := range entries {
			entries[i], _, _ = keyer.NewEntry(fmt.Sprint(i), 0)
		}
		directory, chunks, seen := list.NewDirectory(n), map[int]int64{}, 0
		order, starts := directory.Group(entries)
		for index := range directory.Len() {
			part := order[starts[index]:starts[index+1]]
			if seen += len(part); len(part) > 2048 {
				t.Errorf("%d entries: a chunk has %d", n, len(part))
			}
			for _, at := range part {
				chunks[index] = int64(index) + 1
				if directory.Index(entries[at].Key) != index {
					t.Fatalf("%d entries: %s is in the wrong chunk", n, entries[at].Value)
				}
			}
		}
		if seen != n {
			t.Errorf("%d of %d entries are in chunks", seen, n)
		}
		stored, err := list.ReadDirectory(directory.With(chunks).Stored())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if index := stored.Index(e.Key); stored.Chunk(index) != int64(index)+1 {
				t.Fatalf("%d entries: the chunk of %s is not named", n, e.Value)
			}
		}
		if got := len(slices.Collect(stored.Chunks)); got != len(chunks) {
			t.Errorf("%d chunks, want %d", got, len(chunks))
		}
	}
}

func TestBadEntries(t *testing.T) {
	t.Parallel()
	digest := sha256.Sum256([]byte("acme ltd"))
	for _, c := range []struct {
		typ         list.Type
		value, code string
	}{
		{list.Text, "", fault.CodeRequired},
		{list.Text, " \u3000 ", fault.CodeRequired},
		{list.Text, "\u200b\u00ad", fault.CodeRequired},
		{list.Text, "a\x00b", fault.CodeInvalidCharacter},
		{list.Text, "a\xff", fault.CodeInvalidCharacter},
		{list.Text, strings.Repeat("x", 257), fault.CodeOutOfRange},
		{list.Text, strings.Repeat("x", 256), ""},
		{list.Text, "=cmd|' /C calc'!A0", ""},
		{list.Number, "12x", fault.CodeWrongType},
		{list.Number, "x", fault.CodeWrongType},
		{list.Number, "1,000", fault.CodeWrongType},
		{list.Number, "1.", fault.CodeWrongType},
		{list.Number, ".5", fault.CodeWrongType},
		{list.Number, "1e", fault.CodeWrongType},
		{list.Number, "+1", fault.CodeWrongType},
		{list.Number, "0x10", fault.CodeWrongType},
		{list.Number, "NaN", fault.CodeWrongType},
		{list.Number, "1e99", fault.CodeWrongType},
		{list.Number, "007", ""},
		{list.Number, "0.1234567", fault.CodeOutOfRange},
		{list.Number, "1e3", ""},
		{list.Number, "-5.5", ""},
		{list.Hashed, "abc", fault.CodeWrongType},
		{list.Hashed, strings.Repeat("z", 64), fault.CodeWrongType},
		{list.Hashed, strings.Repeat("a", 62), fault.CodeWrongType},
		{list.Hashed, strings.ToUpper(hex.EncodeToString(digest[:])), ""},
	} {
		keyer := list.Keyer{Type: c.typ}
		e, code, detail := keyer.NewEntry(c.value, 0)
		if code != c.code || (code == "") != (detail == "") {
			t.Errorf("%s %q: %q %q, want %q", c.typ, c.value, code, detail, c.code)
		}
		if c.typ == list.Hashed && code == "" && e.Key != keyer.Of(rule.Str("  ACME ltd")) {
			t.Error("the hash of a value has another key than the value")
		}
	}
}

func TestDamagedChunks(t *testing.T) {
	t.Parallel()
	keyer := list.Keyer{Type: list.Text}
	e, _, _ := keyer.NewEntry("a", 5)
	keys, values := list.Encode([]list.Entry{e}, 2)
	for _, damaged := range [][]byte{nil, {1}, {2, 0}, keys[:len(keys)-1], append(slices.Clone(keys), 0)} {
		if _, err := list.ReadChunk(damaged); err == nil {
			t.Errorf("%x was read", damaged)
		}
	}
	for _, damaged := range [][]byte{nil, {1}, values[:len(values)-1], append(slices.Clone(values), 0), {1, 0xff}} {
		if _, err := list.Decode(keys, damaged); err == nil {
			t.Errorf("%x was read", damaged)
		}
	}
	for _, damaged := range [][]byte{nil, {1}, {1, 40}, {1, 0, 0}} {
		if _, err := list.ReadDirectory(damaged); err == nil {
			t.Errorf("the directory %x was read", damaged)
		}
	}
}

// TestSearch compares Search with a search through all keys, in chunks whose keys are distributed evenly and unevenly,
// for keys that are in the chunk, next to one that is, and anywhere.
func TestSearch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)) //nolint:gosec // the keys of a test
		same := rapid.IntRange(0, 16).Draw(t, "bytes that most keys have in common")
		key := func() (k list.Key) {
			for i := range k {
				k[i] = byte(random.Uint32())
			}
			if random.IntN(8) > 0 {
				clear(k[:same])
			}
			return k
		}
		entries := make([]list.Entry, rapid.SampledFrom([]int{0, 1, 2, 7, 100, 2000}).Draw(t, "entries"))
		for i := range entries {
			entries[i].Key = key()
		}
		entries, _ = list.Sort(entries)
		keys, _ := list.Encode(entries, 1)
		chunk, err := list.ReadChunk(keys)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			k := key()
			if len(entries) > 0 && random.IntN(2) == 0 {
				k = entries[random.IntN(len(entries))].Key
				k[15] += byte(random.IntN(3)) - 1
			}
			compare := func(e list.Entry, k list.Key) int { return e.Key.Compare(k) }
			want, there := slices.BinarySearchFunc(entries, k, compare)
			if got, found := chunk.Search(k); got != want || found != there {
				t.Fatalf("%v: %d, %v; want %d, %v", k, got, found, want, there)
			}
		}
	})
}

func BenchmarkContains(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 1)) //nolint:gosec // the keys of a test
	var chunks []list.Chunk
	key := func(i int) (k list.Key) {
		binary.BigEndian.PutUint16(k[:], uint16(i)<<6)
		for i := 2; i < len(k); i++ {
			k[i] = byte(random.Uint32())
		}
		return k
	}
	for i := range 1024 {
		entries := make([]list.Entry, 1000)
		for j := range entries {
			entries[j].Key = key(i)
		}
		entries, _ = list.Sort(entries)
		keys, _ := list.Encode(entries, 1)
		chunk, err := list.ReadChunk(keys)
		if err != nil {
			b.Fatal(err)
		}
		chunks = append(chunks, chunk)
	}
	asked := make([]list.Key, 1<<16)
	for i := range asked {
		asked[i] = key(i % 1024)
	}
	for i := 0; b.Loop(); i++ {
		chunks[i*7%1024].Contains(asked[i*7%len(asked)], 1)
	}
}

// TestParseNumber checks the faults of texts that are not numbers of a list or a table.
func TestParseNumber(t *testing.T) {
	t.Parallel()
	const plain = "must be a number such as 50000 or -0.5, without separators, currency or percent sign"
	for _, c := range []struct{ text, code, detail string }{
		{"50000", "", ""},
		{"007", "", ""},
		{"50,000", fault.CodeWrongType, plain},
		{"₹50000", fault.CodeWrongType, plain},
		{"5%", fault.CodeWrongType, plain},
		{"abc", fault.CodeWrongType, plain},
		{"", fault.CodeWrongType, plain},
		{"1e13", fault.CodeWrongType, "must be a number between -1000000000000 and 1000000000000"},
		{"0.1234567", fault.CodeOutOfRange, "must have at most 6 decimals"},
	} {
		if _, code, detail := list.ParseNumber(c.text); code != c.code || detail != c.detail {
			t.Errorf("%q: %s: %s, want %s: %s", c.text, code, detail, c.code, c.detail)
		}
	}
}
