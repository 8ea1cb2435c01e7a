package httpapi_test

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/account"
	"verdict/internal/tenant"
)

// raw sends a request after calling change on it, for requests that trySend
// cannot make.
func (s *stack) raw(method, path string, change func(*http.Request)) answer {
	s.Helper()
	request, err := http.NewRequestWithContext(s.Context(), method, s.url+path, nil)
	if err != nil {
		s.Fatal(err)
	}
	change(request)
	got, err := s.do(request)
	if err != nil {
		s.Fatal(err)
	}
	checkContract(s.T, method, path, "", got)
	return got
}

func TestNobodyWithoutAKey(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		unknown, err := tenant.MintKey(tenant.Sandbox, rand.Reader)
		if err != nil {
			s.Fatal(err)
		}
		live := strings.Replace(m.key, "sandbox", "live", 1)
		for _, key := range []string{"", "ZEBRA", unknown.Reveal(), m.key[:len(m.key)-1] + "!", m.key + "x", live} {
			for _, path := range []string{
				"/v1", "/v1/", "/v1/health", "/v1/decisions", "/v1/nothing", "/v1/decisions/ZEBRA/x/y", "/v1/../docs",
				"/v1//decisions",
			} {
				for _, method := range []string{"GET", "POST", "DELETE", "HEAD"} {
					got := s.send(method, path, key, "")
					if got.want(http.StatusUnauthorized); method != "HEAD" {
						got.refused(http.StatusUnauthorized, "unauthenticated").silent(s, "ZEBRA")
					}
					if challenge := got.header.Get("WWW-Authenticate"); challenge != "Bearer" {
						s.Errorf("%s %s: challenged with %q", method, path, challenge)
					}
				}
			}
		}
		m.get("/v1/nothing").refused(http.StatusNotFound, "not_found")
		m.get("/v1//decisions").refused(http.StatusNotFound, "not_found")
	})
}

func TestHowAKeyIsSent(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		bearer := func(values ...string) func(*http.Request) {
			return func(r *http.Request) { r.Header["Authorization"] = values }
		}
		s.raw("GET", "/v1/usage", bearer("bearer "+m.key)).want(http.StatusOK)
		for _, values := range [][]string{
			{"Bearer " + m.key, "Bearer " + m.key}, {"Basic " + m.key}, {m.key}, {"Bearer"}, {"Bearer " + m.key + " x"},
			{"Bearer " + m.key + ", Bearer " + m.key},
		} {
			s.raw("GET", "/v1/usage", bearer(values...)).refused(http.StatusUnauthorized, "unauthenticated")
		}

		escaped := strings.Replace(m.key, "_", "%5F", 2)
		for _, path := range []string{
			"/v1/usage?key=" + m.key, "/v1/usage?" + m.key, "/v1/usage?x=1&key=" + escaped,
			"/v1/usage?x=%zz&key=" + escaped, "/v1/nothing?x=" + m.key, "/v1/decisions?cursor=" + m.key,
		} {
			m.get(path).refused(http.StatusUnauthorized, "unauthenticated").silent(s, m.key, escaped, m.key[15:])
		}
		m.post("/v1/decisions?key="+m.key, sample).refused(http.StatusUnauthorized, "unauthenticated")
		if n := len(m.get("/v1/decisions").list("data")); n != 0 {
			s.Errorf("%d decisions were made with a key in the URL", n)
		}
	})
}

func TestRevokedAndExpired(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		other := m.with(tenant.Sandbox, tenant.Read, m.userID)
		m.get("/v1/usage").want(http.StatusOK)
		id, _ := m.signed["key"].(map[string]any)["id"].(string)
		if _, err := s.service.Operator.RevokeKey(s.Context(), m.tenantID, id); err != nil {
			s.Fatal(err)
		}
		s.clock.advance(stale)
		got := m.get("/v1/usage").refused(http.StatusUnauthorized, "key_revoked")
		if got.header.Get("WWW-Authenticate") != "Bearer" {
			s.Error("no challenge")
		}
		m.get("/v1/nothing").refused(http.StatusUnauthorized, "key_revoked")
		m.post("/v1/decisions", sample).refused(http.StatusUnauthorized, "key_revoked")
		other.get("/v1/usage").want(http.StatusOK)

		expiring, _, err := s.service.Operator.CreateKey(s.Context(), account.NewKey{
			TenantID: m.tenantID, UserID: m.userID, Environment: tenant.Sandbox, Name: "short", Scopes: tenant.Read,
			ExpiresAt: s.clock.now().Add(time.Hour),
		})
		if err != nil {
			s.Fatal(err)
		}
		short := *m
		short.key = expiring.Reveal()
		short.get("/v1/usage").want(http.StatusOK)
		s.clock.advance(time.Hour)
		short.get("/v1/usage").refused(http.StatusUnauthorized, "key_expired")
	})
}

// TestScopes checks which operations a key of each scope may call.
func TestScopes(t *testing.T) {
	t.Parallel()
	const none = "0000000000000000000000000A"
	routes := []struct {
		method, path, body string
		scope              tenant.Scopes
	}{
		{"GET", "/v1/health", "", 0},
		{"POST", "/v1/decisions", `{}`, tenant.Decide},
		{"POST", "/v1/decisions/preview", `{}`, tenant.Decide},
		{"POST", "/v1/eligibility", `{}`, tenant.Decide},
		{"POST", "/v1/decisions/dec_" + none + "/review", `{"outcome":"upheld"}`, tenant.Decide},
		{"POST", "/v1/scorecards", `{"input":{}}`, tenant.Decide},
		{"GET", "/v1/decisions", "", tenant.Read},
		{"GET", "/v1/decisions/dec_" + none, "", tenant.Read},
		{"GET", "/v1/policies", "", tenant.Read},
		{"GET", "/v1/rule-sets", "", tenant.Read},
		{"GET", "/v1/rule-sets/pol_" + none, "", tenant.Read},
		{"GET", "/v1/scorecards", "", tenant.Read},
		{"GET", "/v1/usage", "", tenant.Read},
		{"GET", "/v1/audit", "", tenant.Read},
		{"POST", "/v1/rule-sets", `{}`, tenant.PolicyWrite},
		{"POST", "/v1/scorecards", `{}`, tenant.PolicyWrite},
		{"POST", "/v1/rule-sets/pol_" + none + "/activate", "", tenant.PolicyActivate},
	}
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, has := range []tenant.Scopes{
			tenant.Decide, tenant.Read, tenant.PolicyWrite, tenant.PolicyActivate, tenant.Admin,
		} {
			caller := m.with(tenant.Sandbox, has, m.userID)
			for _, r := range routes {
				got := s.send(r.method, r.path, caller.key, r.body)
				if r.scope == 0 || has.Has(r.scope) {
					if got.status == http.StatusForbidden || got.status >= 500 {
						s.Errorf("%s with %s: %d %s", got.sent, has, got.status, got.body)
					}
					continue
				}
				got.refused(http.StatusForbidden, "insufficient_scope")
				if !slices.Contains(strings.FieldsFunc(got.text("detail"), func(c rune) bool {
					return c != ':' && (c < 'a' || c > 'z')
				}), r.scope.String()) {
					s.Errorf("%s with %s: %q does not name the scope %s", got.sent, has, got.text("detail"), r.scope)
				}
			}
		}
	})
}
