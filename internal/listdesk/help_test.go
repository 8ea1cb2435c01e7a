package listdesk_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/wire"
)

// equalJSON reports whether a decoded value equals the value of a JSON text.
func equalJSON(t *testing.T, got any, text string) bool {
	t.Helper()
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(got, want)
}

// signedUp returns a caller of a new tenant.
func signedUp(tb testing.TB, service *usecase.Set) tenant.Principal {
	tb.Helper()
	signed, err := service.Operator.Signup(tb.Context(), tenant.Signup{
		Email: usecasetest.Asha, OrgName: "Asha Finance", Password: tenant.NewSecret(usecasetest.Password),
	})
	if err != nil {
		tb.Fatal(err)
	}
	caller, err := service.Access.Authenticate(tb.Context(), signed.Key)
	if err != nil {
		tb.Fatal(err)
	}
	caller.Plan.Unmetered = true
	return caller
}

// parsed parses a JSON text.
func parsed(tb testing.TB, text string) wire.Value {
	tb.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}
