package account

import (
	"context"
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"verdict/internal/admission"
	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// Connection connects an identity provider with one tenant (ADR 34).
type Connection struct {
	ID       string
	Name     string // the name of the provider that people see
	TenantID string
	Issuer   string
	Domains  []string               // the e-mail domains of the people whom it may sign in
	Roles    map[string]tenant.Role // by group; if there are none, administrators set roles
	// DefaultRole is the role of people who are in no group of Roles, or "" if such people cannot sign in. If Roles is
	// empty, it is the role of new people only.
	DefaultRole tenant.Role
	Hidden      bool // the sign-in page has no link to it
	Provider    Provider
}

// Provider speaks the protocol with an identity provider. An error is a *fault.Error of kind Unavailable, or it says
// why the provider's answer was refused. Errors of the second kind are logged and not shown.
type Provider interface {
	// Start returns the address of the provider's sign-in page.
	Start(ctx context.Context, f Flow) (string, error)
	// Finish exchanges the code that the provider gave to the browser, and returns the verified
	// statements about the person.
	Finish(ctx context.Context, f Flow, code string) (Identity, error)
}

// Flow holds the values that bind the parts of one sign-in together.
type Flow struct{ State, Nonce, Verifier string }

// Identity has the statements of a provider about a person.
type Identity struct {
	Issuer, Subject string
	Email           string
	EmailVerified   bool
	Groups          []string
}

// SignOn signs people in through identity providers.
type SignOn struct {
	*shared
	access      *Access
	connections []Connection
}

// Listed returns the connections that the sign-in page shows.
func (s *SignOn) Listed() []Connection {
	return slices.DeleteFunc(slices.Clone(s.connections), func(c Connection) bool { return c.Hidden })
}

// OfTenant returns the connections of a tenant.
func (s *SignOn) OfTenant(tenantID string) []Connection {
	return slices.DeleteFunc(slices.Clone(s.connections), func(c Connection) bool { return c.TenantID != tenantID })
}

// Connection returns a connection, or NotFound.
func (s *SignOn) Connection(id string) (Connection, error) { return s.connection(id) }

func (s *SignOn) connection(id string) (Connection, error) {
	at := slices.IndexFunc(s.connections, func(c Connection) bool { return c.ID == id })
	if at < 0 {
		return Connection{}, fault.Missing("connection")
	}
	return s.connections[at], nil
}

// Begun is the beginning of a sign-in. The browser keeps Cookie until it comes back, and goes to URL.
type Begun struct{ URL, Cookie string }

// Begin begins a sign-in with a connection. next is the page to show afterwards. current is the id of the
// session that the browser has and that the person agreed to replace, or "" if there is none. Begin refuses
// with sign_on_unavailable if the provider does not answer, and with login_throttled after too many attempts.
func (s *SignOn) Begin(ctx context.Context, connectionID, next, current string, at Client) (Begun, error) {
	return s.begin(ctx, connectionID, flowTicket{next: next, session: current}, at)
}

// BeginLink begins to link a person's account with a connection of the person's tenant. The person must enter the
// password again, so that nobody else can link the account in an unlocked browser.
func (s *SignOn) BeginLink(
	ctx context.Context, c Session, password tenant.Secret, connectionID string, at Client,
) (Begun, error) {
	connection, err := s.connection(connectionID)
	if err == nil && connection.TenantID != c.Tenant.ID {
		err = fault.Missing("connection")
	}
	if err == nil {
		_, err = s.access.ownPassword(ctx, c, password)
	}
	if err != nil {
		return Begun{}, err
	}
	return s.begin(ctx, connectionID, flowTicket{linkUser: c.User.ID, session: c.ID}, at)
}

// flowLife is how long somebody may take to sign in at the provider. maxNext is the maximum length, in bytes, of the
// address of the page to show afterwards.
const (
	flowLife = 10 * time.Minute
	maxNext  = 1024
)

// flowTicket is the content of the cookie of a sign-in.
type flowTicket struct {
	linkUser string // the person whose account is to be linked, "" to sign in
	session  string // the session that the browser had when the sign-in began, "" for none
	next     string
}

func (s *SignOn) begin(ctx context.Context, connectionID string, t flowTicket, at Client) (Begun, error) {
	connection, err := s.connection(connectionID)
	if err != nil {
		return Begun{}, err
	}
	if len(t.next) > maxNext {
		t.next = ""
	}

	now := s.core.Moment()
	returnTokens, err := s.access.takeAll(now, bucketOf{"address " + network(at.Address), s.options.Logins.Address})
	if err != nil {
		return Begun{}, err
	}

	seed := make([]byte, 16)
	if _, err := io.ReadFull(s.core.Random, seed); err != nil {
		return Begun{}, fmt.Errorf("begin a sign-in: %w", err)
	}

	text := strings.Join([]string{
		base64.RawURLEncoding.EncodeToString(seed), connection.ID, t.linkUser,
		now.Add(flowLife).UTC().Format(time.RFC3339), t.next, t.session,
	}, "\n")
	mark, err := s.keyedHash(ctx, "sign-on cookie", text)
	if err != nil {
		return Begun{}, err
	}

	flow, err := s.flow(ctx, text)
	if err != nil {
		return Begun{}, err
	}

	address, err := waiting(ctx, func() (string, error) { return connection.Provider.Start(ctx, flow) })
	if err != nil {
		return Begun{}, s.failed(ctx, connection, err)
	}

	returnTokens()
	return Begun{address, base64.RawURLEncoding.EncodeToString([]byte(text)) + "." + mark}, nil
}

// flow derives the values of a sign-in from the content of its cookie.
func (s *SignOn) flow(ctx context.Context, text string) (f Flow, err error) {
	for purpose, value := range map[string]*string{"state": &f.State, "nonce": &f.Nonce, "verifier": &f.Verifier} {
		if *value, err = s.keyedHash(ctx, "sign-on "+purpose, text); err != nil {
			return Flow{}, err
		}
	}
	return f, nil
}

// waiting calls a function that waits for an identity provider. The request holds no processor slot while it waits.
func waiting[T any](ctx context.Context, do func() (T, error)) (T, error) {
	slot := admission.SlotOf(ctx)
	slot.Park()
	defer slot.Unpark()
	return do()
}

// Returned has the data that a browser brings back from a provider.
type Returned struct {
	Connection string // from the address of the page
	Cookie     string
	Session    string // the id of the session that the browser has now, "" for none
	State      string
	Code       string
	Issuer     string // "" if the provider does not send it
	Error      string // why the provider refused, "" if it did not
}

// ticket checks the data that a browser brought back, and returns the content of its cookie and the values of the
// sign-in.
func (s *SignOn) ticket(ctx context.Context, r Returned) (flowTicket, Flow, error) {
	stale := fault.New(fault.Unauthenticated, fault.CodeSignOnFailed,
		"this sign-in was not begun in this browser, was begun again, or took too long; start again")
	encoded, mark, _ := strings.Cut(r.Cookie, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return flowTicket{}, Flow{}, stale
	}

	want, err := s.keyedHash(ctx, "sign-on cookie", string(text))
	if err != nil {
		return flowTicket{}, Flow{}, err
	}

	parts := strings.Split(string(text), "\n")
	if !hmac.Equal([]byte(want), []byte(mark)) || len(parts) != 6 {
		return flowTicket{}, Flow{}, stale
	}

	flow, err := s.flow(ctx, string(text))
	if err != nil {
		return flowTicket{}, Flow{}, err
	}

	ends, err := time.Parse(time.RFC3339, parts[3])
	if err != nil || !s.core.Now().Before(ends) || parts[1] != r.Connection ||
		!hmac.Equal([]byte(flow.State), []byte(r.State)) {
		return flowTicket{}, Flow{}, stale
	}

	return flowTicket{linkUser: parts[2], next: parts[4], session: parts[5]}, flow, nil
}

// identify finishes a sign-in at the provider.
func (s *SignOn) identify(
	ctx context.Context, r Returned, at Client,
) (c Connection, id Identity, t flowTicket, admitted func(), err error) {
	if c, err = s.connection(r.Connection); err != nil {
		return c, id, t, nil, err
	}

	admitted, err = s.access.takeAll(s.core.Moment(),
		bucketOf{"address " + network(at.Address), s.options.Logins.Address})
	if err != nil {
		return c, id, t, nil, err
	}

	t, flow, err := s.ticket(ctx, r)
	switch {
	case err != nil:
		return c, id, t, nil, err
	case r.Session != "" && r.Session != t.session:
		return c, id, t, nil, fault.New(fault.Conflict, fault.CodeSessionInUse,
			"this browser was signed in while you were at %s, and that session stays; start again to replace it",
			c.Name)
	case r.Issuer != "" && r.Issuer != c.Issuer:
		return c, id, t, nil, s.failed(ctx, c, errOtherIssuer)
	case r.Error != "" || r.Code == "":
		return c, id, t, nil, fault.New(fault.Unauthenticated, fault.CodeSignOnFailed,
			"%s did not sign you in; start again", c.Name)
	}

	id, err = waiting(ctx, func() (Identity, error) { return c.Provider.Finish(ctx, flow, r.Code) })
	if err != nil {
		return c, id, t, nil, s.failed(ctx, c, err)
	}

	id.Email, err = c.address(id)
	return c, id, t, admitted, err
}

var errOtherIssuer = errors.New("the callback names another issuer")

// failed logs why a sign-in failed, and returns the refusal that people see. The log line is the only place that has
// the cause. The refusal does not contain the cause, so the line about the request does not repeat it.
func (s *SignOn) failed(ctx context.Context, c Connection, err error) error {
	s.core.Logger.WarnContext(ctx, "sign-on failed; the person was not signed in",
		"connection", c.ID, "tenant_id", c.TenantID, "error", err)
	if refusal := fault.Of(err); refusal != nil {
		return refusal
	}
	return fault.New(fault.Unauthenticated, fault.CodeSignOnFailed,
		"the answer of %s could not be accepted, so you are not signed in; start again, and if this happens again, "+
			"tell the operator of this service", c.Name)
}

// address returns the e-mail address of a person, in lower case. It refuses an address that is not
// verified or not in a domain of the connection.
func (c Connection) address(id Identity) (string, error) {
	email, ok := tenant.NormaliseEmail(id.Email)
	_, domain, _ := strings.Cut(email, "@")
	switch {
	case !ok || !id.EmailVerified:
		return "", fault.New(fault.Forbidden, fault.CodeSignOnRefused,
			"%s does not state a verified e-mail address for you; ask its administrator to verify your address", c.Name)
	case !slices.Contains(c.Domains, domain):
		return "", fault.New(fault.Forbidden, fault.CodeSignOnRefused,
			"your e-mail address at %s belongs to a domain that may not sign in here; ask the operator of this "+
				"service to add the domain", c.Name)
	}
	return email, nil
}

// role returns the most powerful role that the groups of a person give. If they give none, it returns the default role,
// which may be "". The default is not compared with the groups: a group can also give less than the default.
func (c Connection) role(groups []string) tenant.Role {
	for _, role := range tenant.Roles() {
		if slices.ContainsFunc(groups, func(g string) bool { return c.Roles[g] == role }) {
			return role
		}
	}
	return c.DefaultRole
}
