package signon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdict/internal/signon"
	"verdict/internal/tenant"
)

// good is a connection without faults.
const good = `{"id":"acme","name":"Acme","tenant":"ten_01HF0000000000000000000000","issuer":"https://id.acme.example",
	"client_id":"verdict","client_secret":"env:SECRET","domains":["acme.example"],"roles":{"Risk":"risk"}}`

func read(text string) error {
	_, err := signon.Read([]byte(text), signon.Options{Now: time.Now}, func(name string) string {
		return map[string]string{"SECRET": "hunter2"}[name]
	})
	return err
}

func TestRead(t *testing.T) {
	t.Parallel()
	list, err := signon.Read([]byte(`{"connections":[`+good+`]}`), signon.Options{}, func(string) string { return "x" })
	if err != nil || len(list) != 1 {
		t.Fatalf("%d connections, %v", len(list), err)
	}
	c := list[0]
	if c.ID != "acme" || c.Name != "Acme" || c.Issuer != "https://id.acme.example" || c.Hidden ||
		c.Roles["Risk"] != tenant.RoleRisk || c.Provider == nil || c.Domains[0] != "acme.example" {
		t.Errorf("%+v", c)
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := read(`{"connections":[` + strings.Replace(good, "env:SECRET", "file:"+file, 1) + `]}`); err != nil {
		t.Error(err)
	}
	if err := read(
		`{"connections":[` + strings.Replace(good, `"client_secret":"env:SECRET",`, "", 1) + `]}`,
	); err != nil {
		t.Errorf("a public client: %v", err)
	}
}

// TestReadFaults checks that every fault names the member and does not repeat the value.
func TestReadFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, want string }{
		{`"acme",`, `"Acme!",`, "/connections/0/id: "},
		{`"name":"Acme"`, `"name":""`, "/connections/0/name: "},
		{`ten_01HF0000000000000000000000`, `hunter2`, "/connections/0/tenant: "},
		{`https://id.acme.example`, `http://hunter2.example`, "/connections/0/issuer: "},
		{`https://id.acme.example`, `https://id.acme.example?x=hunter2`, "/connections/0/issuer: "},
		{`https://id.acme.example`, `https://me:hunter2@id.acme.example`, "/connections/0/issuer: "},
		{`https://id.acme.example`, `https://accounts.google.com`, "/connections/0/require: "},
		{`"client_id":"verdict"`, `"client_id":""`, "/connections/0/client_id: "},
		{`env:SECRET`, `hunter2`, "/connections/0/client_secret: must be file:PATH or env:NAME"},
		{`env:SECRET`, `env:OTHER`, "/connections/0/client_secret: "},
		{`env:SECRET`, `file:/nowhere`, "/connections/0/client_secret: "},
		{`["acme.example"]`, `[]`, "/connections/0/domains: "},
		{`["acme.example"]`, `["Acme.example"]`, "/connections/0/domains: "},
		{`["acme.example"]`, `["*"]`, "/connections/0/domains: "},
		{`"risk"`, `"owner"`, "/connections/0/roles: "},
		{`{"Risk":"risk"}`, `{}`, "/connections/0/roles: "},
		{`"roles":`, `"default_role":"owner","roles":`, "/connections/0/default_role: "},
		{`"roles":`, `"hunter3":1,"roles":`, "unknown field"},
		{`"roles":`, `"domains":"hunter2","roles":`, "domains has the wrong type"},
		{`"roles":`, `roles:`, "not JSON at byte"},
	} {
		err := read(`{"connections":[` + strings.Replace(good, c.old, c.new, 1) + `]}`)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", c.new, err)
		}
	}
	for text, want := range map[string]string{
		`{"connections":[` + good + "," + good + `]}`: "/connections/1/id: another connection has it",
		`{"connections":[` + good + `]}{}`:            "nothing after",
		``:                                            "not JSON",
		strings.Repeat(" ", 2<<20):                    "at most",
		`{"connections":[` + strings.Repeat("{},", 1000) + `{}]}`: "at most 1000",
	} {
		if err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}
