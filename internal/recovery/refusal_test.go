package recovery

import (
	"errors"
	"testing"
	"time"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestRefusalHints checks that a rejection also names misspelt members, because a
// misspelt member is often the cause of the rejection.
func TestRefusalHints(t *testing.T) {
	t.Parallel()
	v, err := wire.Parse([]byte(`{"loan":{"principal_outstandng":5,"overdue_amount":5,"dpd":5}}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Read(v, time.Date(2026, 11, 15, 6, 0, 0, 0, time.UTC))
	var refusal *fault.Error
	if !errors.As(err, &refusal) || len(refusal.Items) != 2 {
		t.Fatalf("refused with %v", err)
	}
	if item := refusal.Items[1]; item.Pointer != "/loan/principal_outstandng" ||
		item.Nearest != "principal_outstanding" {
		t.Errorf("told %+v", item)
	}
}
