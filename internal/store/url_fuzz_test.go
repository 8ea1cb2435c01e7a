package store

import (
	"strings"
	"testing"
)

// FuzzDatabaseURL parses arbitrary database URLs. Errors must not repeat a secret
// in the URL, such as a password.
func FuzzDatabaseURL(f *testing.F) {
	const secret = "Qx7-SECRET-Zz9"
	for _, rest := range []string{
		"postgres://u:" + secret + "@host:port/db", "postgres://u:" + secret + "@host/db?sslmode=" + secret,
		"postgresql://%zz" + secret, secret, "mysql:" + secret, "sqlite:", "sqlite::memory:" + secret,
		"postgres://host/db?connect_timeout=" + secret, "postgres:host=x password=" + secret + " port=y",
	} {
		f.Add(rest)
	}
	f.Fuzz(func(t *testing.T, url string) {
		if scheme, rest, _ := strings.Cut(url, ":"); scheme == "sqlite" && strings.Trim(rest,
			"/") != "" && !strings.HasPrefix(strings.TrimPrefix(rest, "//"), ":memory:") {
			return // would create a file
		}
		db, err := connect(url, Options{}.withDefaults())
		if err != nil {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%v", err)
			}
			return
		}
		if err := db.closePools(); err != nil {
			t.Error(err)
		}
	})
}
