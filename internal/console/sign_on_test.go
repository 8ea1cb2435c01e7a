package console_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/console"
	"verdict/internal/operation"
	"verdict/internal/outbound"
	"verdict/internal/signon"
	"verdict/internal/signon/signontest"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
)

// signOnHouse is a house with a provider, a tenant and a connection between them.
type signOnHouse struct {
	*house
	provider *signontest.Provider
	admin    *browser
	tenantID string
}

// newSignOnHouse returns a house with two connections. The connection "acme" signs people of example.in into the tenant
// of admin. The connection "other" has the same provider and another tenant.
func newSignOnHouse(t *testing.T) *signOnHouse {
	t.Helper()
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	first := houseOver(t, db)
	admin, stranger := first.signUp(), first.signUp()
	tenantID := admin.who(tenant.Live).TenantID

	// The connections need the console's address before the console exists, so a server in front of it passes requests
	// on.
	h := &signOnHouse{house: &house{T: t, clock: newClock()}, tenantID: tenantID}
	now := func() time.Time { return h.clock.now() }
	provider := signontest.New(t, now)
	h.provider = provider
	h.behind(func(w http.ResponseWriter, r *http.Request) { h.console.ServeHTTP(w, r) })
	entry := func(id, tenantID string) string {
		return fmt.Sprintf(`{"id":%q,"name":"Acme & Sons","tenant":%q,"issuer":%q,"client_id":%q,
			"client_secret":"env:SECRET","domains":["example.in","acme.example"],"roles":{"Risk":"risk",
			"Admins":"admin"}}`,
			id, tenantID, provider.URL, signontest.ClientID)
	}
	connections, err := signon.Read([]byte(`{"connections":[`+entry("acme", tenantID)+","+
		entry("other", stranger.who(tenant.Live).TenantID)+`]}`),
		signon.Options{
			HTTP: outbound.New(outbound.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}).
				HTTP(1 << 20),
			URL: h.url,
			Now: now,
		}, func(string) string { return signontest.ClientSecret })
	if err != nil {
		t.Fatal(err)
	}
	front := h.url
	h.house = houseOf(t, db, console.Options{}, usecase.Options{
		Connections: connections, Logins: tenant.LoginRates{
			Account: tenant.Rate{Allowance: 10, Window: time.Hour, Burst: 10},
			Address: tenant.Rate{Allowance: 10, Window: time.Hour, Burst: 30},
			Signup:  tenant.Rate{Allowance: 1000, Window: time.Second, Burst: 1000},
		},
	})
	h.url = front
	h.provider.Register(front + "/console/sso/acme/callback")
	h.admin = h.newBrowser()
	h.admin.email, h.admin.password = admin.email, admin.password
	h.admin.post("/console/signin", "email", admin.email, "password", admin.password).want(http.StatusSeeOther)
	return h
}

// follow sends the browser to an address outside of the console, and returns the address to which the browser is sent
// back.
func (b *browser) follow(address string) string {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.Fatal(err)
	}
	a := b.do(request)
	if a.status != http.StatusFound {
		b.Fatalf("the provider answers %d: %s", a.status, a.body)
	}
	return a.header.Get("Location")
}

// signOn signs in through a connection, and returns the answer to the callback.
func (b *browser) signOn(connection, query string) *answer {
	b.Helper()
	return b.get(b.toCallback(connection, query))
}

// toCallback signs in at the provider, and returns the path to which the provider sends the browser back.
func (b *browser) toCallback(connection, query string) string {
	b.Helper()
	values, err := url.ParseQuery(strings.TrimPrefix(query, "?"))
	if err != nil {
		b.Fatal(err)
	}
	a := b.post("/console/sso/"+connection, "next", values.Get("next")).want(http.StatusOK).
		has("Continue to the provider")
	address, found := strings.CutPrefix(a.header.Get("Refresh"), "0; url=")
	if !found {
		b.Fatalf("the browser is sent nowhere: %q", a.header.Get("Refresh"))
	}
	return strings.TrimPrefix(b.follow(address), b.url)
}

func TestSignOn(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", "Ravi@Example.in", "Everybody", "Risk")
	b := h.newBrowser()
	b.get("/console/signin?next=/console/live/audit").want(http.StatusOK).
		has(`<form method="post" action="/console/sso/acme"`, `value="/console/live/audit"`,
			"Sign in with Acme &amp; Sons")
	b.signOn("acme", "?next=/console/live/policies").to("/console/live/policies")
	b.get("/console/account").want(http.StatusOK).
		has("ravi@example.in", "<dd>risk</dd>", "You sign in with Acme &amp; Sons").
		hasNot("Change the password", "Set up second factor", "Remove link")
	b.get("/console/account/second-factor").want(http.StatusOK).has("identity provider")
	ravi := b.who(tenant.Live)
	if ravi.TenantID != h.tenantID || ravi.Scopes != tenant.RoleRisk.Scopes() {
		t.Errorf("signed in as %+v", ravi)
	}
	h.admin.get("/console/users").want(http.StatusOK).has("ravi@example.in", "Acme &amp; Sons", ">password<")

	// The same person signs in again with another address at the provider. The subject identifies the person.
	h.provider.SignedIn("sub-1", "ravi.kumar@example.in", "Risk")
	again := h.newBrowser()
	again.signOn("acme", "").to("/console")
	if got := again.who(tenant.Live); got.UserID != ravi.UserID {
		t.Errorf("signed in as %s, want %s", got.UserID, ravi.UserID)
	}

	// The sign-in never redirects to a page of another site.
	for _, next := range []string{"https://evil.example/", "//evil.example/console/", "/console/\r\nx"} {
		h.newBrowser().signOn("acme", "?next="+url.QueryEscape(next)).to("/console")
	}
	b.get("/console/sso/nobody").want(http.StatusNotFound)
	b.get("/console/sso/acme/callback").want(http.StatusUnauthorized).has("start again")
}

// TestSignOnRefusals sends every kind of wrong provider answer that the protocol describes. None of them signs anybody
// in.
func TestSignOnRefusals(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	claim := func(name string, value any) func(*signontest.Provider) {
		return func(p *signontest.Provider) {
			p.Change(func(_, claims map[string]any) { claims[name] = value })
		}
	}
	at := func(name string, from time.Duration) func(*signontest.Provider) {
		return func(p *signontest.Provider) {
			p.Change(func(_, claims map[string]any) { claims[name] = h.clock.now().Add(from).Unix() })
		}
	}
	alg := func(name string) func(header, _ map[string]any) {
		return func(header, _ map[string]any) { header["alg"] = name }
	}
	for name, c := range map[string]struct {
		hostile func(*signontest.Provider)
		status  int
	}{
		"another nonce":     {claim("nonce", "x"), http.StatusUnauthorized},
		"no nonce":          {claim("nonce", ""), http.StatusUnauthorized},
		"another audience":  {claim("aud", "another client"), http.StatusUnauthorized},
		"two audiences":     {claim("aud", []string{signontest.ClientID, "x"}), http.StatusUnauthorized},
		"another party":     {claim("azp", "another client"), http.StatusUnauthorized},
		"expired":           {at("exp", -time.Second), http.StatusUnauthorized},
		"no expiry":         {claim("exp", 0), http.StatusUnauthorized},
		"not yet valid":     {at("nbf", time.Hour), http.StatusUnauthorized},
		"another issuer":    {claim("iss", "https://evil.example"), http.StatusUnauthorized},
		"no subject":        {claim("sub", ""), http.StatusUnauthorized},
		"unverified":        {claim("email_verified", false), http.StatusForbidden},
		"verified as text":  {claim("email_verified", "true"), http.StatusForbidden},
		"no verification":   {claim("email_verified", nil), http.StatusForbidden},
		"no address":        {claim("email", nil), http.StatusForbidden},
		"strange address":   {claim("email", "ravi@example.in@evil.example"), http.StatusForbidden},
		"another domain":    {claim("email", "ravi@evil.example"), http.StatusForbidden},
		"a longer domain":   {claim("email", "ravi@evilexample.in"), http.StatusForbidden},
		"a subdomain":       {claim("email", "ravi@mail.example.in"), http.StatusForbidden},
		"no group":          {claim("groups", []string{"Everybody"}), http.StatusForbidden},
		"groups as a text":  {claim("groups", "Everybody"), http.StatusForbidden},
		"groups of numbers": {claim("groups", []int{1}), http.StatusForbidden},
		"an unknown key": {func(p *signontest.Provider) { p.SignWith(signontest.OtherKey(t)) },
			http.StatusUnauthorized},
		"an unknown key id": {func(p *signontest.Provider) {
			p.SignWith(signontest.OtherKey(t))
			p.Change(func(header, _ map[string]any) { header["kid"] = "key-2" })
		}, http.StatusUnauthorized},
		"no signature": {func(p *signontest.Provider) {
			p.Change(alg("none"))
			p.SignWith(func(string) []byte { return nil })
		}, http.StatusUnauthorized},
		"signed with the client's secret": {func(p *signontest.Provider) {
			p.Change(alg("HS256"))
			p.SignWith(signontest.HMAC([]byte(signontest.ClientSecret)))
		}, http.StatusUnauthorized},
		"signed with the public key": {func(p *signontest.Provider) {
			p.Change(alg("HS256"))
			p.SignWith(signontest.HMAC(p.PublicKey()))
		}, http.StatusUnauthorized},
	} {
		h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
		c.hostile(h.provider)
		b := h.newBrowser()
		a := b.signOn("acme", "")
		if a.status != c.status || b.token() != "" || strings.Contains(a.body, "evil.example") {
			t.Errorf("%s: status %d, want %d, token %q\n%s", name, a.status, c.status, b.token(), a.body)
		}
		h.provider.Change(nil)
		h.provider.SignWith(nil)
		h.clock.advance(time.Hour) // so that the rate limit does not apply
	}
	people, err := h.service.Operator.Users(t.Context(), h.tenantID)
	if err != nil || len(people) != 1 {
		t.Errorf("%d people, %v: a refused sign-in added somebody", len(people), err)
	}
}

// TestSignOnState checks that only the browser that began a sign-in can finish it, once, in time and with its own
// connection.
func TestSignOnState(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
	refused := func(name string, a *answer, b *browser) {
		t.Helper()
		if a.status != http.StatusUnauthorized || b.token() != "" {
			t.Errorf("%s: status %d, token %q", name, a.status, b.token())
		}
	}
	b := h.newBrowser()
	path := b.toCallback("acme", "")
	refused("another browser", h.newBrowser().get(path), h.newBrowser())

	without := func(path, name string) string {
		u, err := url.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		q.Del(name)
		return u.Path + "?" + q.Encode()
	}
	refused("no state", b.get(without(path, "state")), b)
	refused("the cookie is gone", b.get(path), b)

	b = h.newBrowser()
	path = b.toCallback("acme", "")
	refused("no code", b.get(without(path, "code")), b)

	b = h.newBrowser()
	path = b.toCallback("acme", "")
	refused("another issuer", b.get(strings.Replace(path, "iss=", "iss=https%3A%2F%2Fevil.example&x=", 1)), b)

	b = h.newBrowser()
	path = b.toCallback("acme", "")
	refused("another connection", b.get(strings.Replace(path, "/acme/", "/other/", 1)), b)

	b = h.newBrowser()
	path = b.toCallback("acme", "")
	h.clock.advance(10 * time.Minute)
	refused("too late", b.get(path), b)

	// The provider refuses a code that was already used, even with the cookie of its sign-in.
	b = h.newBrowser()
	path = b.toCallback("acme", "")
	at, err := url.Parse(h.url)
	if err != nil {
		t.Fatal(err)
	}
	cookies := b.client.Jar.Cookies(at)
	b.get(path).to("/console")
	thief := h.newBrowser()
	thief.client.Jar.SetCookies(at, cookies)
	refused("a used code", thief.get(path), thief)

	// A code of another sign-in is refused, because it has another nonce and verifier.
	victim, attacker := h.newBrowser(), h.newBrowser()
	path = attacker.toCallback("acme", "")
	mine, err := url.Parse(victim.toCallback("acme", ""))
	if err != nil {
		t.Fatal(err)
	}
	stolen, err := url.Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	q := mine.Query()
	q.Set("code", stolen.Query().Get("code"))
	refused("another code", victim.get(mine.Path+"?"+q.Encode()), victim)

	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
	for _, change := range []func(string) string{
		func(string) string { return "" }, func(s string) string { return s[1:] },
		func(s string) string { return s + "x" },
	} {
		b = h.newBrowser()
		path = b.toCallback("acme", "")
		for _, c := range b.client.Jar.Cookies(at) {
			if c.Name == "verdict-sign-on" {
				b.client.Jar.SetCookies(at, []*http.Cookie{{Name: c.Name, Value: change(c.Value), Path: "/"}})
			}
		}
		refused("a changed cookie", b.get(path), b)
		h.clock.advance(time.Hour)
	}
}

// TestSignOnGroups checks what happens when the groups of a person change between two sign-ins.
func TestSignOnGroups(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	b := h.newBrowser()
	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk", "Admins")
	b.signOn("acme", "").to("/console")
	ravi := b.who(tenant.Live)
	if !ravi.Scopes.Has(tenant.Admin) {
		t.Errorf("the scopes are %v", ravi.Scopes)
	}

	h.provider.SignedIn("sub-1", "ravi@example.in", "Risk")
	other := h.newBrowser()
	other.signOn("acme", "").to("/console")
	if got := other.who(tenant.Live); got.Scopes.Has(tenant.Admin) || !got.Scopes.Has(tenant.PolicyActivate) {
		t.Errorf("the scopes are %v", got.Scopes)
	}
	b.get("/console/account").to("/console/signin?next=%2Fconsole%2Faccount") // the change of role ended the session

	h.provider.SignedIn("sub-1", "ravi@example.in")
	third := h.newBrowser()
	third.signOn("acme", "").want(http.StatusForbidden).has("no group at Acme &amp; Sons")
	other.get("/console/account").to("/console/signin?next=%2Fconsole%2Faccount")

	// The person is in the group again, but stays disabled until an administrator enables the access.
	h.provider.SignedIn("sub-1", "ravi@example.in", "Admins")
	third.signOn("acme", "").want(http.StatusForbidden).has("Your access is disabled")
	h.admin.post("/console/users/" + ravi.UserID + "/enable").to("/console/users")
	third.signOn("acme", "").to("/console")
	h.admin.post("/console/users/" + ravi.UserID + "/disable").to("/console/users")
	h.newBrowser().signOn("acme", "").want(http.StatusForbidden)

	page, err := h.service.People.Audit(t.Context(), h.admin.who(tenant.Live),
		account.AuditFilter{Object: ravi.UserID}, operation.List{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range page.Data {
		got = append(got, e.Actor+" "+e.Action+" "+e.Note)
	}
	admin := h.admin.who(tenant.Live).UserID
	want := []string{
		admin + " user.disabled ", "sign-on:acme user.role_set admin", admin + " user.enabled ",
		"sign-on:acme user.disabled ", "sign-on:acme user.role_set risk", "sign-on:acme user.created admin",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the trail is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSignOnActivators checks that a person who became an activator through a group must wait like every new activator.
func TestSignOnActivators(t *testing.T) {
	t.Parallel()
	h := newSignOnHouse(t)
	h.provider.SignedIn("sub-1", "early@example.in", "Risk")
	h.newBrowser().signOn("acme", "").to("/console")
	h.admin.get("/console/users").hasNot("may activate in live from") // nothing is active in live yet

	set := h.admin.between("/console/live/policies", "/console/live/policies/pol_", "\"")
	h.admin.post("/console/live/policies/pol_"+set+"/activate", "confirm", "LIVE").want(http.StatusSeeOther)
	h.provider.SignedIn("sub-2", "ravi@example.in", "Risk")
	b := h.newBrowser()
	b.signOn("acme", "").to("/console")
	ravi := b.who(tenant.Live)
	h.admin.get("/console/users").has("may activate in live from")
	people, err := h.service.People.List(t.Context(), h.admin.who(tenant.Live))
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range people {
		if waits := u.Waits(h.clock.now()); waits != (u.ID == ravi.UserID) {
			t.Errorf("%s waits: %v", u.Email, waits)
		}
	}

	// Signing in again changes nothing. Losing and regaining the group restarts the waiting time of a day.
	h.clock.advance(23 * time.Hour)
	h.newBrowser().signOn("acme", "").to("/console")
	h.clock.advance(2 * time.Hour)
	h.admin = h.again(h.admin)
	h.admin.get("/console/users").hasNot("may activate in live from")
	h.provider.SignedIn("sub-2", "ravi@example.in", "Viewers")
	h.newBrowser().signOn("acme", "").want(http.StatusForbidden)
	h.admin.get("/console/users").has("counts as an activator until")
	h.admin.post("/console/users/" + ravi.UserID + "/enable").to("/console/users")
	h.admin.get("/console/users").has("may activate in live from")
}

// again signs a person in with the password in a new browser, because the session has ended.
func (h *signOnHouse) again(was *browser) *browser {
	h.Helper()
	b := h.newBrowser()
	b.email, b.password = was.email, was.password
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	return b
}
