package app

import (
	"strings"
	"testing"
)

// FuzzKnobs sets every setting to arbitrary text. The text is accepted, or
// refused with an error that does not repeat it, because it may be a password.
// Only an error about quotas may repeat a part of the text: the name of a plan,
// because the setting lists several plans.
func FuzzKnobs(f *testing.F) {
	const secret = "Qx7-SECRET-Zz9"
	for _, text := range []string{
		"127.0.0.1:8080", ":x" + secret, "10.0.0.0/8, fd00::/8", "10.0.0.0/33," + secret, "512KiB",
		"9999999999999999999MiB", "500/s burst 1000", "1/" + secret, "postgres://u:" + secret + "@host:port/db",
		"sqlite:" + secret, secret, "-1", "1e309", "NaN", "20s", "free=1000,pro=" + secret, "http://" + secret + "@x/",
		"\x00", "[::1%" + secret + "]:80",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, k := range settings {
			for _, name := range k.variables() {
				_, err := load(t, nil, map[string]string{name: text})
				if err != nil && k.name != "plan-quotas" && strings.Contains(err.Error(), secret) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	})
}
