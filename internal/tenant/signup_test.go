package tenant

import (
	"strings"
	"testing"

	"verdict/internal/fault"
)

func TestPasswordMinimum(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		least    int
		password string
		ok       bool
	}{
		{0, "1234567", false}, {0, "12345678", true}, {-1, "1234567", false}, {12, "12345678901", false},
		{12, "123456789012", true}, {4, "1234", true},
	} {
		var faults fault.List
		PasswordRules{MinCharacters: c.least}.Check(&faults, "/password", c.password, "")
		if (faults.Len() == 0) != c.ok {
			t.Errorf("%q with a minimum of %d: %v", c.password, c.least, faults.Items())
		}
	}
}

// FuzzParseKey checks the documented behaviour of ParseKey for arbitrary texts.
func FuzzParseKey(f *testing.F) {
	for _, e := range Environments() {
		key, err := MintKey(e, seeded(1))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(key.Reveal())
		f.Add(strings.ToUpper(key.Reveal()))
	}
	f.Add("vk_live_")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		key, ok := ParseKey(text)
		if !ok {
			if key.Reveal() != "" || key.Environment() != "" {
				t.Fatal("a refused key has parts")
			}
			return
		}
		if key.Reveal() != text || !key.Environment().Valid() || !LooksLikeKey(text) || LooksLikeKey(key.String()) ||
			!strings.HasPrefix(text, key.Prefix()) || len(key.Prefix()) != 15 ||
			len(text) != len("vk__")+len(key.Environment())+38 {
			t.Fatalf("%q passes for the key %v", text, key)
		}
	})
}
