package console_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"verdict/internal/demo/demotest"
	"verdict/proof/browser"
)

// walk does tasks of a new user that the worker's tasks leave out.
func (s *stage) walk(t *testing.T) {
	w := &walker{stage: s, Tab: s.browser.Tab(t, s.url)}
	w.Theme("light")
	w.Width(1280)
	w.signUp()
	w.emptiness()
	w.firstSteps()
	w.liveKey()
	w.changePolicy()
	w.mapColumns()
}

// walker is a person who uses the console for the first time.
type walker struct {
	*stage
	*browser.Tab
	key string // the API key of the sandbox
}

func (w *walker) signUp() {
	w.Helper()
	w.Go("/console/signup")
	w.Fill("[name=org_name]", "Nilgiri Loans", "[name=email]", "walker@nilgiri.example", "[name=password]",
		demotest.Password)
	w.Press("Sign up")
	w.Sees("vk_sandbox_")
	w.key = w.shown("vk_sandbox_")
	w.Inspect(w.lens, "welcome")
	w.wants(http.StatusOK, "GET", "/v1/usage", w.key, "")
}

// shown returns the key that the page shows.
func (w *walker) shown(prefix string) string {
	w.Helper()
	key := regexp.MustCompile(prefix + `[0-9A-Za-z]{38}`).FindString(w.Text("main"))
	if key == "" {
		w.Fatalf("no key that begins with %s is shown:\n%s", prefix, w.Text("main"))
	}
	return key
}

// liveKey creates a key for live, calls the API with it, revokes it, and checks
// that it is refused.
func (w *walker) liveKey() {
	w.Helper()
	w.Go("/console/live/keys/new")
	w.Fill("[name=name]", "Origination", "[name=confirm]", "LIVE")
	w.Tick("[name=scopes][value=read]")
	w.Press("Create key")
	key := w.shown("vk_live_")
	w.Inspect(w.lens, "keys-made")
	w.wants(http.StatusOK, "GET", "/v1/usage", key, "")
	w.Go("/console/live/keys")
	w.Follow("main a[href*='/keys/key_']")
	w.Fill("#f-confirm-revoke", "LIVE")
	w.Press("Revoke")
	w.Sees("revoked")
	if refusal := w.wants(http.StatusUnauthorized, "GET", "/v1/usage", key, ""); !strings.Contains(refusal,
		"key_revoked") {
		w.Errorf("a revoked key is refused with %s", refusal)
	}
	w.Quiet()
}

// changePolicy builds a condition that can never matter, and checks that the
// finding is shown. It activates the policy nevertheless, and rolls back.
func (w *walker) changePolicy() {
	w.Helper()
	w.Width(1280) // the previous check used the width of a phone
	w.Go("/console/sandbox/policies")
	w.Press("version 1")
	first := w.At()
	w.Press("Edit")
	w.Click("details:has(#at-knockouts) > summary")
	w.Follow("button[value='add:knockouts']")
	w.Fill("[name='row.id']", "KO_VERY_LOW", "[name='row.reason_code']", "BUR_SCORE")
	w.Choose("[name='row.action']", "decline")
	w.Click(".builder .tools button") // adds a condition
	w.Fill(".builder [aria-label=Field]", "bureau_score\t")
	w.Choose(".builder [aria-label=Operator]", "lt")
	w.Fill(".builder .value", "600")
	w.Sees("In words: bureau_score")
	w.Shoot(w.lens, "policies-builder")
	w.Press("Apply and check")
	w.Sees("KO_VERY_LOW")
	w.Sees("never")
	w.Press("Save as a draft")
	w.Sees("version 3")
	w.Sees("What the analysis says")
	w.Fill("[name=note]", "Trying it out")
	w.Press("Activate version")
	w.Sees("Deciding now")
	w.Go(first)
	w.Fill("[name=note]", "That was nothing")
	w.Press("Roll back to version 1")
	w.Sees("Deciding now")
	w.Quiet()
}

// wants calls the API, checks the status of the answer and returns its body.
func (w *walker) wants(status int, method, path, key, body string) string {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // the body was only read
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != status {
		w.Fatalf("%s %s answers %d, want %d: %s %v", method, path, response.StatusCode, status, answer, err)
	}
	return string(answer)
}
