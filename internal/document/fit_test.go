package document_test

import (
	"encoding/json"
	"errors"
	"testing"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// TestFitRefusals checks requests that ReadFit refuses.
func TestFitRefusals(t *testing.T) {
	t.Parallel()
	const csv = "visits,outcome\n1,good\n"
	for name, c := range map[string]struct {
		body map[string]any
		want string
	}{
		"nothing":        {map[string]any{}, "/target"},
		"no rows":        {map[string]any{"target": "outcome"}, "/csv"},
		"two sources":    {map[string]any{"target": "outcome", "csv": csv, "rows": []any{}}, "/csv"},
		"save no name":   {map[string]any{"target": "outcome", "csv": csv, "save": true}, "/name"},
		"unknown member": {map[string]any{"target": "outcome", "csv": csv, "traget": 1}, "/traget"},
		"rows":           {map[string]any{"target": "outcome", "rows": []any{1}}, "/rows/0"},
	} {
		body, err := json.Marshal(c.body)
		if err != nil {
			t.Fatal(err)
		}
		v, err := wire.Parse(body)
		if err != nil {
			t.Fatal(err)
		}
		_, err = document.ReadFit(v)
		var refusal *fault.Error
		if !errors.As(err, &refusal) || len(refusal.Items) == 0 || refusal.Items[0].Pointer != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if refusal != nil && refusal.Code != fault.CodeInvalidField && refusal.Code != fault.CodeUnknownField {
			t.Errorf("%s: the code %s, which the contract does not have", name, refusal.Code)
		}
	}
}
