package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"verdict/internal/tenant"
)

func TestSignupMode(t *testing.T) {
	t.Parallel()
	body := func(n int, code string) string {
		return fmt.Sprintf(`{
			"email":"mode%d@example.in","org_name":"Mode","password":"correct horse","invite_code":%s
		}`, n, code)
	}
	each(t, stackOptions{mode: tenant.SignupClosed}, func(s *stack) {
		s.send("POST", "/api/signup", "", body(1, "null")).refused(http.StatusForbidden, "signup_closed")
	})
	each(t, stackOptions{mode: tenant.SignupInvite}, func(s *stack) {
		s.send("POST", "/api/signup", "", body(1, "null")).refused(http.StatusForbidden, "invite_code_required")
		s.send("POST", "/api/signup", "", body(1, `"ZEBRA"`)).
			refused(http.StatusForbidden, "invalid_invite_code").silent(s, "ZEBRA")
		code, _, err := s.service.Operator.InviteToSignup(s.Context(), time.Hour)
		if err != nil {
			s.Fatal(err)
		}
		s.send("POST", "/api/signup", "", body(1, `"`+code.Reveal()+`"`)).want(http.StatusCreated)
		s.send("POST", "/api/signup", "", body(2, `"`+code.Reveal()+`"`)).
			refused(http.StatusForbidden, "invalid_invite_code")
	})
	each(t, stackOptions{aDay: 1}, func(s *stack) {
		s.signup()
		got := s.send("POST", "/api/signup", "", body(1, "null")).refused(http.StatusTooManyRequests, "rate_limited")
		if got.header.Get("Retry-After") == "" {
			s.Error("nobody is told when to come back")
		}
	})
}
