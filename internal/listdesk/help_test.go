package listdesk_test

import (
	"encoding/json"
	"reflect"
	"testing"
)

// equalJSON reports whether a decoded value is that of a JSON text.
func equalJSON(t *testing.T, got any, text string) bool {
	t.Helper()
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(got, want)
}
