package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/httpapi"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

func TestSignup(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		got := s.send("POST", "/api/signup", "",
			`{"email":" Asha@Example.in ","org_name":" Asha Finance ","password":"correct horse","referrer":"x"}`).
			want(http.StatusCreated)
		got.is("key.environment", "sandbox", "tenant.org_name", "Asha Finance", "tenant.plan", "free",
			"user.email", "asha@example.in", "user.role", "admin", "console_url", "/console")
		key := got.text("api_key")
		if _, ok := tenant.ParseKey(key); !ok || got.text("key", "prefix") != key[:15] {
			s.Errorf("the key %q with the prefix %q", key, got.text("key", "prefix"))
		}
		if warned := got.list("warnings"); len(warned) != 1 {
			s.Errorf("warned of %v", warned)
		}
		got.silent(s, "correct horse")
		if strings.Contains(s.log.String(), key) {
			s.Error("the log has the key")
		}

		m := &member{stack: s, key: key}
		m.get("/v1/usage").want(http.StatusOK).
			is("tenant_id", got.text("tenant", "id"), "environment", "sandbox", "used", 0)
		sets := m.get("/v1/rule-sets?order=asc").want(http.StatusOK)
		if diff := cmp.Diff([]string{"active", "draft"}, sets.column("status")); diff != "" {
			s.Errorf("the sandbox starts with (-want +got):\n%s", diff)
		}
		if first := sets.at("data", 0, "id"); first != got.text("default_rule_set_id") {
			s.Errorf("the default rule set is %v", first)
		}
		if cards := m.get("/v1/scorecards").column("name"); len(cards) != 1 {
			s.Errorf("the scorecards are %v", cards)
		}

		again := s.send("POST", "/api/signup", "", `{
			"email":"ASHA@example.in","org_name":"Other","password":"another horse"
		}`)
		again.refused(http.StatusConflict, "email_taken").silent(s, "ASHA@", "another horse")
	})
}

func TestSignupRace(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		won, lost := raced(s.race(8, func(i int) (answer, error) {
			return s.trySend("POST", "/api/signup", "",
				fmt.Sprintf(`{"email":"one@example.in","org_name":"Lender %d","password":"correct horse"}`, i))
		}), http.StatusCreated)
		if len(won) != 1 {
			s.Errorf("%d won", len(won))
		}
		for _, a := range lost {
			a.refused(http.StatusConflict, "email_taken")
		}
	})
}

func TestSignupFaults(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		for name, c := range map[string]struct {
			body string
			want []string
		}{
			"nothing": {`{}`, []string{"/email required", "/org_name required", "/password required"}},
			"nulls": {
				`{"email":null,"org_name":null,"password":null}`,
				[]string{"/email required", "/org_name required", "/password required"},
			},
			"types": {
				`{"email":1,"org_name":[],"password":true}`,
				[]string{"/email wrong_type", "/org_name wrong_type", "/password wrong_type"},
			},
			"all wrong": {
				`{"email":"ZEBRA at home","org_name":"Z","password":"ZEBRA"}`,
				[]string{"/email invalid_email", "/org_name out_of_range", "/password out_of_range"},
			},
			"seven letters": {
				`{"email":"a@example.in","org_name":"Lender","password":"ééééééé"}`,
				[]string{"/password out_of_range"},
			},
			"long password": {
				`{"email":"a@example.in","org_name":"Lender","password":"` + strings.Repeat("ZEBRA", 205) + `"}`,
				[]string{"/password out_of_range"},
			},
			"email password": {
				`{"email":"zebra@example.in","org_name":"Lender","password":"ZEBRA@example.in"}`,
				[]string{"/password password_is_email"},
			},
			"control": {
				`{"email":"a@example.in","org_name":"ZEBRA\u0007","password":"correct horse"}`,
				[]string{"/org_name invalid_character"},
			},
			"long name": {
				`{"email":"a@example.in","org_name":"` + strings.Repeat("ZEBRA", 25) + `","password":"correct horse"}`,
				[]string{"/org_name out_of_range"},
			},
		} {
			got := s.send("POST", "/api/signup", "", c.body).refused(http.StatusUnprocessableEntity, "invalid_field")
			if diff := cmp.Diff(c.want, got.faults()); diff != "" {
				s.Errorf("%s (-want +got):\n%s", name, diff)
			}
			got.silent(s, "ZEBRA", "zebra", "ééé")
		}
		s.send("POST", "/api/signup", "", `[]`).refused(http.StatusUnprocessableEntity, "invalid_field")
		s.send("POST", "/api/signup", "", ``).refused(http.StatusBadRequest, "malformed_json")
	})
}

func TestSignupThrottle(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{signup: tenant.Rate{Allowance: 6, Window: time.Minute, Burst: 3}}, func(s *stack) {
		for i := range 3 {
			got := s.send("POST", "/api/signup", "", `{}`, fmt.Sprintf("X-Forwarded-For: 203.0.113.%d", i)).
				want(http.StatusUnprocessableEntity)
			if policy := got.header.Get("RateLimit-Policy"); policy != `"signup";q=6;w=60` {
				s.Errorf("the policy is %s", policy)
			}
			if rate := got.header.Get("RateLimit"); !strings.HasPrefix(rate, fmt.Sprintf(`"signup";r=%d;t=`, 2-i)) {
				s.Errorf("the rate is %s", rate)
			}
		}
		// X-Forwarded-For does not change the client address, because no proxy
		// is trusted here.
		got := s.send("POST", "/api/signup", "", `{}`, "X-Forwarded-For: 203.0.113.77").
			refused(http.StatusTooManyRequests, "rate_limited")
		if after := got.header.Get("Retry-After"); after != "10" {
			s.Errorf("come back after %q seconds", after)
		}
		s.clock.advance(10 * time.Second)
		s.send("POST", "/api/signup", "", `{}`).want(http.StatusUnprocessableEntity)
		s.send("POST", "/api/signup", "", `{}`).refused(http.StatusTooManyRequests, "rate_limited")
	})
}

func TestSignupThrottleBehindProxy(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		s = s.otherwise(func(o *httpapi.Options) {
			o.SignupRate = tenant.Rate{Allowance: 1, Window: time.Minute, Burst: 1}
			o.Node = serving.NewNode(serving.Limits{
				TrustedProxies: []netip.Prefix{
					netip.MustParsePrefix("127.0.0.0/8"),
					netip.MustParsePrefix("10.0.0.0/8"),
				},
			})
		}, func(*httptest.Server) {})
		for _, c := range []struct {
			forwarded string
			want      int
		}{
			{"203.0.113.1", http.StatusUnprocessableEntity},
			{"203.0.113.1", http.StatusTooManyRequests},
			{"198.51.100.9, 203.0.113.1", http.StatusTooManyRequests}, // the client has sent the first address
			{"203.0.113.1, 10.1.2.3", http.StatusTooManyRequests},     // through two trusted proxies
			{"203.0.113.2", http.StatusUnprocessableEntity},
			{"2001:db8:1:1::1", http.StatusUnprocessableEntity},
			{"2001:db8:1:1:ffff::2", http.StatusTooManyRequests},
			{"2001:db8:1:2::1", http.StatusUnprocessableEntity},
			{"::ffff:203.0.113.2", http.StatusTooManyRequests},
			{"nonsense", http.StatusUnprocessableEntity}, // counts as the proxy's address
			{"other nonsense", http.StatusTooManyRequests},
		} {
			got := s.send("POST", "/api/signup", "", `{}`, "X-Forwarded-For: "+c.forwarded)
			if got.status != c.want {
				s.Errorf("from %s: %d, want %d", c.forwarded, got.status, c.want)
			}
		}
	})
}
