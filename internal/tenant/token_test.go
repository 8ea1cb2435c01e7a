package tenant

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestTokenGolden(t *testing.T) {
	t.Parallel()
	token, err := MintToken(same(0))
	if err != nil {
		t.Fatal(err)
	}
	if token.Reveal() != strings.Repeat("A", 43) {
		t.Errorf("minted %q", token.Reveal())
	}
	const want = "0f007385b6f9d4b7eeb2748605afe1a984a0a3bfa3f014d09e2a784ce9e5cd1a"
	if got := HashToken(token).String(); got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
	for _, shown := range []string{fmt.Sprint(token), fmt.Sprintf("%+v", token), fmt.Sprintf("%#v", token),
		fmt.Sprintf("%+v", struct{ t Token }{token})} {
		if strings.Contains(shown, "AAAA") {
			t.Errorf("it prints as %s", shown)
		}
	}
	if _, err := MintToken(iotest.ErrReader(errors.New("no chance"))); err == nil {
		t.Error("a token without chance")
	}
}

func TestTokenIsReadAsWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		token, err := MintToken(seeded(rapid.Byte().Draw(t, "seed")))
		if err != nil {
			t.Fatal(err)
		}
		read, ok := ParseToken(token.Reveal())
		if !ok || HashToken(read) != HashToken(token) {
			t.Errorf("%q is read as %q", token.Reveal(), read.Reveal())
		}
	})
}

func TestTokenRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "A", strings.Repeat("A", 42), strings.Repeat("A", 44), strings.Repeat("A", 42) + "+",
		strings.Repeat("A", 42) + "\n", strings.Repeat("A", 42) + "B", // another encoding of the same bytes
		strings.Repeat("A", 41) + "\r\n",
	} {
		if _, ok := ParseToken(text); ok {
			t.Errorf("%q is a token", text)
		}
	}
}
