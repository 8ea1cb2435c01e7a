package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestDecideCSV lets a service decide the rows of a file, and fills a list of the service.
func TestDecideCSV(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(dir, "verdict.db"))
	signed := ask(t, p.url+"/api/signup", "",
		`{"email":"rows@example.in","org_name":"Rows","password":"correct horse battery"}`)
	key, _ := signed["api_key"].(string)
	keyFile, rows := filepath.Join(dir, "key"), filepath.Join(dir, "rows.csv")
	wrongKey := filepath.Join(dir, "wrong")
	for name, text := range map[string]string{
		keyFile:  key + "\n",
		wrongKey: "vk_sandbox_wrong",
		rows: "applicant_id,monthly_income,applicant.foir,score,shoe_size\n" +
			"00017,85000,0.32,742,42\nA-2,85000,32,742,\nA-3,85000,,600,41\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out, complaints bytes.Buffer
	code := run([]string{"decide", "-csv", rows, "-service", p.url, "-api-key", keyFile}, nil, &out, &complaints)
	if code != exitUndecided || !strings.Contains(complaints.String(), "left out: shoe_size") ||
		!strings.Contains(complaints.String(), "is completed: 3 rows, 1 APPROVED, 1 DECLINED, 1 invalid_field") ||
		!strings.Contains(complaints.String(), "1 of 3 rows were not decided") ||
		!strings.Contains(complaints.String(), "foir is a ratio, so 0.42 means 42 %. If the column") {
		t.Fatalf("exit %d: %s", code, &complaints)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var first struct {
		DecisionID string `json:"decision_id"`
	}
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || len(lines) != 3 || first.DecisionID == "" {
		t.Fatalf("%v: %s", err, &out)
	}

	// The same command gets the same decisions. With another key the rows are decided again.
	decide := []string{"decide", "-csv", rows, "-service", p.url, "-api-key", keyFile}
	service := &remote{url: p.url, key: key, client: http.DefaultClient, readWithin: answerWithin}
	used := func() (n float64) {
		t.Helper()
		var usage struct{ Used float64 }
		if err := service.get(t.Context(), "/v1/usage", &usage); err != nil {
			t.Fatal(err)
		}
		return usage.Used
	}
	for _, c := range []struct {
		args []string
		same bool
		used float64
	}{{decide, true, 2}, {append(decide, "-key", "again"), false, 4}} {
		var again bytes.Buffer
		complaints.Reset()
		code = run(c.args, nil, &again, &complaints)
		repeated := strings.Contains(complaints.String(), "nothing is decided or billed again")
		same := again.String() == out.String()
		if code != exitUndecided || repeated != c.same || same != c.same || used() != c.used {
			t.Errorf("%q: exit %d, %v used: %s %s", c.args, code, used(), &again, &complaints)
		}
	}

	code = run([]string{"list", "push", "employers", "-", "-type", "text", "-service", p.url,
		"-api-key", keyFile},
		strings.NewReader("value\nAcme\nZenith\n"), &out, &complaints)
	if code != exitOK || !strings.Contains(out.String(), `"entries": 2`) {
		t.Errorf("exit %d: %s %s", code, &out, &complaints)
	}
	wrongList, cut := filepath.Join(dir, "wrong.csv"), filepath.Join(dir, "cut.gz")
	for name, text := range map[string]string{
		wrongList: "value\n1\n\n\"50,000\"\n2\n\n\ny\n",
		cut:       packed(t, "value\nAcme\n")[:20],
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, wrong := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"list", "push", "numbers", wrongList, "-type", "number", "-service", p.url, "-api-key", keyFile},
			exitRefused, "without separators, currency or percent sign (line 4 of the file)"},
		{[]string{"list", "push", "numbers", wrongList, "-type", "number", "-service", p.url, "-api-key", keyFile},
			exitRefused, "(line 8 of the file)"},
		{[]string{"list", "push", "employers", cut, "-service", p.url, "-api-key", keyFile}, exitRefused,
			cut + ": the gzip data are damaged or truncated"},
		{[]string{"decide", "-csv", cut, "-service", p.url, "-api-key", keyFile}, exitRefused,
			cut + ": the gzip data are damaged or truncated"},
		{[]string{"decide", "-csv", rows, "-service", "nowhere", "-api-key", keyFile}, exitUsage,
			"-service must begin with http"},
		{[]string{"decide", "-csv", rows, "-strict", "-service", p.url, "-api-key", keyFile}, exitUsage,
			"not members of a decision request: shoe_size"},
		{[]string{"decide", "-csv", rows, "-sample", "-service", p.url}, exitUsage, "give one of them"},
		{[]string{"decide", "-csv", rows + "x", "-service", p.url, "-api-key", keyFile}, exitUsage,
			rows + "x: there is no such file; check the path (-csv: "},
		{[]string{"decide", "-batch", "bat_1", "-service", p.url, "-api-key", keyFile}, exitRefused, "404 not_found"},
		{[]string{"list", "push", "employers", keyFile, "-service", p.url, "-api-key", wrongKey},
			exitRefused, "is not an API key"},
		{[]string{"list", "push", "employers", rows, "-service", p.url, "-api-key", keyFile, "-if-version", "7"},
			exitRefused, "412"},
		{[]string{"list", "pull"}, exitUsage, `there is no subcommand "pull"`},
	} {
		complaints.Reset()
		if code := run(wrong.args, nil, &out, &complaints); code != wrong.code ||
			!strings.Contains(complaints.String(), wrong.says) {
			t.Errorf("%q: exit %d: %s", wrong.args, code, &complaints)
		}
	}
}

// TestDecideCSVRefusesHeader checks that no row is sent if a column is probably misspelt or no column has the score,
// and that -ignore leaves columns out.
func TestDecideCSVRefusesHeader(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(dir, "verdict.db"))
	signed := ask(t, p.url+"/api/signup", "",
		`{"email":"header@example.in","org_name":"Header","password":"correct horse battery"}`)
	key, _ := signed["api_key"].(string)
	keyFile, rows := filepath.Join(dir, "key"), filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(keyFile, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		header string
		more   []string
		code   int
		says   string
	}{
		{"applicant_id,montly_income,foir,score,shoe_size", nil, exitUsage,
			"rows.csv: unknown_field: the name of a column is probably misspelt, and nothing was sent: montly_income " +
				"(did you mean monthly_income?). Rename the column, or leave it out with -ignore \"montly_income\"\n"},
		{"applicant_id,monthly_income,foir,cibil,shoe_size", nil, exitUsage,
			"rows.csv: required: the file has no column for score"},
		{"applicant_id,monthly_income,foir,score,shoe_size", []string{"-ignore", "shoe"}, exitUsage,
			"rows.csv: invalid_field: the file has no column \"shoe\""},
		{"applicant_id,monthly_income,foir,score,shoe_size", []string{"-strict", "-ignore", "shoe_size"}, exitOK,
			"is completed: 1 rows"},
		{"applicant_id,montly_income,foir,score,shoe_size", []string{"-ignore", "montly_income"}, exitOK,
			"are left out: shoe_size\n"},
	} {
		if err := os.WriteFile(rows, []byte(c.header+"\nA-1,85000,0.32,742,42\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, complaints bytes.Buffer
		args := append([]string{"decide", "-csv", rows, "-service", p.url, "-api-key", keyFile}, c.more...)
		if code := run(args, nil, &out, &complaints); code != c.code || (out.Len() > 0) != (c.code == exitOK) ||
			!strings.Contains(complaints.String(), c.says) {
			t.Errorf("%s %q: exit %d: %s%s", c.header, c.more, code, &out, &complaints)
		}
	}
}

// TestDecideCSVRefusesPercent checks that nothing is sent if most values of foir are above 5, packed or not. A file in
// which few values are above 5 is sent, and so is a file whose column foir is left out.
func TestDecideCSVRefusesPercent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(dir, "verdict.db"))
	signed := ask(t, p.url+"/api/signup", "",
		`{"email":"percent@example.in","org_name":"Percent","password":"correct horse battery"}`)
	key, _ := signed["api_key"].(string)
	keyFile, rows := filepath.Join(dir, "key"), filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(keyFile, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	const header, percent = "applicant_id,monthly_income,foir,score\n",
		"A-1,85000,32,742\nA-2,85000,41.5,742\nA-3,85000,3,742\nA-4,85000,,742\n"
	for _, c := range []struct {
		name, text string
		more       []string
		code       int
		says       string
	}{
		{"percent", header + percent, nil, exitUsage,
			"rows.csv: out_of_range: most values of foir are above 5 and look like percentages; nothing was sent. " +
				"Divide the column by 100, because foir is a ratio: 0.42 means 42 %\n"},
		{"percent, packed", packed(t, header+percent), nil, exitUsage, "nothing was sent"},
		{"left out", header + percent, []string{"-ignore", "foir"}, exitOK, "is completed: 4 rows"},
		{"one percentage", header + "A-1,85000,32,742\nA-2,85000,0.4,742\n", nil, exitUndecided,
			"is completed: 2 rows"},
	} {
		if err := os.WriteFile(rows, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, complaints bytes.Buffer
		args := append([]string{"decide", "-csv", rows, "-service", p.url, "-api-key", keyFile}, c.more...)
		if code := run(args, nil, &out, &complaints); code != c.code || (out.Len() > 0) == (c.code == exitUsage) ||
			!strings.Contains(complaints.String(), c.says) {
			t.Errorf("%s: exit %d: %s%s", c.name, code, &out, &complaints)
		}
	}
}

// TestDecideCSVInWindows1252 lets a service decide a file in the encoding that spreadsheet programs write. The names
// arrive as they were written.
func TestDecideCSVInWindows1252(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := startServe(t, "-database-url", "sqlite:"+filepath.Join(dir, "verdict.db"))
	signed := ask(t, p.url+"/api/signup", "",
		`{"email":"rows@example.in","org_name":"Rows","password":"correct horse battery"}`)
	key, _ := signed["api_key"].(string)
	keyFile := filepath.Join(dir, "key")
	if err := os.WriteFile(keyFile, []byte(key), 0o600); err != nil {
		t.Fatal(err)
	}
	var out, complaints bytes.Buffer
	code := run([]string{"decide", "-csv", "-", "-service", p.url, "-api-key", keyFile},
		strings.NewReader("applicant_ref,monthly_income,score\r\nRen\xe9e,85000,742\r\n"), &out, &complaints)
	var row struct {
		DecisionID string `json:"decision_id"`
	}
	if err := json.Unmarshal(out.Bytes(), &row); err != nil || code != exitOK {
		t.Fatalf("exit %d, %v: %s %s", code, err, &out, &complaints)
	}
	service := &remote{url: p.url, key: key, client: http.DefaultClient, readWithin: answerWithin}
	var found struct{ Data []any }
	if err := service.get(t.Context(), "/v1/decisions?applicant_id=Ren%C3%A9e", &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Data) != 1 {
		t.Errorf("%d decisions are about Renée", len(found.Data))
	}
}

// TestDecideCSVWaitsForTheSameRows checks that a command waits while another one sends the same rows, and then prints
// the results of that batch.
func TestDecideCSVWaitsForTheSameRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rows, keyFile := filepath.Join(dir, "rows.csv"), filepath.Join(dir, "key")
	for name, text := range map[string]string{rows: "id,score\nA-1,760\n", keyFile: "any"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var sent atomic.Int32
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		switch {
		case r.Method == http.MethodPost && sent.Add(1) == 1:
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code":"idempotency_in_progress","detail":"is still in progress"}`)
		case strings.HasSuffix(r.URL.Path, "/results"):
			_, _ = io.WriteString(w, "the results\n")
		default:
			_, _ = io.WriteString(w, `{"id":"bat_1","status":"completed"}`)
		}
	}))
	t.Cleanup(service.Close)
	var out, complaints bytes.Buffer
	code := run([]string{"decide", "-csv", rows, "-service", service.URL, "-api-key", keyFile}, nil, &out, &complaints)
	if code != exitOK || out.String() != "the results\n" || sent.Load() != 2 ||
		!strings.Contains(complaints.String(), "another command is sending these rows") {
		t.Errorf("exit %d after %d requests: %s%s", code, sent.Load(), &out, &complaints)
	}
}

// packed returns a text compressed with gzip.
func packed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestInterruptedRows checks that an interrupted command says that the service continues, and how to stop it.
func TestInterruptedRows(t *testing.T) {
	t.Parallel()
	var complaints bytes.Buffer
	c := &command{name: "decide", stderr: &complaints}
	o := &batchOptions{batch: "bat_1"}
	if code := c.unanswered(o.interrupted(fmt.Errorf("ask: %w", context.Canceled))); code != exitUsage {
		t.Errorf("an interruption exits with %d", code)
	}
	for _, want := range []string{"interrupted", "-batch bat_1", "POST /v1/batches/bat_1/cancel"} {
		if got := complaints.String(); !strings.Contains(got, want) || strings.Contains(got, "context canceled") {
			t.Errorf("an interruption is reported as %q, without %q", got, want)
		}
	}
	sending := &batchOptions{csv: "rows.csv"}
	const twice = "no row is decided twice"
	if err := sending.interrupted(context.Canceled); err == nil || !strings.Contains(err.Error(), twice) {
		t.Errorf("an interruption of the upload is reported as %v", err)
	}
	if err := o.interrupted(io.ErrUnexpectedEOF); err != io.ErrUnexpectedEOF { //nolint:errorlint // unchanged
		t.Errorf("another error becomes %v", err)
	}
}
