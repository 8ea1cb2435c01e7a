package frauddesk

import (
	"errors"
	"strings"
	"testing"

	"verdict/internal/fault"
)

// FuzzBlockedCursor reads arbitrary texts as a position in the block list. Each
// text is refused, or gives the entity that the text names.
func FuzzBlockedCursor(f *testing.F) {
	f.Add("2026-11-15T06:00:00.000Z ip 00ff")
	f.Add("2026-11-15T06:00:00Z ip")
	f.Add("x")
	f.Fuzz(func(t *testing.T, place string) {
		b, err := readBlockedCursor(place)
		var refusal *fault.Error
		switch {
		case err != nil && (!errors.As(err, &refusal) || refusal.Code != fault.CodeInvalidCursor):
			t.Errorf("not a refusal: %v", err)
		case err == nil && !strings.HasSuffix(place, " "+b.Entity.Kind+" "+b.Entity.Key):
			t.Errorf("%q leads to %+v", place, b)
		}
	})
}

// FuzzAccounts reads arbitrary bytes as the stored list of allowed accounts.
func FuzzAccounts(f *testing.F) {
	f.Add([]byte(`[{"key":"k","display":"d"}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if accounts, err := readAccounts(data); err == nil && len(accounts) > len(data) {
			t.Errorf("%d accounts in %d bytes", len(accounts), len(data))
		}
	})
}
