package console

import (
	"strings"

	"verdict/internal/tenant"
)

// base returns the scheme and host of this server, with the host that the browser sent.
func (v *visit) base() string {
	if v.cookies.secure {
		return "https://" + v.r.Host
	}
	return "http://" + v.r.Host
}

// curl returns an example command for a new key. It chooses a request that the scopes of the
// key allow. base is the address of this server.
func curl(base string, key tenant.Key, scopes tenant.Scopes) string {
	bearer := ` \` + "\n" + `  -H ` + quoted("Authorization: Bearer "+key.Reveal())
	switch {
	case scopes.Has(tenant.Decide):
		return "curl " + quoted(base+"/v1/decisions") + bearer + exampleBody
	case scopes.Has(tenant.Read):
		return "curl " + quoted(base+"/v1/usage") + bearer
	}
	return "curl " + quoted(base+"/v1/health") + bearer
}

// exampleBody is the part of a command that contains an application.
const exampleBody = ` \
  -H 'Content-Type: application/json' \
  -d '{"applicant":{"id":"A-1001","monthly_income":85000,"foir":0.32,"requested_amount":600000},
       "bureau_report":{"score":742,"enquiries_6m":2,"active_tradelines":4,"max_dpd_12m":0}}'`

// curlWithVariable returns an example command that takes the key from the variable VERDICT_KEY of the shell.
func curlWithVariable(base string) string {
	return "curl " + quoted(base+"/v1/decisions") + " \\\n  -H \"Authorization: Bearer $VERDICT_KEY\"" + exampleBody
}

// quoted quotes a text for a shell. The host comes from the request, so it cannot be trusted.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
