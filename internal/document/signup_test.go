package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/tenant"
	"verdict/internal/wire"
)

func parse(t *testing.T, body string) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSignup(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, body, email, org, password string
		warned                           []string
	}{
		{
			name:     "as documented",
			body:     `{"email":"admin@example.in","org_name":"Asha Finance","password":"s3cret-pass"}`,
			email:    "admin@example.in",
			org:      "Asha Finance",
			password: "s3cret-pass",
		},
		{
			name:     "normalised",
			body:     `{"password":"  spaces stay  ","org_name":"\u00a0 Asha  Finance ","email":" Admin@Example.IN "}`,
			email:    "admin@example.in",
			org:      "Asha  Finance",
			password: "  spaces stay  ",
		},
		{
			name:     "at the bounds",
			body:     `{"email":"a@b.in","org_name":"` + strings.Repeat("ऋ", 120) + `","password":"अआइईउऊऋए"}`,
			email:    "a@b.in",
			org:      strings.Repeat("ऋ", 120),
			password: "अआइईउऊऋए",
		},
		{
			name:     "joiners of Indian scripts",
			body:     `{"email":"a@b.in","org_name":"श्री\u200dराम","password":"12345678"}`,
			email:    "a@b.in",
			org:      "श्री\u200dराम",
			password: "12345678",
		},
		{
			name:     "longest password",
			body:     `{"email":"a@b.in","org_name":"AF","password":"` + strings.Repeat("p", 1024) + `"}`,
			email:    "a@b.in",
			org:      "AF",
			password: strings.Repeat("p", 1024),
		},
		{
			name: "unknown members are warned of",
			body: `{
				"email":"a@b.in","org_name":"AF","password":"12345678","plan":"enterprise","a/b":null,
				"` + strings.Repeat("n", 65) + `":1
			}`,
			email: "a@b.in", org: "AF", password: "12345678", warned: []string{"/plan", "/a~1b", ""},
		},
	} {
		got, warnings, err := document.ReadSignup(parse(t, c.body), tenant.PasswordRules{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Email != c.email || got.OrgName != c.org || got.Password.Reveal() != c.password {
			t.Errorf("%s: got %q, %q and %q", c.name, got.Email, got.OrgName, got.Password.Reveal())
		}
		var warned []string
		for _, w := range warnings {
			warned = append(warned, w.Pointer)
			if w.Code != fault.CodeUnknownField {
				t.Errorf("%s: %v", c.name, w)
			}
		}
		if diff := cmp.Diff(c.warned, warned); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestSignupRefused(t *testing.T) {
	t.Parallel()
	const email, org, password = `"email":"a@b.in"`, `"org_name":"AF"`, `"password":"12345678"`
	object := func(members ...string) string { return "{" + strings.Join(members, ",") + "}" }
	for _, c := range []struct {
		name, body string
		want       []string // pointer and code
	}{
		{"not an object", `[]`, []string{" wrong_type"}}, {"null", `null`, []string{" wrong_type"}},
		{"nothing", `{}`, []string{"/email required", "/org_name required", "/password required"}},
		{
			"nulls",
			`{"email":null,"org_name":null,"password":null}`,
			[]string{"/email required", "/org_name required", "/password required"},
		},
		{
			"wrong types",
			`{"email":1,"org_name":["AF"],"password":true}`,
			[]string{"/email wrong_type", "/org_name wrong_type", "/password wrong_type"},
		},
		{
			"wrong types among wrong texts",
			`{"email":1,"org_name":" x ","password":true}`,
			[]string{"/email wrong_type", "/org_name out_of_range", "/password wrong_type"},
		},
		{
			"all wrong at once",
			`{"email":"a","org_name":" x ","password":"short"}`,
			[]string{"/email invalid_email", "/org_name out_of_range", "/password out_of_range"},
		},
		{"blank name", object(email, `"org_name":"    "`, password), []string{"/org_name out_of_range"}},
		{"invisible name", object(email, `"org_name":"x\u200d\u200d"`, password), []string{"/org_name out_of_range"}},
		{
			"long name",
			object(email, `"org_name":"`+strings.Repeat("ऋ", 121)+`"`, password),
			[]string{"/org_name out_of_range"},
		},
		{
			"line break in the name",
			object(email, `"org_name":"A\nF"`, password),
			[]string{"/org_name invalid_character"},
		},
		{
			"line break behind the name",
			object(email, `"org_name":"AF\n"`, password),
			[]string{"/org_name invalid_character"},
		},
		{"NUL", object(email, `"org_name":"A\u0001F"`, password), []string{"/org_name invalid_character"}},
		{"text direction", object(email, `"org_name":"A\u202eF"`, password), []string{"/org_name invalid_character"}},
		{"zero width", object(email, `"org_name":"A\u200bF"`, password), []string{"/org_name invalid_character"}},
		{"line separator", object(email, `"org_name":"A\u2028F"`, password), []string{"/org_name invalid_character"}},
		{
			"seven characters in 21 bytes",
			object(email, org, `"password":"अआइईउऊऋ"`),
			[]string{"/password out_of_range"},
		},
		{"empty password", object(email, org, `"password":""`), []string{"/password out_of_range"}},
		{
			"long password",
			object(email, org, `"password":"`+strings.Repeat("p", 1025)+`"`),
			[]string{"/password out_of_range"},
		},
		{
			"control character in the password",
			object(email, org, `"password":"12345678\n"`),
			[]string{"/password invalid_character"},
		},
		{
			"password is the e-mail",
			object(`"email":"admin@b.in"`, org, `"password":"admin@b.in"`),
			[]string{"/password password_is_email"},
		},
		{
			"in other letters",
			object(`"email":" Admin@b.in"`, org, `"password":"admin@B.IN "`),
			[]string{"/password password_is_email"},
		},
		{
			"and short",
			object(email, org, `"password":"a@b.in"`),
			[]string{"/password out_of_range", "/password password_is_email"},
		},
		{
			"a refused e-mail",
			object(`"email":"not-an-email"`, org, `"password":"not-an-email"`),
			[]string{"/email invalid_email", "/password password_is_email"},
		},
	} {
		got, _, err := document.ReadSignup(parse(t, c.body), tenant.PasswordRules{})
		var refusal *fault.Error
		if !errors.As(err, &refusal) || refusal.Kind != fault.Invalid || refusal.Code != fault.CodeInvalidField {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Email != "" || got.OrgName != "" || got.Password.Reveal() != "" {
			t.Errorf("%s: a refused signup has values", c.name)
		}
		var found []string
		for _, item := range refusal.Items {
			found = append(found, item.Pointer+" "+item.Code)
		}
		if diff := cmp.Diff(c.want, found); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestSignupDoesNotEcho(t *testing.T) {
	t.Parallel()
	_, _, err := document.ReadSignup(parse(t, `{
		"email":"ABCPE1234F","org_name":"ABCPE1234F\n","password":"ABCPE1\u0001","ABCPE1234F":1
	}`), tenant.PasswordRules{})
	if err == nil || strings.Contains(strings.ToUpper(err.Error()), "ABCPE") {
		t.Errorf("the refusal is %v", err)
	}
}

func TestSignupWarningsAreBounded(t *testing.T) {
	t.Parallel()
	var body strings.Builder
	body.WriteString(`{"email":"a@b.in","org_name":"AF","password":"12345678"`)
	for i := range 5000 {
		body.WriteString(`,"` + strings.Repeat("x", i+1) + `":1`)
	}
	body.WriteString("}")
	_, warnings, err := document.ReadSignup(parse(t, body.String()), tenant.PasswordRules{})
	if err != nil || len(warnings) != fault.MaxItems {
		t.Errorf("%d warnings and %v", len(warnings), err)
	}
}

// TestSignupRefusalHints checks that a misspelt member is reported with the
// nearest name, because it is often the reason why another member is missing.
func TestSignupRefusalHints(t *testing.T) {
	t.Parallel()
	_, _, err := document.ReadSignup(parse(t, `{"email":"a@example.in","orgName":"Acme","password":"a long password"}`),
		tenant.PasswordRules{})
	var refusal *fault.Error
	if !errors.As(err, &refusal) || len(refusal.Items) != 2 {
		t.Fatalf("refused with %v", err)
	}
	if item := refusal.Items[1]; item.Pointer != "/orgName" || item.Nearest != "org_name" {
		t.Errorf("told %+v", item)
	}
}

// FuzzReadSignup reads arbitrary bytes. The result is either a refusal that lists its faults, or values that obey
// every rule and stay the same when they are written and read again.
func FuzzReadSignup(f *testing.F) {
	for _, seed := range []string{
		`{"email":"Admin@example.in","org_name":" Asha Finance ","password":"s3cret-pass"}`,
		`{"email":"a@b.in","org_name":"श्री\u200dराम","password":"a@b.inxx","plan":"free"}`,
		`{"email":null,"org_name":"\u202e","password":"\u0001"}`, `[]`, `{}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		s, _, err := document.ReadSignup(v, tenant.PasswordRules{})
		if err != nil {
			var refusal *fault.Error
			if !errors.As(err, &refusal) || refusal.Kind != fault.Invalid || len(refusal.Items) == 0 {
				t.Fatalf("got %v, want a refusal that says where", err)
			}
			return
		}
		var w wire.Writer
		w.Object().Key("email").String(s.Email).Key("org_name").String(s.OrgName)
		w.Key("password").String(s.Password.Reveal()).EndObject()
		back, err := wire.Parse(w.Buf)
		if err != nil {
			t.Fatal(err)
		}
		again, warnings, err := document.ReadSignup(back, tenant.PasswordRules{})
		if err != nil || again.Email != s.Email || again.OrgName != s.OrgName ||
			again.Password.Reveal() != s.Password.Reveal() || len(warnings) != 0 {
			t.Fatalf("%s is read back as %v and %v", w.Buf, again, err)
		}
	})
}
