package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

// TestMemoryComesBack checks that every request frees the memory for its body,
// whatever its outcome. It sends large bodies one after the other; together
// they need more than the memory limit for all bodies.
func TestMemoryComesBack(t *testing.T) {
	t.Parallel()
	s := start(t, storetest.Open(t, storetest.SQLite(t), store.Options{}), stackOptions{})
	m := s.signup()
	const large, rounds = 7 << 20, 4
	space := strings.Repeat(" ", large)
	for round := range rounds {
		for _, c := range []struct {
			name, key, body string
			want            int
		}{
			{"decided", m.key, sample + space, http.StatusOK},
			{"malformed", m.key, "{" + space, http.StatusBadRequest},
			{"refused", m.key, `{"bureau_report":{"score":"high"}}` + space, http.StatusUnprocessableEntity},
			{"a stranger's", "wrong", "{}", http.StatusUnauthorized},
		} {
			got, err := s.trySend("POST", "/v1/decisions/preview", c.key, c.body)
			if err != nil {
				t.Fatalf("round %d, %s: %v", round, c.name, err)
			}
			if got.status != c.want {
				t.Fatalf("round %d, %s: %d, want %d: %s", round, c.name, got.status, c.want, got.body)
			}
		}
	}
}
