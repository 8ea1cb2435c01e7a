package httpapi_test

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"verdict/internal/account"
	"verdict/internal/httpapi"
	"verdict/internal/tenant"
)

// credential is an invalid way to authenticate a request, and the refusal that
// it must get.
type credential struct {
	name    string
	headers []string // values of the Authorization header
	query   string
	status  int
	code    string
}

// attackCredentials calls every operation with malformed, unknown, revoked and
// expired keys, and with keys of the wrong scope, tenant or environment.
func attackCredentials(r *raid) {
	wrong := r.wrongCredentials()
	reader := r.handler()
	for _, request := range r.requests {
		if public(request.operation) {
			continue
		}
		path, body := r.ids.fill(request.path), r.ids.fill(request.body)
		for _, c := range wrong {
			if r.some(8) {
				r.tryCredential(reader, request, c, path, body)
			}
		}
		r.underScope(request, path, body)
	}
	r.elsewhere()
	r.stillServes()
}

// wrongCredentials returns credentials that every operation must refuse.
func (r *raid) wrongCredentials() (list []credential) {
	r.Helper()
	unknown, err := tenant.MintKey(tenant.Sandbox, rand.Reader)
	if err != nil {
		r.Fatal(err)
	}
	mint := func(expires time.Time) (key, id string) {
		minted, made, err := r.service.Operator.CreateKey(r.Context(), account.NewKey{
			TenantID: r.owner.tenantID, UserID: r.owner.userID, Environment: tenant.Sandbox, Name: "attack",
			Scopes: tenant.Admin, ExpiresAt: expires,
		})
		if err != nil {
			r.Fatal(err)
		}
		return minted.Reveal(), made.ID
	}
	revoked, id := mint(time.Time{})
	if _, err := r.service.Operator.RevokeKey(r.Context(), r.owner.tenantID, id); err != nil {
		r.Fatal(err)
	}
	expired, _ := mint(r.clock.now().Add(time.Minute))
	r.clock.advance(2 * time.Minute)
	key := r.owner.key
	bearer := func(name, text string) {
		list = append(list, credential{name, []string{"Bearer " + text}, "", 401, "unauthenticated"})
	}
	bearer("nothing behind the scheme", "")
	bearer("a word", plantedText)
	bearer("an unknown key", unknown.Reveal())
	bearer("a key cut short", key[:len(key)-1])
	bearer("a key with more", key+"0")
	bearer("another last letter", key[:len(key)-1]+"~")
	bearer("only the prefix", key[:15])
	bearer("lower case", strings.ToLower(key))
	bearer("upper case", strings.ToUpper(key))
	bearer("the other environment's name", strings.Replace(key, "sandbox", "live", 1))
	bearer("a space inside", key[:20]+" "+key[20:])
	bearer("a tab inside", key[:20]+"\t"+key[20:])
	bearer("quotes", `"`+key+`"`)
	bearer("a comma", key+","+key)
	bearer("percent signs", strings.ReplaceAll(key, "_", "%5F"))
	bearer("bytes that are no text", key[:20]+"\xff\xfe"+key[20:])
	bearer("a wide letter", key[:20]+"Ａ"+key[20:])
	bearer("SQL", `' OR '1'='1`)
	bearer("a star", "*")
	bearer("12 KiB", key+strings.Repeat("A", 12<<10))
	return append(list,
		credential{"no header", nil, "", 401, "unauthenticated"},
		credential{"an empty header", []string{""}, "", 401, "unauthenticated"},
		credential{"another scheme", []string{"Basic " + key}, "", 401, "unauthenticated"},
		credential{"no scheme", []string{key}, "", 401, "unauthenticated"},
		credential{"two headers", []string{"Bearer " + key, "Bearer " + key}, "", 401, "unauthenticated"},
		credential{
			name:    "two headers, one right",
			headers: []string{"Bearer " + unknown.Reveal(), "Bearer " + key},
			status:  401,
			code:    "unauthenticated",
		},
		credential{"in the query as well", []string{"Bearer " + key}, "key=" + key, 401, "unauthenticated"},
		credential{"in the query alone", nil, "access_token=" + key, 401, "unauthenticated"},
		credential{"revoked", []string{"Bearer " + revoked}, "", 401, "key_revoked"},
		credential{"expired", []string{"Bearer " + expired}, "", 401, "key_expired"},
	)
}

// handler returns the API without a socket, so that a test can count how many
// bytes of a body the API reads.
func (r *raid) handler() http.Handler {
	r.Helper()
	api, err := httpapi.New(r.service, httpapi.Options{Now: r.clock.now, Logger: r.log.logger()})
	if err != nil {
		r.Fatal(err)
	}
	return api
}

// measured is a body that counts the bytes read from it.
type measured struct {
	*bytes.Reader
	read int64
}

func (c *measured) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.read += int64(n)
	return n, err
}

// tryCredential sends a request with one credential. It fails unless the request is refused as expected, before any
// byte of the body is read.
func (r *raid) tryCredential(handler http.Handler, request exampleRequest, c credential, path, body string) {
	r.Helper()
	if c.query != "" {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		path += separator + c.query
	}
	sent := &measured{Reader: bytes.NewReader([]byte(body))}
	asked := httptest.NewRequestWithContext(r.Context(), request.method, path, sent)
	asked.Header["Authorization"] = c.headers
	asked.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, asked)
	got := answer{
		t:      r.T,
		status: w.Code,
		header: w.Header(),
		body:   w.Body.Bytes(),
		sent:   c.name + " to " + request.name,
	}
	checkContract(r.T, request.method, path, body, got)
	r.judge(got)
	got.refused(c.status, c.code)
	if got.header.Get("WWW-Authenticate") != "Bearer" {
		r.Errorf("%s: challenged with %q", got.sent, got.header.Get("WWW-Authenticate"))
	}
	if sent.read > 0 {
		r.Errorf("%s: %d bytes of the body were read", got.sent, sent.read)
	}
}

// underScope calls an operation with keys of one scope each. A scope that the contract does not name for the operation
// must be refused. If the contract names only one scope, that scope must be accepted.
func (r *raid) underScope(request exampleRequest, path, body string) {
	r.Helper()
	text, _ := request.operation.Extensions["x-scope"].(string)
	words := strings.FieldsFunc(text, func(c rune) bool { return c != ':' && (c < 'a' || c > 'z') })
	for _, scope := range []tenant.Scopes{tenant.Decide, tenant.Read, tenant.PolicyWrite, tenant.PolicyActivate} {
		asked := slices.Contains(words, scope.String())
		if !r.some(3) || request.operation.OperationID == "getHealth" {
			continue
		}
		if !asked && text == "" {
			r.Errorf("%s: the contract does not say which scope it needs", request.name)
		}
		caller := r.owner.with(tenant.Sandbox, scope, r.owner.userID)
		got := r.try(request.method, path, caller.key, body, request.headers...)
		refused := got.status == http.StatusForbidden
		if !asked && !refused && request.status < http.StatusBadRequest {
			r.Errorf("%s with only %s: %d, want 403", request.name, scope, got.status)
		}
		if asked && refused && len(words) == 1 {
			r.Errorf("%s with %s: %d, want to be let in", request.name, scope, got.status)
		}
	}
}

// elsewhere sends every request as another tenant, and as the same tenant in
// the other environment. A resource named by its id must not be found.
func (r *raid) elsewhere() {
	r.Helper()
	stranger := r.signup()
	for _, sender := range []*member{
		stranger,
		stranger.with(tenant.Live, tenant.Admin, stranger.userID),
		r.owner.with(tenant.Live, tenant.Admin, r.owner.userID),
	} {
		for _, request := range r.requests {
			if public(request.operation) || !r.some(2) {
				continue
			}
			// Skip these operations, because they succeed for the sender. The first two create a list or a table
			// with the same name that belongs to the sender. The third finds the sender's own applicant with the
			// same reference.
			own := []string{"replaceList", "replaceTable", "getApplicant"}
			if slices.Contains(own, request.operation.OperationID) {
				continue
			}
			got := r.try(request.method, r.ids.fill(request.path), sender.key,
				r.ids.fill(request.body), request.headers...)
			path, _, _ := strings.Cut(request.path, "?")
			if strings.Contains(path, "{") && request.status < http.StatusBadRequest &&
				got.status != http.StatusNotFound {
				r.Errorf("%s by somebody else: %d, want 404: %s", request.name, got.status, got.body)
			}
			if sender.tenantID != r.owner.tenantID && strings.Contains(string(got.body), r.owner.tenantID) {
				r.Errorf("%s by somebody else names the owner: %s", request.name, got.body)
			}
		}
	}
}
