package store_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"verdict/internal/fault"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
)

func TestMain(m *testing.M) {
	if databaseURL := os.Getenv(childVariable); databaseURL != "" {
		writeUntilKilled(databaseURL)
		return
	}
	storetest.Main(m)
}

// write returns a decision of about two kilobytes.
func write(id string) *store.DecisionWrite {
	return &store.DecisionWrite{
		Decision: store.Decision{
			ID: id, CreatedMicros: 1000, ApplicantRef: "app-" + id, Status: "APPROVED", Grade: "B",
			PolicyKey: "default", PolicyID: "pol_1", PolicyVersion: 3, Endpoint: "POST /v1/decisions",
			EngineVersion: "2026.11.1", Hash: "sha256:" + strings.Repeat("0", 64), Actor: "key_1",
			Response: []byte(strings.Repeat("r", 1700)), Facts: []byte(strings.Repeat("f", 300)),
		},
		Meter: store.Meter{
			Period:   "2026-11",
			Day:      "2026-11-15",
			Endpoint: "POST /v1/decisions",
			Units:    1,
			Billable: true,
			Quota:    store.Unmetered,
		},
	}
}

func numbered(prefix string, i int) string { return fmt.Sprintf("%s_%06d", prefix, i) }

func kindOf(err error) fault.Kind {
	var refusal *fault.Error
	if errors.As(err, &refusal) {
		return refusal.Kind
	}
	return 0
}

// wantDecisions checks that the scope has the given number of decisions, and that
// its usage is the same number.
func wantDecisions(t *testing.T, scope *store.Scope, want int) {
	t.Helper()
	stored := map[string]bool{}
	page := store.Page{}
	for {
		rows, next, err := scope.Decisions(t.Context()).List(store.DecisionFilter{}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			stored[row.ID] = true
		}
		if page.AfterID = next.ID; page.AfterID == "" {
			break
		}
	}
	usage, err := scope.Usage(t.Context()).Get("2026-11")
	if err != nil || len(stored) != want || usage.Used != int64(want) {
		t.Errorf("%d decisions and usage %d, want %d; %v", len(stored), usage.Used, want, err)
	}
}
