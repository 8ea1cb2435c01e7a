package console_test

import (
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdict/internal/app"
	"verdict/internal/demo/demotest"
	"verdict/internal/signon/signontest"
	"verdict/internal/store"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// signOn signs in through an identity provider and with a second factor. It has a service of its own, because the
// service must know its address and a tenant before it starts.
func (s *stage) signOn(t *testing.T) {
	clock := func() time.Time { return now }
	provider := signontest.New(t, clock)
	url := serveSignOn(t, provider)
	provider.Register(url + "/console/sso/kaveri/callback")
	provider.SignedIn("sub-1", "meera@kaveri.example", "Risk")

	tab := s.browser.Tab(t, url)
	tab.Go("/console/live/policies")
	tab.Sees("Sign in with Kaveri ID")
	tab.Inspect(s.lens, "signin-provider")
	tab.Press("Sign in with Kaveri ID") // the form answers with a page that leads to the provider and back
	tab.Arrives("/console/live/policies")
	tab.Sees("Policies")
	tab.Go("/console/account")
	tab.Sees("You sign in with Kaveri ID")
	tab.Inspect(s.lens, "account-provider")

	// If a link from another site begins a sign-in, the console asks before it replaces the session.
	tab.Go("/console/sso/kaveri")
	tab.Sees("This browser is signed in as meera@kaveri.example")
	tab.Inspect(s.lens, "signin-asks")
	tab.Press("Stay signed in")
	tab.Sees("Overview")

	tab = s.browser.Tab(t, url)
	tab.Go("/console/signin")
	tab.Fill("[name=email]", "asha@kaveri.example", "[name=password]", demotest.Password)
	tab.Press("Sign in")
	tab.Sees("Overview")
	tab.Go("/console/account/second-factor")
	tab.Inspect(s.lens, "second-factor-off")
	tab.Fill("[name=current_password]", demotest.Password)
	tab.Press("Set up second factor")
	tab.Sees("Scan and confirm")
	tab.Inspect(s.lens, "second-factor-scan")
	secret := tenant.TOTP{Secret: tenant.NewSecret(strings.ReplaceAll(tab.Text(".copyable code"), " ", ""))}
	code := func(steps int64) string {
		text, err := secret.Code(secret.Step(now) + steps)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	tab.Fill("[name=code]", code(0))
	tab.Press("Turn on second factor")
	tab.Sees("Recovery codes")
	tab.Inspect(s.lens, "second-factor-codes")
	tab.Go("/console/users")
	tab.Sees("password and code")
	tab.Inspect(s.lens, "users-sign-in")
	tab.Go("/console/account")
	tab.Inspect(s.lens, "account-link")
	tab.Press("Sign out")

	tab.Go("/console/signin")
	tab.Fill("[name=email]", "asha@kaveri.example", "[name=password]", demotest.Password)
	tab.Press("Sign in")
	tab.Sees("Second step")
	tab.Inspect(s.lens, "signin-code")
	tab.Fill("[name=code]", code(0)) // this code was used before
	tab.Expect(401)
	tab.Press("Sign in")
	tab.Sees("used already")
	tab.Fill("[name=code]", code(1))
	tab.Press("Sign in")
	tab.Sees("Overview")
}

// serveSignOn runs a service with one tenant and a connection to the provider, and returns its address.
func serveSignOn(t *testing.T, provider *signontest.Provider) string {
	t.Helper()
	config, err := app.Bind(flag.NewFlagSet("", flag.ContinueOnError)).Load(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	config.DatabaseURL = "sqlite:" + filepath.Join(folder, "verdict.db")
	db, err := store.Open(t.Context(), config.DatabaseURL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service, err := usecase.New(db, usecase.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	signed, err := service.Operator.Signup(t.Context(), tenant.Signup{
		Email: "asha@kaveri.example", OrgName: "Kaveri Finance", Password: tenant.NewSecret(demotest.Password),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	secret, connections := filepath.Join(folder, "secret"), filepath.Join(folder, "connections.json")
	for name, text := range map[string]string{
		secret: signontest.ClientSecret + "\n",
		connections: fmt.Sprintf(
			`{"connections":[{"id":"kaveri","name":"Kaveri ID","tenant":%q,"issuer":%q,"client_id":%q,
			"client_secret":"file:%s","domains":["kaveri.example"],"roles":{"Risk":"risk"}}]}`,
			signed.Tenant.ID, provider.URL, signontest.ClientID, secret),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	free, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	config.Addr = free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	config.SignOn.File, config.SignOn.URL = connections, "http://"+config.Addr
	config.SignOn.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	return serve(t, config)
}
