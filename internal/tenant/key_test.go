package tenant

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math/big"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func mint(t interface {
	Helper()
	Fatal(args ...any)
}, e Environment, seed byte,
) Key {
	t.Helper()
	key, err := MintKey(e, seeded(seed))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestKeyGolden(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		environment       Environment
		chance            same
		key, prefix, hash string
	}{
		{
			Sandbox, 0, "vk_sandbox_" + strings.Repeat("0", 32) + "3Qgakd", "vk_sandbox_0000",
			"79710ecad4f57fb4d39581b71c7ff0ba98224841343a860faa7e75dca0614a20",
		},
		{
			Live, 61, "vk_live_" + strings.Repeat("z", 32) + "2xZipO", "vk_live_zzzzzzz",
			"60b9e482472e74faeed16fa94c32363ae927835481c2b99b309f63a706aee10e",
		},
	} {
		key, err := MintKey(c.environment, c.chance)
		if err != nil {
			t.Fatal(err)
		}
		if key.Reveal() != c.key || key.Prefix() != c.prefix || key.Environment() != c.environment {
			t.Errorf("got %s, %s and %s, want %s and %s",
				key.Reveal(), key.Prefix(), key.Environment(), c.key, c.prefix)
		}
		if got := fmt.Sprintf("%x", HashKey(key)); got != c.hash {
			t.Errorf("the hash is %s, want %s", got, c.hash)
		}
	}
}

// TestKeyForm checks the format and the checksum of a key with independent
// implementations.
func TestKeyForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(Environments()).Draw(t, "environment")
		key := mint(t, e, rapid.Byte().Draw(t, "seed"))
		text := key.Reveal()
		body, sum := text[:len(text)-6], text[len(text)-6:]
		if !strings.HasPrefix(body, "vk_"+string(e)+"_") || len(body) != len("vk__")+len(e)+32 {
			t.Fatalf("the key is %s", text)
		}
		// math/big writes its digits as 0-9a-zA-Z.
		want := new(big.Int).SetUint64(uint64(crc32.ChecksumIEEE([]byte(body)))).Text(62)
		want = strings.Repeat("0", 6-len(want)) + want
		got := strings.Map(func(r rune) rune {
			switch {
			case r >= 'a':
				return r - 'a' + 'A'
			case r >= 'A':
				return r - 'A' + 'a'
			}
			return r
		}, sum)
		if got != want {
			t.Errorf("the checksum of %s is %s, want %s", body, got, want)
		}
		back, ok := ParseKey(text)
		if !ok || back.Reveal() != text || back.Environment() != e || !HashKey(back).Equal(HashKey(key)) {
			t.Error("the key does not read back")
		}
	})
}

// TestKeyTypos checks that every wrong, lost or doubled character and every exchange of
// two characters is detected, at any position.
func TestKeyTypos(t *testing.T) {
	t.Parallel()
	for seed := range byte(3) {
		for _, e := range Environments() {
			text := mint(t, e, seed).Reveal()
			refuse := func(what string, typo []byte) {
				if _, ok := ParseKey(string(typo)); ok && string(typo) != text {
					t.Errorf("%s of %s was not noticed: %s", what, text, typo)
				}
			}
			for i := range len(text) {
				for c := range 256 {
					typo := []byte(text)
					typo[i] = byte(c)
					refuse("a wrong character", typo)
				}
				for j := range i {
					typo := []byte(text)
					typo[i], typo[j] = typo[j], typo[i]
					refuse("an exchange", typo)
				}
				refuse("a loss", []byte(text[:i]+text[i+1:]))
				refuse("a doubling", []byte(text[:i+1]+text[i:]))
			}
			for _, wrong := range []string{"", " " + text, text + " ", text + "\n", strings.ToUpper(text),
				strings.ToLower(text), "Bearer " + text} {
				refuse("something around", []byte(wrong))
			}
		}
	}
}

// TestKeyTypoAcrossTheBorder checks an exchange of characters that a CRC is not
// guaranteed to detect. Within the text that it covers, a CRC detects any change
// of up to 32 consecutive bits, and any exchange of two characters. The checksum
// itself is compared digit by digit. Exchanging the last random character with
// the first character of the checksum changes both the text and the checksum. The
// test computes for all pairs of characters that this exchange is detected too.
func TestKeyTypoAcrossTheBorder(t *testing.T) {
	t.Parallel()
	const place = 62 * 62 * 62 * 62 * 62 // the place value of the first digit
	most := (1<<32 - 1) / place          // a CRC never has a larger first digit
	for digit := range most + 1 {
		for moved := range most + 1 {
			if digit == moved {
				continue
			}
			// The exchange changes the checksum x of the key to x^flip. It goes undetected only
			// if x^flip equals x + (moved-digit)·place. Each bit of flip adds or subtracts its
			// value, so the bits that add must have exactly the right sum.
			before := crc32.ChecksumIEEE([]byte{base62[moved]})
			after := crc32.ChecksumIEEE([]byte{base62[digit]})
			flip := int64(before ^ after)
			twice := int64(moved-digit)*place + flip
			if twice >= 0 && twice%2 == 0 && (twice/2)&^flip == 0 {
				t.Errorf("%c exchanged with %c can go unnoticed", base62[digit], base62[moved])
			}
		}
	}
}

func TestKeyOfOtherEnvironment(t *testing.T) {
	t.Parallel()
	text := mint(t, Sandbox, 1).Reveal()
	if _, ok := ParseKey("vk_live_" + strings.TrimPrefix(text, "vk_sandbox_")); ok {
		t.Error("a sandbox key became a live one by its prefix")
	}
}

func TestMintKeyRefuses(t *testing.T) {
	t.Parallel()
	if _, err := MintKey("staging", seeded(1)); err == nil {
		t.Error("a key was minted for no environment")
	}
	broken := errors.New("no entropy")
	if key, err := MintKey(Live, iotest.ErrReader(broken)); !errors.Is(err, broken) || key.Reveal() != "" {
		t.Errorf("got %v and %v without randomness", key, err)
	}
}

// TestKeyIsUniform makes a chi-square test over a fixed random stream. It checks that
// all characters are equally likely: over all positions together, at the first position
// and at the last.
func TestKeyIsUniform(t *testing.T) {
	t.Parallel()
	const keys = 20_000
	random := seeded(7)
	var all [62]float64
	var first, last [62]float64
	for range keys {
		key, err := MintKey(Live, random)
		if err != nil {
			t.Fatal(err)
		}
		chance := strings.TrimPrefix(key.Reveal(), "vk_live_")[:32]
		for i := range len(chance) {
			all[strings.IndexByte(base62, chance[i])]++
		}
		first[strings.IndexByte(base62, chance[0])]++
		last[strings.IndexByte(base62, chance[31])]++
	}
	for name, counts := range map[string]*[62]float64{"all": &all, "first": &first, "last": &last} {
		total, chi := 0.0, 0.0
		for _, n := range counts {
			total += n
		}
		for _, n := range counts {
			chi += (n - total/62) * (n - total/62) / (total / 62)
		}
		// With 61 degrees of freedom, 1 in 10,000 results is above 110. If bytes were
		// taken modulo 62 without rejecting any, the result over all characters would be
		// about 4,000.
		if chi > 110 {
			t.Errorf("%s: chi-square is %.1f over %v", name, chi, *counts)
		}
	}
}

// TestKeyFormInWords checks that the words about a key are true.
func TestKeyFormInWords(t *testing.T) {
	t.Parallel()
	for _, e := range Environments() {
		key := mint(t, e, 3).Reveal()
		length := fmt.Sprintf(" %d letters and digits", len(key)-len(keyStart(e)))
		if !strings.Contains(KeyForm, keyStart(e)) || !strings.Contains(KeyForm, length) {
			t.Errorf("%q does not describe a key of %s", KeyForm, e)
		}
	}
}

func TestLooksLikeKey(t *testing.T) {
	t.Parallel()
	sandbox, live := mint(t, Sandbox, 1), mint(t, Live, 2)
	for _, text := range []string{
		sandbox.Reveal(), live.Reveal(), "Bearer " + live.Reveal(), "x" + sandbox.Reveal() + "x",
		strings.ToUpper(live.Reveal()), live.Reveal()[:20], live.Reveal()[:len(live.Reveal())-1],
		"vk_" + live.Reveal(), "vk_live_" + live.Reveal(), "api_key=" + sandbox.Reveal() + "&limit=5",
	} {
		if !LooksLikeKey(text) {
			t.Errorf("%q is let through", text)
		}
	}
	for _, text := range []string{
		"", "vk_", "vk_live_", "vk_sandbox", sandbox.Prefix(), live.Prefix(), sandbox.String(), live.String(),
		"vk_live_short", "vk_test_" + live.Reveal()[8:], "ten_01ARYZ6S41TSV4RRFFQ69G5FAV",
		"vk_live_a-b-c-d-e-f-g-h-i-j-k-l-m",
	} {
		if LooksLikeKey(text) {
			t.Errorf("%q is taken for a key", text)
		}
	}
}

func BenchmarkParseKey(b *testing.B) {
	text := mint(b, Live, 1).Reveal()
	b.ReportAllocs()
	for b.Loop() {
		key, _ := ParseKey(text)
		HashKey(key)
	}
}
