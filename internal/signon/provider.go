package signon

import (
	"context"
	"crypto/hmac"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"verdict/internal/account"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// Options are common to all connections.
type Options struct {
	HTTP *http.Client     // sends requests to providers; it limits their time and size
	URL  string           // the public address of this service, without a slash at the end
	Now  func() time.Time // the clock
}

const (
	// discoveryLife is how long the description of a provider is used before it is read again.
	discoveryLife = time.Hour
	// maxRequests is the maximum number of requests to one provider at the same time.
	maxRequests = 8
	// maxGroups limits how many groups of a person are looked at.
	maxGroups = 1000
)

// algorithms are the signature algorithms that are accepted. Symmetric algorithms and "none" are not accepted.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.ES256, oidc.ES384, oidc.ES512,
	oidc.EdDSA,
}

// Provider is one client of an identity provider. It is safe for concurrent use.
type Provider struct {
	entry   entry
	secret  tenant.Secret
	options Options
	slots   chan struct{}

	mu         sync.Mutex
	discovered *discovered
}

// discovered is the description of a provider.
type discovered struct {
	at       time.Time
	endpoint oauth2.Endpoint
	verifier *oidc.IDTokenVerifier
}

func newProvider(e entry, secret tenant.Secret, o Options) *Provider {
	if e.GroupsClaim == "" {
		e.GroupsClaim = "groups"
	}
	return &Provider{entry: e, secret: secret, options: o, slots: make(chan struct{}, maxRequests)}
}

// Start returns the address of the provider's sign-in page.
func (p *Provider) Start(ctx context.Context, f account.Flow) (string, error) {
	release, err := p.acquire()
	if err != nil {
		return "", err
	}
	defer release()
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return p.config(d).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), nil
}

// Finish exchanges the code and verifies the ID token. An error that is not a *fault.Error says what is wrong with
// the provider's answer.
func (p *Provider) Finish(ctx context.Context, f account.Flow, code string) (account.Identity, error) {
	release, err := p.acquire()
	if err != nil {
		return account.Identity{}, err
	}
	defer release()
	d, err := p.discover(ctx)
	if err != nil {
		return account.Identity{}, err
	}
	ctx = oidc.ClientContext(ctx, p.options.HTTP)
	token, err := p.config(d).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return account.Identity{}, p.exchangeFailed(err)
	}
	raw, _ := token.Extra("id_token").(string)
	if raw == "" {
		return account.Identity{}, errors.New("the answer has no ID token")
	}
	id, err := d.verifier.Verify(ctx, raw)
	if err != nil {
		return account.Identity{}, brief(err)
	}
	return p.identity(id, f.Nonce)
}

// identity checks what the library does not check, and returns the identity that an ID token states.
func (p *Provider) identity(id *oidc.IDToken, nonce string) (account.Identity, error) {
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return account.Identity{}, fmt.Errorf("the claims of the ID token: %w", err)
	}
	if !hmac.Equal([]byte(id.Nonce), []byte(nonce)) {
		return account.Identity{}, errors.New("the ID token has another nonce")
	}
	if id.Subject == "" {
		return account.Identity{}, errors.New("the ID token has no subject")
	}
	azp, stated := claims["azp"]
	if stated && azp != p.entry.ClientID || !stated && len(id.Audience) > 1 {
		return account.Identity{}, errors.New("the ID token was issued to another client")
	}
	for name, want := range p.entry.Require {
		if claims[name] != want {
			return account.Identity{}, fault.New(fault.Forbidden, fault.CodeSignOnRefused,
				"your account at %s does not belong to the organisation that may sign in here", p.entry.Name)
		}
	}
	email, _ := claims["email"].(string)
	verified, _ := claims["email_verified"].(bool)
	return account.Identity{
		Issuer:        p.entry.Issuer,
		Subject:       id.Subject,
		Email:         email,
		EmailVerified: verified,
		Groups:        texts(claims[p.entry.GroupsClaim]),
	}, nil
}

// texts returns the texts of a claim, which is a list or a single text.
func texts(claim any) (list []string) {
	if text, ok := claim.(string); ok {
		return []string{text}
	}
	values, _ := claim.([]any)
	for _, v := range values[:min(len(values), maxGroups)] {
		if text, ok := v.(string); ok {
			list = append(list, text)
		}
	}
	return list
}

// acquire takes one of the maxRequests slots for requests to the provider. It fails immediately if all are taken,
// so that a slow provider holds only a few requests of this service.
func (p *Provider) acquire() (release func(), err error) {
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	default:
		return nil, p.unavailable()
	}
}

func (p *Provider) unavailable() error {
	return fault.New(fault.Unavailable, fault.CodeSignOnUnavailable,
		"%s does not answer; try again in a moment", p.entry.Name)
}

// discover returns the description of the provider, which it reads again after discoveryLife. The provider is not
// locked during the request, so several callers may read the description at the same time.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	now := p.options.Now()
	p.mu.Lock()
	known := p.discovered
	p.mu.Unlock()
	if known != nil && now.Sub(known.at) < discoveryLife {
		return known, nil
	}
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, p.options.HTTP), p.entry.Issuer)
	var mismatch *oidc.IssuerMismatchError
	if errors.As(err, &mismatch) {
		return nil, errors.New("the provider has another issuer than the connection")
	}
	if err != nil {
		return nil, errors.Join(p.unavailable(), brief(err))
	}
	var described struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := provider.Claims(&described); err != nil {
		return nil, fmt.Errorf("the description of the provider: %w", err)
	}
	endpoint := provider.Endpoint()
	for _, address := range []string{endpoint.AuthURL, endpoint.TokenURL, described.Keys} {
		if !secureURL(address, p.entry.Issuer) {
			return nil, errors.New("an address in the description of the provider is not an https address")
		}
	}
	// Set the style. Otherwise the library would send a refused code a second time, in the other style.
	endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if p.secret.Reveal() == "" ||
		len(described.Methods) > 0 && !slices.Contains(described.Methods, "client_secret_basic") {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	fresh := &discovered{
		at:       now,
		endpoint: endpoint,
		verifier: provider.Verifier(&oidc.Config{
			ClientID: p.entry.ClientID, SupportedSigningAlgs: algorithms, Now: p.options.Now,
		}),
	}
	p.mu.Lock()
	p.discovered = fresh
	p.mu.Unlock()
	return fresh, nil
}

// brief returns the beginning of an error. The library puts the whole answer of the provider into its errors, up to
// a megabyte, and anybody can cause them to be logged.
func brief(err error) error {
	const most = 500 // bytes
	text := err.Error()
	if len(text) <= most {
		return err
	}
	return errors.New(strings.ToValidUTF8(text[:most], "") + "…")
}

func (p *Provider) config(d *discovered) *oauth2.Config {
	return &oauth2.Config{
		ClientID:     p.entry.ClientID,
		ClientSecret: p.secret.Reveal(),
		Endpoint:     d.endpoint,
		RedirectURL:  p.options.URL + "/console/sso/" + p.entry.ID + "/callback",
		Scopes:       append([]string{oidc.ScopeOpenID, "email"}, p.entry.Scopes...),
	}
}

// exchangeFailed returns the error of an exchange without the provider's answer, which may have a
// token in it.
func (p *Provider) exchangeFailed(err error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return errors.Join(p.unavailable(), brief(err))
	}
	if refused.Response != nil && refused.Response.StatusCode >= http.StatusInternalServerError {
		return errors.Join(p.unavailable(), fmt.Errorf("the token endpoint answered %s", refused.Response.Status))
	}
	return fmt.Errorf("the token endpoint refused the code: %.40q", refused.ErrorCode)
}
