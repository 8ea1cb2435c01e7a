// Package signontest is an OpenID Connect provider for tests. It serves discovery, keys, authorization
// and tokens on a real socket, with real signatures, and checks what a strict provider checks: the
// client and its secret, the redirect address, PKCE, and that a code is used once. It makes its
// signatures with the standard library only, so it does not share code with the package that it tests.
package signontest

import (
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// The client that the provider knows.
const (
	ClientID     = "verdict-console"
	ClientSecret = "the secret of the client" //nolint:gosec // of tests
)

// Provider is a provider at which one person is signed in at a time.
type Provider struct {
	*httptest.Server
	now      func() time.Time
	key      *rsa.PrivateKey
	redirect string // the registered redirect address

	mu     sync.Mutex
	person map[string]any
	hostile
	codes map[string]grant
	used  map[string]bool
	calls map[string]int
}

// hostile is how the provider misbehaves.
type hostile struct {
	change func(header, claims map[string]any)
	sign   func(text string) []byte
	down   bool
	hang   chan struct{}
}

// grant is the data for which a code was issued.
type grant struct{ nonce, challenge, redirect string }

// New starts a provider. now is its clock.
func New(t *testing.T, now func() time.Time) *Provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{now: now, key: key, codes: map[string]grant{}, used: map[string]bool{}, calls: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("GET /keys", p.keys)
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.broken(r) {
			http.Error(w, "broken", http.StatusInternalServerError)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		p.Answer()
		p.Close()
	})
	return p
}

func (p *Provider) broken(r *http.Request) bool {
	p.mu.Lock()
	p.calls[r.URL.Path]++
	hang, down := p.hang, p.down
	p.mu.Unlock()
	if hang != nil && r.URL.Path != "/authorize" {
		<-hang
	}
	return down
}

// Calls returns how many requests a path got.
func (p *Provider) Calls(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[path]
}

// Register registers the redirect address of the client.
func (p *Provider) Register(redirect string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.redirect = redirect
}

// SignedIn sets who is signed in at the provider. The person has a verified address and groups.
func (p *Provider) SignedIn(subject, email string, groups ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person = map[string]any{"sub": subject, "email": email, "email_verified": true, "groups": groups}
}

// Change sets a function that alters each ID token before it is signed. If it is nil, tokens are not
// altered.
func (p *Provider) Change(change func(header, claims map[string]any)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.change = change
}

// SignWith sets a function that replaces the signature of each ID token. If it is nil, signatures are
// not replaced.
func (p *Provider) SignWith(sign func(text string) []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sign = sign
}

// SetDown makes every request fail if down is true. Otherwise requests work again.
func (p *Provider) SetDown(down bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = down
}

// Hang makes requests of the service wait until Answer is called.
func (p *Provider) Hang() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hang = make(chan struct{})
}

// Answer ends Hang.
func (p *Provider) Answer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hang != nil {
		close(p.hang)
		p.hang = nil
	}
}

// HMAC returns a function that signs with a secret, as the algorithm HS256 does.
func HMAC(secret []byte) func(string) []byte {
	return func(text string) []byte {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(text))
		return mac.Sum(nil)
	}
}

// PublicKey returns the modulus of the provider's key, which everybody knows.
func (p *Provider) PublicKey() []byte { return p.key.N.Bytes() }

// OtherKey returns a function that signs with a key that the provider does not publish.
func OtherKey(t *testing.T) func(string) []byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) []byte { return signRS256(key, text) }
}

func signRS256(key *rsa.PrivateKey, text string) []byte {
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // the key is valid
	}
	return signature
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // fails only if the client is gone
}

func (p *Provider) discovery(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{
		"issuer":                                p.URL,
		"authorization_endpoint":                p.URL + "/authorize",
		"token_endpoint":                        p.URL + "/token",
		"jwks_uri":                              p.URL + "/keys",
		"response_types_supported":              []string{"code"},
		"subject_types_supported":               []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic"},
	})
}

const keyID = "key-1"

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "use": "sig", "alg": "RS256", "kid": keyID,
		"n": base64.RawURLEncoding.EncodeToString(p.key.N.Bytes()),
		"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

// authorize sends the browser back with a code. A real provider would first ask the person to sign in.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	p.mu.Lock()
	defer p.mu.Unlock()
	if q.Get("client_id") != ClientID || q.Get("redirect_uri") != p.redirect || q.Get("response_type") != "code" ||
		!strings.Contains(" "+q.Get("scope")+" ", " openid ") || q.Get("code_challenge_method") != "S256" ||
		q.Get("code_challenge") == "" || q.Get("state") == "" || q.Get("nonce") == "" {
		http.Error(w, "the provider refuses this request", http.StatusBadRequest)
		return
	}
	back := url.Values{"state": {q.Get("state")}, "iss": {p.URL}}
	if p.person == nil {
		back.Set("error", "access_denied")
	} else {
		code := rand.Text()
		p.codes[code] = grant{q.Get("nonce"), q.Get("code_challenge"), p.redirect}
		back.Set("code", code)
	}
	http.Redirect(w, r, p.redirect+"?"+back.Encode(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, secret, _ := r.BasicAuth()
	code := r.PostFormValue("code")
	g, known := p.codes[code]
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	user, _ := url.QueryUnescape(id)
	password, _ := url.QueryUnescape(secret)
	switch {
	case user != ClientID || password != ClientSecret:
		answer(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
	case !known || p.used[code] || r.PostFormValue("redirect_uri") != g.redirect ||
		r.PostFormValue("grant_type") != "authorization_code" ||
		base64.RawURLEncoding.EncodeToString(sum[:]) != g.challenge:
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
	default:
		p.used[code] = true
		answer(w, http.StatusOK, map[string]any{
			"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300, "id_token": p.idToken(g.nonce),
		})
	}
}

func (p *Provider) idToken(nonce string) string {
	now := p.now()
	header := map[string]any{"alg": "RS256", "typ": "JWT", "kid": keyID}
	claims := map[string]any{
		"iss": p.URL, "aud": ClientID, "nonce": nonce, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
	for name, value := range p.person {
		claims[name] = value
	}
	if p.change != nil {
		p.change(header, claims)
	}
	text := encode(header) + "." + encode(claims)
	sign := p.sign
	if sign == nil {
		sign = func(text string) []byte { return signRS256(p.key, text) }
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(sign(text))
}

func encode(part map[string]any) string {
	text, err := json.Marshal(part)
	if err != nil {
		panic(err) // cannot happen: part contains only texts and numbers
	}
	return base64.RawURLEncoding.EncodeToString(text)
}
