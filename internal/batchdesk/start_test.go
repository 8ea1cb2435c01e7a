package batchdesk

import (
	"io"
	"strings"
	"testing"

	"verdict/internal/fault"
)

// TestLimited checks that rows may have as many bytes as the limit, and not one more.
func TestLimited(t *testing.T) {
	t.Parallel()
	const most = 10
	for size, want := range map[int]fault.Kind{most: 0, most + 1: fault.TooLarge} {
		_, err := io.ReadAll(&limited{r: strings.NewReader(strings.Repeat("x", size)), left: most, most: most})
		if (err != nil) != (want != 0) || err != nil && fault.KindOf(err) != want {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
