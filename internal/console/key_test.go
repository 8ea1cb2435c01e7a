package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// made returns the key that the page shows.
func (a *answer) made(env tenant.Environment) tenant.Key {
	a.Helper()
	_, rest, found := strings.Cut(a.body, "<code>vk_"+string(env)+"_")
	text, _, _ := strings.Cut(rest, "<")
	key, ok := tenant.ParseKey("vk_" + string(env) + "_" + text)
	if !found || !ok {
		a.Fatalf("no key is shown:\n%s", a.body)
	}
	return key
}

func TestLiveKeyIsMadeUsedAndRevoked(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.post("/console/live/keys", "name", "origination", "scopes", "decide").want(http.StatusUnprocessableEntity).
		has(`id="e-confirm"`, `value="origination"`)
	shown := b.post("/console/live/keys", "name", "origination", "scopes", "decide", "scopes", "read",
		"confirm", "LIVE").want(http.StatusOK)
	shown.has("shown only now", "/v1/decisions", "Authorization: Bearer vk_live_", `data-settle="/console/live/keys"`)
	key := shown.made(tenant.Live)
	p, err := h.service.Access.Authenticate(t.Context(), key)
	if err != nil || p.Environment != tenant.Live || p.Scopes != tenant.Decide|tenant.Read {
		t.Fatalf("the key opens %v, %v", p, err)
	}
	b.get("/console/live/keys").want(http.StatusOK).has("origination", key.Prefix()).hasNot(key.Reveal())
	b.get("/console/sandbox/keys").want(http.StatusOK).hasNot("origination")

	at := "/console/live/keys/" + p.KeyID
	b.get("/console/sandbox/keys/" + p.KeyID).want(http.StatusNotFound)
	b.post("/console/sandbox/keys/" + p.KeyID + "/revoke").want(http.StatusNotFound)
	b.post(at + "/revoke").want(http.StatusUnprocessableEntity)
	b.post(at+"/revoke", "confirm", "LIVE").to("/console/live/keys")
	if _, err := h.service.Access.Authenticate(t.Context(), key); err == nil {
		t.Error("a revoked key still opens the door")
	}
	b.get("/console/live/keys").has("Revoked", "The key origination is revoked.")
}

func TestKeyFormTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	b.post("/console/sandbox/keys", "name", "", "expires_at", "soon").want(http.StatusUnprocessableEntity).
		has(`id="e-name"`, `id="e-scopes"`, `id="e-expires_at"`)
	b.post("/console/sandbox/keys", "name", "old", "scopes", "read", "expires_at", "2020-01-01").
		want(http.StatusUnprocessableEntity).
		has(`id="e-expires_at"`, `value="2020-01-01"`)
}

func TestKeyIsRotatedWithOverlap(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	old, ok := tenant.ParseKey(b.key)
	if !ok {
		t.Fatal("the first key is none")
	}
	p, err := h.service.Access.Authenticate(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	shown := b.post("/console/sandbox/keys/"+p.KeyID+"/rotate", "overlap", "1h").want(http.StatusOK)
	shown.has("The key it replaces works until")
	fresh := shown.made(tenant.Sandbox)
	for _, key := range []tenant.Key{old, fresh} {
		if _, err := h.service.Access.Authenticate(t.Context(), key); err != nil {
			t.Errorf("within the overlap: %v", err)
		}
	}
	h.clock.advance(61 * time.Minute)
	if _, err := h.service.Access.Authenticate(t.Context(), old); err == nil {
		t.Error("the old key works after the overlap")
	}
	if _, err := h.service.Access.Authenticate(t.Context(), fresh); err != nil {
		t.Errorf("the new key: %v", err)
	}
}

func TestOtherTenantsKeysAreNotThere(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	owner, stranger := h.signUp(), h.signUp()
	key, _ := tenant.ParseKey(owner.key)
	p, err := h.service.Access.Authenticate(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	at := "/console/sandbox/keys/" + p.KeyID
	stranger.get(at).want(http.StatusNotFound)
	stranger.post(at + "/revoke").want(http.StatusNotFound)
	stranger.post(at+"/rotate", "overlap", "1h").want(http.StatusNotFound)
	stranger.get("/console/sandbox/keys").hasNot(p.KeyID)
	if _, err := h.service.Access.Authenticate(t.Context(), key); err != nil {
		t.Errorf("the key was touched: %v", err)
	}
}
