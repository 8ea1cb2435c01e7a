package console

import (
	"testing"

	"pgregory.net/rapid"
)

func TestShares(t *testing.T) {
	t.Parallel()
	for ratio, want := range map[string]string{
		"0.5": "50 %", "0.50": "50 %", "0.4333": "43.33 %", "1": "100 %", "0.005": "0.5 %", "0": "0 %", "12": "1200 %",
		"0.05": "5 %", "-0.1": "-10 %", "": "", "seven": "seven", "5e-1": "5e-1", "0.": "0.",
	} {
		if got := shareOf(ratio); got != want {
			t.Errorf("%q is %q, not %q", ratio, got, want)
		}
	}
	for typed, want := range map[string]string{
		"50 %": "0.5", "50%": "0.5", " 43.33 % ": "0.4333", "0.5 %": "0.005", "100 %": "1", "0.5": "0.5", "50": "50",
		"seven %": "seven %", "%": "%", "": "",
	} {
		if got := ratioOf(typed); got != want {
			t.Errorf("%q means %q, not %q", typed, got, want)
		}
	}
}

// TestSharesStay checks that a band keeps its number, digit by digit, if a person submits what the page shows, and that
// what the page shows means the same number.
func TestSharesStay(t *testing.T) {
	t.Parallel()
	field := editField{Name: "foir_cap", Kind: asShare}
	rapid.Check(t, func(r *rapid.T) {
		ratio := rapid.StringMatching(`(0|[1-9][0-9]{0,2})(\.[0-9]{1,6})?`).Draw(r, "ratio")
		row := map[string]any{"foir_cap": numberOrText(ratio)}
		shown := field.typed(row)
		field.put(row, shown)
		if got := plainText(row["foir_cap"]); got != ratio {
			r.Fatalf("%s is shown as %s and stored as %s", ratio, shown, got)
		}
		if again := shareOf(ratioOf(shown)); again != shown {
			r.Fatalf("%s is shown as %s, which is read as %s", ratio, shown, again)
		}
	})
}
