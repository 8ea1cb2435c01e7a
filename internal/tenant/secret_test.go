package tenant

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

// TestSecretsDoNotPrint checks that no type that contains a secret reveals it,
// however a log, an error or an answer might print it.
func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	const password = "correct horse"
	key := mint(t, Live, 1)
	chance := strings.TrimPrefix(key.Reveal(), key.Prefix())
	secret := NewSecret(password)
	for name, v := range map[string]any{
		"secret":                       secret,
		"pointer to secret":            &secret,
		"key":                          key,
		"pointer to key":               &key,
		"signup":                       Signup{Email: "a@example.in", Password: secret},
		"pointer to signup":            &Signup{Password: secret},
		"user":                         struct{ PasswordHash Secret }{secret},
		"in a slice":                   []any{secret, key},
		"in a map":                     map[string]any{"s": secret, "k": key},
		"as a map's key":               map[Secret]Key{secret: key},
		"in unexported fields":         struct{ s, k any }{secret, key},
		"in typed unexported fields":   struct{ s Secret }{secret},
		"a key in an unexported field": struct{ k Key }{key},
		"behind an unexported pointer": &struct{ s *Secret }{&secret},
		"in an error":                  fmt.Errorf("log in: %w", fmt.Errorf("with %v and %v", secret, key)),
	} {
		var printed strings.Builder
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%10v", "%T"} {
			fmt.Fprintf(&printed, verb+"\n", v)
		}
		fmt.Fprintln(&printed, v, errors.Join(fmt.Errorf("%v", v)))
		for _, handler := range []slog.Handler{
			slog.NewTextHandler(&printed, nil), slog.NewJSONHandler(&printed, nil),
		} {
			slog.New(handler).Info("hello", "v", v, slog.Group("g", "v", v))
		}
		for _, marshal := range []func(any) ([]byte, error){json.Marshal, xml.Marshal} {
			// A value that cannot be encoded reveals nothing either.
			if written, err := marshal(v); err == nil {
				printed.Write(written)
			} else {
				printed.WriteString(err.Error())
			}
		}
		for _, tell := range []string{password, fmt.Sprintf("%x", password), fmt.Sprintf("%X", password), chance,
			fmt.Sprintf("%x", chance), fmt.Sprintf("%d", []byte(chance))} {
			if strings.Contains(printed.String(), tell) {
				t.Errorf("%s tells its secret:\n%s", name, printed.String())
			}
		}
	}
}

// TestSecretsPrintAsSomething checks that secrets print a placeholder, because
// an empty text in a log looks like a missing value.
func TestSecretsPrintAsSomething(t *testing.T) {
	t.Parallel()
	key := mint(t, Sandbox, 1)
	shown := key.Prefix() + "…"
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("hello", "secret", NewSecret("x"), "key", key)
	written, err := json.Marshal([]any{NewSecret("x"), key})
	if err != nil {
		t.Fatal(err)
	}
	for got, want := range map[string]string{
		fmt.Sprintf("%v %+v %#v %d", NewSecret("x"), NewSecret("x"), NewSecret("x"),
			Secret{}): "[redacted] [redacted] [redacted] [redacted]",
		fmt.Sprintf("%v %+v %#v %x", key, key, key, key): strings.Join([]string{shown, shown, shown, shown}, " "),
		fmt.Sprint(Key{}): "…",
		string(written):   `["[redacted]","` + shown + `"]`,
		NewSecret("x").String() + NewSecret("x").GoString() + key.GoString(): "[redacted][redacted]" + shown,
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if !strings.Contains(logged.String(), `"secret":"[redacted]","key":"`+shown+`"`) {
		t.Errorf("logged %s", logged.String())
	}
	if (Secret{}).Reveal() != "" || NewSecret("x").Reveal() != "x" {
		t.Error("a secret is not what it was made of")
	}
}
