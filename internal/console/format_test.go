package console

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestAmounts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"500000":      "₹5,00,000",
		"1234.5":      "₹1,234.50",
		"0":           "₹0",
		"999":         "₹999",
		"12345678.05": "₹1,23,45,678.05",
		"-2500":       "−₹2,500",
		"":            "–",
		"0.4":         "₹0.40",
	} {
		if got, err := rupees(text); got != want || err != nil {
			t.Errorf("rupees(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for n, want := range map[int64]string{
		0: "0", 999: "999", 1000: "1,000", 100000: "1,00,000", 1234567: "12,34,567", -4321: "−4,321",
	} {
		if got, err := count(n); got != want || err != nil {
			t.Errorf("count(%d) = %q, %v; want %q", n, got, err, want)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 14, 20, 0, 5, 0, time.UTC)
	want := stamp{"15 Nov 2026", "01:30:05", "+05:30", "2026-11-15T01:30:05+05:30"}
	for _, form := range []any{at, at.UnixMicro(), "2026-11-14T20:00:05Z"} {
		got, err := moment(form)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("moment(%v): %v\n%s", form, err, diff)
		}
	}
	for _, never := range []any{time.Time{}, int64(0), "", "yesterday"} {
		if got, _ := instant(never); got != "never" {
			t.Errorf("instant(%v) = %q", never, got)
		}
	}
}

func TestShortIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"dec_01M7F7SC30R6M779K6RJMEFV1Z": "dec_…MEFV1Z",
		"operator":                       "operator",
		"system":                         "system",
		"key_abc":                        "key_abc",
		"":                               "",
	} {
		if got := short(id); got != want {
			t.Errorf("short(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestLocalPaths(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/console/live/keys":               "/console/live/keys",
		"/console/live/audit?actor=x&to=y": "/console/live/audit?actor=x&to=y",
		"/console":                         "",
		"/consolex/":                       "",
		"http://x/console/":                "",
		"//x/console/":                     "",
		"/console/..//x":                   "",
		"/console/%0d%0ax":                 "/console/%0d%0ax",
		"/console/\\x":                     "", "/console/a/../../x": "",
	} {
		if got := localPath(text); got != want {
			t.Errorf("localPath(%q) = %q, want %q", text, got, want)
		}
	}
}
