package tenant

import (
	"net/mail"
	"strings"
	"testing"
)

func TestNormaliseEmail(t *testing.T) {
	t.Parallel()
	label := strings.Repeat("a", 63)
	long := strings.Repeat("x", 64) + "@" + label + "." + label + "." + label[:58] + ".in"
	for text, want := range map[string]string{
		"admin@example.in":                "admin@example.in",
		"Asha.Rao@Example.IN":             "asha.rao@example.in",
		"  asha@example.in ":              "asha@example.in",
		"asha+loans@example.co.in":        "asha+loans@example.co.in",
		"o'brien@example.com":             "o'brien@example.com",
		"a!#$%&'*+-/=?^_`{|}~b@x.io":      "a!#$%&'*+-/=?^_`{|}~b@x.io",
		"1@2.in":                          "1@2.in",
		"a@xn--11b4c3d.xn--h2brj9c":       "a@xn--11b4c3d.xn--h2brj9c",
		"a@a-b.example":                   "a@a-b.example",
		"a@3com.com":                      "a@3com.com",
		strings.Repeat("x", 64) + "@x.in": strings.Repeat("x", 64) + "@x.in",
		"a@" + label + ".in":              "a@" + label + ".in",
		long:                              long,

		"":                                      "",
		"admin":                                 "",
		"admin@":                                "",
		"@example.in":                           "",
		"@":                                     "",
		"a@b":                                   "",
		"a@localhost":                           "",
		"a@b@example.in":                        "",
		"a b@example.in":                        "",
		"a@exam ple.in":                         "",
		".a@example.in":                         "",
		"a.@example.in":                         "",
		"a..b@example.in":                       "",
		"a@.example.in":                         "",
		"a@example.in.":                         "",
		"a@example..in":                         "",
		"a@-example.in":                         "",
		"a@example-.in":                         "",
		"a@exa_mple.in":                         "",
		"a@192.0.2.1":                           "",
		"a@[192.0.2.1]":                         "",
		`"a b"@example.in`:                      "",
		`a\@b@example.in`:                       "",
		"Asha <a@example.in>":                   "",
		"a(comment)@example.in":                 "",
		"a@example.in,b@example.in":             "",
		"a@example.in\r\nBcc: b@x.in":           "",
		"a@example.in\n":                        "",
		"\ta@example.in":                        "",
		"a\x00@example.in":                      "",
		"अशा@example.in":                        "",
		"a@उदाहरण.भारत":                         "",
		"\u212aate@example.in":                  "", // the Kelvin sign is "k" in lower case
		"a@example.in\u00a0":                    "",
		"a\xff@example.in":                      "",
		strings.Repeat("x", 65) + "@x.in":       "",
		"a@" + label + "a.in":                   "",
		"x" + long:                              "",
		strings.Replace(long, ".in", "a.in", 1): "",
		strings.Repeat("a@", 1<<16):             "",
	} {
		got, ok := NormaliseEmail(text)
		if got != want || ok != (want != "") {
			t.Errorf("%.80q reads as %q and %v", text, got, ok)
		}
	}
	if len(long) != maxEmail {
		t.Errorf("the longest address has %d characters", len(long))
	}
}

// FuzzNormaliseEmail compares NormaliseEmail with net/mail. net/mail accepts many
// more addresses, but must read each address that NormaliseEmail accepts in the
// same way.
func FuzzNormaliseEmail(f *testing.F) {
	for _, seed := range []string{"Admin@Example.in", " a+b@x.co ", `"q"@x.in`, "a@b@c.d", "a@192.0.2.1", "\u212a@x.in",
		""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		email, ok := NormaliseEmail(text)
		if !ok {
			if email != "" {
				t.Fatalf("refused, and gave %q", email)
			}
			return
		}
		if again, ok := NormaliseEmail(email); !ok || again != email {
			t.Fatalf("%q reads as %q the second time", email, again)
		}
		if other, ok := NormaliseEmail(strings.ToUpper(text)); !ok || other != email {
			t.Fatalf("%q in capitals is %q", text, other)
		}
		parsed, err := mail.ParseAddress(email)
		if err != nil || parsed.Address != email || parsed.Name != "" {
			t.Fatalf("net/mail reads %q as %v and %v", email, parsed, err)
		}
		if strings.ContainsAny(email, " \r\n\t\x00<>,;\"") || len(email) > maxEmail {
			t.Fatalf("%q is no address", email)
		}
	})
}
