package agent_test

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"verdict/internal/agent"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// FuzzReadAsk reads arbitrary requests to the underwriting agent. The result must be a refusal that lists its faults,
// or members that are the same after they are stored and read.
func FuzzReadAsk(f *testing.F) {
	f.Add([]byte(`{"purpose":"a wedding","max_steps":8,"explore":{"tenures":[24,12,12],"min_amount":50000.5},
		"as_of":"2026-11-01"}`))
	f.Add([]byte(`{"purpose":"\u0000 [x](y)","explore":{"tenures":[]},"as_of":"2026-11-01T05:30:00+05:30"}`))
	f.Add([]byte(`{
		"purpose":7,"max_steps":1,"as_of":"yesterday",
		"explore":{"tenures":[0,"x",12.5],"min_amount":-5,"rate":3}
	}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		stored, err := agent.ReadAsk(v)
		if err != nil {
			var refusal *fault.Error
			if !errors.As(err, &refusal) || len(refusal.Items) == 0 || len(refusal.Items) > fault.MaxItems {
				t.Fatalf("refused without saying why: %v", err)
			}
			return
		}
		if again, err := agent.ReadStoredAsk(stored); err != nil || !bytes.Equal(stored, again) {
			t.Fatalf("stored as %s and read back as %s: %v", stored, again, err)
		}
	})
}

// digits matches the numbers in a text, in any script.
var digits = regexp.MustCompile(`\p{N}+`)

// FuzzNarration lets a model write arbitrary text. An accepted text must contain
// only numbers that the model was sent, must contain the recommendation, and must
// be plain prose.
func FuzzNarration(f *testing.F) {
	const given = "Recommendation REFER, with low confidence. The application was referred to a person " +
		"with grade C and a score of 688. " +
		"With enquiries_6m at 6 instead of 8 (by waiting) the application would be approved. " +
		"21000.5 over 36 months could be offered instead."
	for _, told := range []string{
		"We recommend REFER with low confidence: grade C, a score of 688.", "REFER. The score is 68 8.", "REFER ६८८",
		"REFER ½", "REFER 6.88", "REFER.688", "REFER 688.", "REFER six_hundred", "REFER \u202e886", "refer",
		"REFER APPROVE", "REFER 36 months", "REFER 36months", "REFER https://x", "REFER\u2028x",
	} {
		f.Add(told)
	}
	known := map[string]bool{}
	for _, n := range digits.FindAllString(given, -1) {
		known[n] = true
	}
	f.Fuzz(func(t *testing.T, told string) {
		if agent.Objection(given, told, "REFER") != "" {
			return
		}
		for _, n := range digits.FindAllString(told, -1) {
			if !known[n] {
				t.Errorf("the number %s was taken: %q", n, told)
			}
		}
		if !strings.Contains(told, "REFER") || len(told) > 4_000 || !utf8.ValidString(told) ||
			strings.ContainsAny(told, "<>`[]{}|#*\\") {
			t.Errorf("taken, and not what was asked for: %q", told)
		}
	})
}

// FuzzEscape puts arbitrary text into a memo. The escaped text must be one line
// without markup, and must not end the markup around it.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{
		"plain", "a\nb", "<b>", `\<b>`, "[x](y)", "`", "\x00\u2028\u0085", "\xff", "*a*", "x] [y",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		escaped := agent.Escape(s)
		if strings.ContainsFunc(escaped, func(r rune) bool {
			return unicode.IsControl(r) && r < 0x80 || r == '\u2028' || r == '\u2029'
		}) {
			t.Errorf("%q became more than a line: %q", s, escaped)
		}
		bare := false
		for i, r := range escaped {
			switch {
			case r == '\\' && !bare:
				bare = true
				continue
			case !bare && strings.ContainsRune("`*[]<", r):
				t.Errorf("%q at %d is markup", escaped, i)
			}
			bare = false
		}
		if bare {
			t.Errorf("%q ends in an escape", escaped)
		}
		if utf8.ValidString(s) &&
			!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 }) &&
			unescape(escaped) != s {
			t.Errorf("%q reads as %q", s, unescape(escaped))
		}
	})
}
