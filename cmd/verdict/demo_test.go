package main

import (
	"bufio"
	"bytes"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestDemo checks that a person can sign in to the console with the printed address and password, that the
// printed keys work for the API, and that no temporary files are left.
func TestDemo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var said bytes.Buffer
	demo := exec.CommandContext(t.Context(), "verdict", "demo", "-addr", "127.0.0.1:0", "-decisions", "1", "-log-level",
		"error")
	demo.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0",
		"TMPDIR="+folder, "VERDICT_DATABASE_URL=sqlite:/no/such/folder/in-use.db")
	demo.Stderr = &said
	out, err := demo.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := demo.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = demo.Process.Kill() })
	var printed strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan() && !strings.Contains(lines.Text(), "Ctrl-C"); {
		printed.WriteString(lines.Text() + "\n")
	}
	part := func(pattern string) string {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(printed.String())
		if m == nil {
			t.Fatalf("nothing printed is like %s:\n%s\n%s", pattern, &printed, &said)
		}
		return m[1]
	}
	at := part(`Console +(\S+)/console`)
	form := url.Values{"email": {part(`E-mail +(\S+)`)}, "password": {part(`Password +(\S+)`)}}
	if status := signIn(t, at+"/console/signin", form); status != http.StatusSeeOther {
		t.Errorf("signing in answers %d", status)
	}
	form.Set("email", part(`viewer +(\S+)`))
	if status := signIn(t, at+"/console/signin", form); status != http.StatusSeeOther {
		t.Errorf("signing in as a viewer answers %d", status)
	}
	for _, env := range []string{"live", "sandbox"} {
		decision := ask(t, at+"/v1/decisions", part(env+` +(vk_`+env+`_\S+)`), `{"bureau_report":{"score":790}}`)
		if decision["status"] != "APPROVED" {
			t.Errorf("%s decides %v", env, decision)
		}
	}
	if err := demo.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := demo.Wait(); err != nil || said.Len() > 0 {
		t.Errorf("it ends with %v: %s", err, &said)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left behind: %v", left, err)
	}
}

// signIn posts the sign-in form and returns the status of the answer.
func signIn(t *testing.T, address string, form url.Values) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close() // the body is not needed
	return response.StatusCode
}
