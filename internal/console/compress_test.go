package console_test

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"verdict/internal/console"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// TestCompression checks which answers are compressed: pages and assets, unless another site has caused the request.
func TestCompression(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	plain := b.with("/console/sandbox/policies", "Accept-Encoding", "identity").want(http.StatusOK)
	for _, c := range []struct {
		about   string
		headers []string
		packed  bool
	}{
		{"no Sec-Fetch-Site, without TLS", nil, true},
		{"a link of the console", []string{"Sec-Fetch-Site", "same-origin"}, true},
		{"a typed address", []string{"Sec-Fetch-Site", "none"}, true},
		{"a link of another site", []string{"Sec-Fetch-Site", "cross-site"}, false},
		{"a link of a sibling", []string{"Sec-Fetch-Site", "same-site"}, false},
		{"an unknown value", []string{"Sec-Fetch-Site", "later"}, false},
		{"gzip is refused", []string{"Accept-Encoding", "br, gzip;q=0"}, false},
	} {
		got := b.with("/console/sandbox/policies", c.headers...).want(http.StatusOK)
		if got.packed() != c.packed {
			t.Errorf("%s: compressed is %t", c.about, got.packed())
		}
		if got.title() != plain.title() || !strings.Contains(got.body, "</html>") {
			t.Errorf("%s: another page arrived:\n%s", c.about, got.body)
		}
		if c.packed && got.sent*2 > len(got.body) {
			t.Errorf("%s: %d bytes became %d", c.about, len(got.body), got.sent)
		}
		if vary := strings.Join(got.header.Values("Vary"), ", "); vary != "Accept-Encoding, Sec-Fetch-Site" {
			t.Errorf("%s: Vary is %q", c.about, vary)
		}
	}

	for _, link := range assetLinks(plain.body) {
		whole := b.with(link, "Accept-Encoding", "identity").want(http.StatusOK)
		small := b.with(link, "Sec-Fetch-Site", "cross-site").want(http.StatusOK) // assets have no secret
		if !small.packed() || whole.packed() || small.body != whole.body {
			t.Errorf("%s: %d bytes, compressed %d", link, len(whole.body), small.sent)
		}
		if vary := small.header.Get("Vary"); vary != "Accept-Encoding" || whole.header.Get("Vary") != vary {
			t.Errorf("%s: Vary is %q", link, vary)
		}
	}
}

// TestCompressionOverTLS checks that a browser that does not say which site has caused the request gets no compressed
// page over TLS.
func TestCompressionOverTLS(t *testing.T) {
	t.Parallel()
	proxies := serving.Clients{netip.MustParsePrefix("127.0.0.0/8")}
	h := houseWith(t, sqlite(t), console.Options{Node: serving.NewNode(serving.Limits{TrustedProxies: proxies})})
	b := h.newBrowser()
	const page = "/console/signup"
	if b.with(page, "X-Forwarded-Proto", "https").want(http.StatusOK).packed() {
		t.Error("a page over TLS is compressed without Sec-Fetch-Site")
	}
	if !b.with(page, "X-Forwarded-Proto", "https", "Sec-Fetch-Site", "none").want(http.StatusOK).packed() {
		t.Error("a page over TLS is not compressed with Sec-Fetch-Site")
	}
}

// TestSecretsAreNotCompressed checks that no page that shows a secret is compressed.
func TestSecretsAreNotCompressed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	check := func(about, text string, got *answer) {
		t.Helper()
		if got.packed() {
			t.Errorf("%s is compressed", about)
		}
		if len(got.body) < serving.CompressFrom || !strings.Contains(got.body, text) {
			t.Errorf("%s shows no secret, so nothing was proved:\n%s", about, got.body)
		}
	}

	stranger := h.newBrowser()
	check("a new tenant", "vk_sandbox_", stranger.post("/console/signup", "org_name", "Other", "email",
		"other@example.in", "password", "correct horse battery").want(http.StatusOK))
	made := b.post("/console/sandbox/keys", "name", "Loans", "scopes", "read").want(http.StatusOK)
	check("a new key", "vk_sandbox_", made)
	check("a webhook", "whsec_", b.post("/console/sandbox/webhooks", "url", "https://example.com/events",
		"description", "Origination").want(http.StatusOK))
	invited := b.post("/console/users/invite", "email", "new@example.in", "role", string(tenant.RoleRisk)).
		want(http.StatusOK)
	check("an invitation", "/console/invite/", invited)
	_, token, _ := strings.Cut(invited.body, "/console/invite/")
	token, _, _ = strings.Cut(token, "<")
	check("the page of an invitation", token, h.newBrowser().get("/console/invite/"+token).want(http.StatusOK))

	b.post("/console/account/second-factor/begin", "current_password", b.password).want(http.StatusSeeOther)
	check("a second factor", "QR code", b.get("/console/account/second-factor").want(http.StatusOK))
}

// with fetches a page with further headers, which are alternating names and values.
func (b *browser) with(path string, headers ...string) *answer {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, b.url+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return b.do(request)
}

// packed reports whether the answer was compressed.
func (a *answer) packed() bool { return a.header.Get("Content-Encoding") == "gzip" }

// title returns the title of a page.
func (a *answer) title() string {
	_, rest, _ := strings.Cut(a.body, "<title>")
	title, _, _ := strings.Cut(rest, "</title>")
	return title
}

// assetLinks returns the addresses of the assets that a page loads and that are large enough to be compressed.
func assetLinks(page string) []string {
	return regexp.MustCompile(`/console/assets/[a-z]+\.[0-9a-f]+\.(css|js)`).FindAllString(page, -1)
}
