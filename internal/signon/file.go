package signon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

// entry is a connection as the file describes it.
type entry struct {
	ID           string                 `json:"id"`
	Name         string                 `json:"name"`
	Tenant       string                 `json:"tenant"`
	Issuer       string                 `json:"issuer"`
	ClientID     string                 `json:"client_id"`
	ClientSecret string                 `json:"client_secret"` // file:PATH or env:NAME
	Domains      []string               `json:"domains"`
	GroupsClaim  string                 `json:"groups_claim"`
	Roles        map[string]tenant.Role `json:"roles"`
	DefaultRole  tenant.Role            `json:"default_role"`
	Require      map[string]string      `json:"require"`
	Scopes       []string               `json:"scopes"`
	Hidden       bool                   `json:"hidden"`
}

const (
	maxFile        = 1 << 20
	maxConnections = 1000
	maxSecret      = 4 << 10
)

// Read reads the connections of a file. getenv looks up the environment variables that contain
// secrets. Read returns all faults together; they name the connection and the member, but not the
// value.
func Read(text []byte, o Options, getenv func(string) string) ([]account.Connection, error) {
	var file struct {
		Connections []entry `json:"connections"`
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("must have at most %d bytes", maxFile)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("must be a JSON object with the member \"connections\": %w", plain(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("must have nothing after the JSON object")
	}
	if len(file.Connections) > maxConnections {
		return nil, fmt.Errorf("must have at most %d connections", maxConnections)
	}
	var list []account.Connection
	var wrong []error
	seen := map[string]bool{}
	for i, e := range file.Connections {
		faults := e.faults()
		if seen[e.ID] {
			faults = append(faults, "id: another connection has it")
		}
		seen[e.ID] = true
		secret, err := readSecret(e.ClientSecret, getenv)
		if err != nil {
			faults = append(faults, "client_secret: "+err.Error())
		}
		for _, f := range faults {
			wrong = append(wrong, fmt.Errorf("/connections/%d/%s", i, f))
		}
		list = append(list, e.connection(newProvider(e, secret, o)))
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return list, nil
}

// plain returns an error of the JSON decoder without the text of the file, which may be a secret.
func plain(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Errorf("%s has the wrong type", kind.Field)
	case strings.Contains(err.Error(), "unknown field"):
		return err // names the member
	}
	return errors.New("not JSON")
}

func (e entry) connection(p *Provider) account.Connection {
	return account.Connection{
		ID:          e.ID,
		Name:        e.Name,
		TenantID:    e.Tenant,
		Issuer:      e.Issuer,
		Domains:     e.Domains,
		Roles:       e.Roles,
		DefaultRole: e.DefaultRole,
		Hidden:      e.Hidden,
		Provider:    p,
	}
}

var (
	idForm     = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	domainForm = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)
)

// sharedIssuers are issuers at which anybody can have an account, with the claim that names the
// organisation.
var sharedIssuers = map[string]string{"https://accounts.google.com": "hd"}

// faults returns what is wrong with an entry. Each text begins with the member that it is about.
func (e entry) faults() (wrong []string) {
	add := func(bad bool, text string) {
		if bad {
			wrong = append(wrong, text)
		}
	}
	add(!idForm.MatchString(e.ID), "id: must be 1 to 40 lower-case letters, digits and hyphens")
	add(e.Name == "" || len(e.Name) > 60, "name: must have 1 to 60 bytes")
	add(!tenant.Valid(tenant.KindTenant, e.Tenant), "tenant: must be the id of a tenant (ten_…)")
	add(e.ClientID == "", "client_id: must not be empty")
	add(!secureURL(e.Issuer, e.Issuer), "issuer: must be an https address without a query "+
		"(http only with a loopback address)")
	add(len(e.Domains) == 0, "domains: must name at least one e-mail domain")
	add(slices.ContainsFunc(e.Domains, func(d string) bool { return !domainForm.MatchString(d) }),
		"domains: must be lower-case domains such as example.in")
	add(len(e.Roles) == 0 && e.DefaultRole == "", "roles: give \"roles\" or \"default_role\", or nobody can sign in")
	add(e.DefaultRole != "" && e.DefaultRole.Scopes() == 0, "default_role: must be admin, risk or viewer")
	for group, role := range e.Roles {
		add(group == "" || role.Scopes() == 0, "roles: must map groups to admin, risk or viewer")
	}
	if claim := sharedIssuers[e.Issuer]; claim != "" && e.Require[claim] == "" {
		wrong = append(wrong, "require: anybody can have an account at this issuer; require the claim \""+claim+"\"")
	}
	return wrong
}

// secureURL reports whether an address of a provider uses https. It also accepts http if the issuer
// is at a loopback address of this machine, as in tests.
func secureURL(address, issuer string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	if u.Scheme == "https" {
		return u.RawQuery == "" || address != issuer
	}
	from, err := url.Parse(issuer)
	if err != nil || u.Scheme != "http" || from.Scheme != "http" || u.Host != from.Host {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.IsLoopback()
}

// readSecret reads the secret of a client from a file or an environment variable; "" means that
// the client has none.
func readSecret(source string, getenv func(string) string) (tenant.Secret, error) {
	kind, name, _ := strings.Cut(source, ":")
	var text string
	switch kind {
	case "":
		if name != "" {
			return tenant.Secret{}, errSource
		}
		return tenant.Secret{}, nil
	case "env":
		text = getenv(name)
	case "file":
		content, err := os.ReadFile(name)
		if err != nil {
			return tenant.Secret{}, err
		}
		text = strings.TrimRight(string(content), "\r\n")
	default:
		return tenant.Secret{}, errSource
	}
	if text == "" || len(text) > maxSecret {
		return tenant.Secret{}, fmt.Errorf("the %s must hold 1 to %d bytes", kind, maxSecret)
	}
	return tenant.NewSecret(text), nil
}

var errSource = errors.New("must be file:PATH or env:NAME, so that the secret is not in this file")
