package httpapi_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// confusions are values of every type, sent in place of a value of another
// type. A refusal must not repeat the planted values among them.
var confusions = []string{
	"null", "true", "false", "0", "-" + plantedNumber, plantedNumber + "e298", plantedNumber + "e400",
	plantedNumber + "e-400", "0.1" + plantedNumber, `""`, `"` + plantedNumber + `"`,
	`"` + plantedText + strings.Repeat("x", 20_000) + `"`, `"` + plantedText + `"`, `"1e9"`, `"null"`, `[]`, `{}`,
	`["` + plantedText + `"]`, `{"name":` + plantedNumber + `}`, `[null]`, `{"":null}`,
	strings.Repeat("[", 60) + strings.Repeat("]", 60), strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60),
}

// attackTypes replaces values of every example by values of all types: every
// combination with VERDICT_LONG, otherwise a random sample.
func attackTypes(r *raid) {
	for _, request := range r.requests {
		if request.body == "" {
			continue
		}
		body := r.ids.fill(request.body)
		whole := readBody(r.T, body)
		for _, at := range places(whole, nil) {
			if at.overridden(whole) {
				continue
			}
			for _, value := range confusions {
				if !r.some(60) {
					continue
				}
				key := r.owner.key
				if public(request.operation) {
					key = ""
				}
				r.what = fmt.Sprintf("%.60s at %q of %s", value, at.pointer(), request.name)
				got := r.try(request.method, r.ids.fill(request.path), key,
					at.with(r.T, body, value), request.headers...)
				if got.status == http.StatusUnprocessableEntity {
					r.pointed(got)
				}
			}
		}
	}
	r.stillServes()
}

// pointed fails unless every fault of a refusal has a JSON pointer.
func (r *raid) pointed(got answer) {
	r.Helper()
	items := got.list("errors")
	whole := []string{"no_rows", "empty_csv", "no_column_names"} // refusals of the whole body, without a pointer
	if len(items) == 0 && !slices.Contains(whole, got.text("code")) {
		r.Errorf("%s: a refusal that does not say what is wrong: %s", r.what, got.body)
	}
	for _, item := range items {
		item, _ := item.(map[string]any)
		pointer, isText := item["pointer"].(string)
		if !isText || pointer != "" && pointer[0] != '/' {
			r.Errorf("%s: %q is no pointer", r.what, pointer)
		}
	}
}

// stillServes fails unless the service still decides for a new tenant.
func (r *raid) stillServes() {
	r.Helper()
	fresh := r.signup()
	fresh.post("/v1/decisions", sample).want(http.StatusOK).is("status", "APPROVED")
}

// assignments are members with which a caller might try to set fields that
// callers must not set (mass assignment).
var assignments = map[string]string{
	"id": `"dec_01KA2W4Q8N5T7XJ3RZB6MCDVHE"`, "tenant_id": `"ten_01KA2W4Q8N5T7XJ3RZB6MCDVHE"`,
	"environment": `"live"`, "status": `"active"`, "role": `"admin"`,
	"plan": `"enterprise"`, "quota": plantedNumber, "created_at": `"1999-01-01T00:00:00Z"`,
	"created_by": `"` + plantedText + `"`, "is_admin": "true", "scopes": `["admin"]`,
	"checksum": `"` + plantedText + `"`, "version": plantedNumber,
	"decision_hash": `"` + plantedText + `"`, "__proto__": `{"is_admin":true}`,
	"constructor": `{"prototype":{"is_admin":true}}`, "$ne": "null", "_method": `"DELETE"`,
	"api_key": `"` + plantedText + `"`, "password_hash": `"` + plantedText + `"`,
	"user": `{"role":"admin"}`, "tenant": `{"plan":"enterprise"}`, "active": "true",
	"billable": "false", "warnings": `["` + plantedText + `"]`,
}

// attackMembers adds undeclared members to every object of every example. The
// request must be refused, or answered as if the members were absent, except
// for a warning or an entry among the lender's own facts.
func attackMembers(r *raid) {
	for _, request := range r.requests {
		if request.body == "" || public(request.operation) {
			continue
		}
		body, path := r.ids.fill(request.body), r.ids.fill(request.path)
		for _, at := range places(readBody(r.T, body), nil) {
			object, isObject := at.at(readBody(r.T, body)).(map[string]any)
			if !isObject {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(assignments)) {
				if _, has := object[name]; has || at.declares(schemaOf(request.operation), name) || !r.some(30) {
					continue
				}
				r.what = fmt.Sprintf("%s in %q of %s", name, at.pointer(), request.name)
				got := r.try(request.method, path, r.owner.key,
					at.plus(r.T, body, name, assignments[name]), request.headers...)
				// A batch refuses single applications inside its answer.
				refused := strings.HasSuffix(path, "/batch") && strings.Contains(string(got.body), `"error":`)
				if got.status < http.StatusBadRequest && !refused {
					r.withoutEffect(request, body, name, got)
				}
			}
		}
	}
	r.attackSignup()
	r.stillServes()
}

// attackSignup adds undeclared members to signups, which need a new email
// address each time.
func (r *raid) attackSignup() {
	signup := func(email, members string) answer {
		return r.try("POST", "/api/signup", "", `{
			"email":"`+email+`","org_name":"New Finance","password":"`+plantedPassword+`"`+members+`
		}`)
	}
	plain := signup("plain@example.in", "").want(http.StatusCreated)
	for i, name := range slices.Sorted(maps.Keys(assignments)) {
		got := signup(fmt.Sprintf("new%d@example.in", i), `,"`+name+`":`+assignments[name]).want(http.StatusCreated)
		apart := cmp.FilterPath(func(p cmp.Path) bool {
			last := p.Last().String()
			return last == `["api_key"]` || last == `["prefix"]` || last == `["email"]`
		}, cmp.Ignore())
		diff := cmp.Diff(less(timeless(r.T, plain.body), name), less(timeless(r.T, got.body), name), apart)
		if diff != "" {
			r.Errorf("a signup with %s gets another answer:\n%s", name, diff)
		}
	}
}

// withoutEffect fails if the answer differs from the answer to the unchanged
// example. If the unchanged example itself is answered differently each time,
// for instance with a new version, withoutEffect only checks that the answer
// does not contain a planted value.
func (r *raid) withoutEffect(request exampleRequest, body, name string, got answer) {
	r.Helper()
	send := func() any {
		a := r.send(request.method, r.ids.fill(request.path), r.owner.key, body, request.headers...)
		return less(timeless(r.T, a.body), name)
	}
	shown := less(timeless(r.T, got.body), name)
	if text := encode(r.T, shown); strings.Contains(text, plantedText) || strings.Contains(text, plantedNumber) {
		r.Errorf("%s: the answer has it: %s", r.what, text)
	}
	first, second := send(), send()
	if !cmp.Equal(first, second) {
		return
	}
	if diff := cmp.Diff(first, shown); diff != "" {
		r.Errorf("%s gets another answer:\n%s", r.what, diff)
	}
}

// less removes warnings, ignored columns and the duration from an answer. It
// also removes the facts named after the added member, because a lender may
// send any fact.
func less(value any, name string) any {
	switch value := value.(type) {
	case map[string]any:
		for _, apart := range []string{"warnings", "columns_ignored", "duration_ms"} {
			delete(value, apart)
		}
		for member := range value {
			if strings.Contains(member+".", "."+name+".") {
				delete(value, member)
				continue
			}
			value[member] = less(value[member], name)
		}
	case []any:
		for i := range value {
			value[i] = less(value[i], name)
		}
	}
	return value
}
