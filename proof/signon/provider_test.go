// Package signon signs people in through an identity provider that shares no code with the service. The provider runs
// as a process of its own.
package signon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"verdict/internal/app"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

const (
	clientID     = "verdict-console"
	clientSecret = "the secret of the client, with a + and a %" //nolint:gosec // of tests
	// packages is the folder into which scripts/deps installs the npm packages.
	packages = "../../.tools/clients/node_modules"
)

// people are the people whom the provider knows, by the name with which they sign in there.
var people = map[string]map[string]any{
	"meera": {"email": "meera@kaveri.example", "email_verified": true, "groups": []string{"staff", "verdict-risk"}},
	"arun": {
		"email": "arun@kaveri.example", "email_verified": true, "groups": []string{"verdict-admins", "verdict-risk"},
	},
	"guest": {"email": "guest@kaveri.example", "email_verified": true, "groups": []string{"staff"}},
	"stray": {"email": "stray@kaveri.example", "email_verified": false, "groups": []string{"verdict-admins"}},
	"other": {"email": "other@elsewhere.example", "email_verified": true, "groups": []string{"verdict-admins"}},
}

// TestSignOn signs people in through a real provider, with PKCE and real signatures. The groups that the provider
// states give the roles. People without a group that has a role, without a verified address, or of another domain are
// refused.
func TestSignOn(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: clients")
	}
	address := freeAddress(t)
	service := "http://" + address
	serve(t, address, startProvider(t, service+"/console/sso/kaveri/callback"))
	for name, role := range map[string]string{"meera": "risk", "arun": "admin"} {
		b := newVisitor(t, service)
		landed := b.signIn(name)
		if landed.Request.URL.Path != "/console/live/policies" {
			t.Errorf("%s is sent to %s: %s", name, landed.Request.URL, landed.text)
		}
		account := b.get(service + "/console/account")
		for _, want := range []string{
			people[name]["email"].(string), "<dd>" + role + "</dd>", "You sign in with Kaveri ID",
		} {
			if !strings.Contains(account.text, want) {
				t.Errorf("%s: the account page has no %q:\n%s", name, want, account.text)
			}
		}
	}
	for _, name := range []string{"guest", "stray", "other"} {
		b := newVisitor(t, service)
		refused := b.signIn(name)
		if refused.StatusCode < 400 || refused.Request.URL.Path != "/console/sso/kaveri/callback" {
			t.Errorf("%s: %s %s\n%s", name, refused.Status, refused.Request.URL, refused.text)
		}
		if account := b.get(service + "/console/account"); account.Request.URL.Path != "/console/signin" {
			t.Errorf("%s is signed in: %s\n%s", name, account.Request.URL, account.text)
		}
	}
}

// visitor is a browser that follows redirects and keeps cookies.
type visitor struct {
	*testing.T
	http.Client
	service string
}

// page is an answer with its text, and the request that it answers.
type page struct {
	*http.Response
	text string
}

func newVisitor(t *testing.T, service string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{T: t, Client: http.Client{Jar: jar}, service: service}
}

// signIn signs a person in at the provider, and returns the page of the console on which the person ends.
func (v *visitor) signIn(name string) page {
	v.Helper()
	p := v.post(v.service+"/console/sso/kaveri", url.Values{"next": {"/console/live/policies"}})
	next, found := strings.CutPrefix(p.Header.Get("Refresh"), "0; url=")
	if !found {
		v.Fatalf("the console sends nobody to the provider: %s\n%s", p.Status, p.text)
	}
	p = v.get(next)
	form := regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	prompt := regexp.MustCompile(`name="prompt" value="([^"]+)"`)
	for range 5 { // the provider asks first for a password and then for consent
		if strings.HasPrefix(p.Request.URL.String(), v.service) {
			return p
		}
		action, asked := form.FindStringSubmatch(p.text), prompt.FindStringSubmatch(p.text)
		if action == nil || asked == nil {
			v.Fatalf("the provider shows no form: %s %s\n%s", p.Status, p.Request.URL, p.text)
		}
		target, err := p.Request.URL.Parse(action[1])
		if err != nil {
			v.Fatal(err)
		}
		p = v.post(target.String(), url.Values{"prompt": {asked[1]}, "login": {name}, "password": {"any"}})
	}
	v.Fatalf("the provider never sends %s back: %s", name, p.Request.URL)
	return page{}
}

func (v *visitor) get(address string) page {
	v.Helper()
	request, err := http.NewRequestWithContext(v.Context(), http.MethodGet, address, nil)
	if err != nil {
		v.Fatal(err)
	}
	return v.send(request)
}

func (v *visitor) post(address string, form url.Values) page {
	v.Helper()
	request, err := http.NewRequestWithContext(v.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		v.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", "http://"+request.URL.Host)
	return v.send(request)
}

func (v *visitor) send(request *http.Request) page {
	v.Helper()
	response, err := v.Do(request)
	if err != nil {
		v.Fatal(err)
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		v.Fatal(err)
	}
	return page{response, string(text)}
}

// freeAddress returns an address on which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	return free.Addr().String()
}

// startProvider starts the provider with one client, and returns its address.
func startProvider(t *testing.T, redirect string) (issuer string) {
	t.Helper()
	modules, err := filepath.Abs(packages)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(modules, "oidc-provider")); err != nil {
		t.Fatalf("the npm packages are not installed (scripts/deps test does that): %v", err)
	}
	known, err := json.Marshal(people)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("provider.mjs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "provider.mjs"), program, 0o600); err != nil {
		t.Fatal(err)
	}
	provider := exec.CommandContext(t.Context(), "node", "provider.mjs")
	provider.Dir = dir
	provider.Env = append(os.Environ(), "PEOPLE="+string(known), "CLIENT_ID="+clientID, "CLIENT_SECRET="+clientSecret,
		"REDIRECT="+redirect)
	provider.Stderr = t.Output()
	out, err := provider.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := provider.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = provider.Process.Kill()
		_ = provider.Wait() // the error only says that it was killed
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, found := strings.CutPrefix(lines.Text(), "provider "); found {
			go func() {
				_, _ = io.Copy(io.Discard, out) // drain the output, or the provider would block on its writes
			}()
			return address
		}
	}
	t.Fatal("the provider ended before it said where it answers")
	return ""
}

// serve runs a service with one tenant and a connection to the provider.
func serve(t *testing.T, address, issuer string) {
	t.Helper()
	config, err := app.Bind(flag.NewFlagSet("", flag.ContinueOnError)).Load(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	config.Addr, config.DatabaseURL = address, "sqlite:"+filepath.Join(folder, "verdict.db")
	connections := filepath.Join(folder, "connections.json")
	for name, text := range map[string]string{
		filepath.Join(folder, "secret"): clientSecret + "\n",
		connections: fmt.Sprintf(
			`{"connections":[{"id":"kaveri","name":"Kaveri ID","tenant":%q,"issuer":%q,"client_id":%q,
			"client_secret":"file:%s","domains":["kaveri.example"],"scopes":["groups"],
			"roles":{"verdict-admins":"admin","verdict-risk":"risk"}}]}`,
			newTenant(t, config.DatabaseURL), issuer, clientID, filepath.Join(folder, "secret")),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config.SignOn.File, config.SignOn.URL = connections, "http://"+address
	config.SignOn.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	service, err := app.New(t.Context(), config, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan error, 1)
	go func() { over <- service.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-over, service.Close()); err != nil {
			t.Errorf("the service ends with %v", err)
		}
	})
}

// newTenant creates a tenant in a new database, and returns its id.
func newTenant(t *testing.T, databaseURL string) string {
	t.Helper()
	db, err := store.Open(t.Context(), databaseURL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service, err := usecase.New(db, usecase.Options{})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := service.Operator.Signup(t.Context(), tenant.Signup{
		Email: "asha@kaveri.example", OrgName: "Kaveri Finance", Password: tenant.NewSecret("a long password"),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return signed.Tenant.ID
}
