package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"verdict/internal/store/storetest"
)

// mostMiB is the maximum peak memory of a process of the service, in MiB. TestAttack runs without the race detector,
// which would multiply the memory.
const mostMiB = 768

// attackByBombs sends many large bodies concurrently to a separate process and measures its memory.
func attackByBombs(t *testing.T) {
	t.Helper()
	n := startNode(t, storetest.SQLite(t))
	key := signUp(t, n)
	part, rounds := 16, 1 // the bodies are a 16th as large as in the long form
	if os.Getenv("VERDICT_LONG") != "" {
		part, rounds = 1, 5
	}
	type bomb struct{ path, kind, encoding, body string }
	bombs := []bomb{
		{"/v1/evaluate", "application/json", "", `{"a":` + strings.Repeat("[0,", 2_000_000/part)},
		{"/v1/evaluate", "application/json", "", `{` + strings.Repeat(`"a":1,`, 1_300_000/part) + `"a":1}`},
		{"/v1/evaluate", "application/json", "",
			`{"bureau":"cibil","report":{"cibil":{"accounts":[` + strings.Repeat(`{},`, 2_500_000/part) + `{}]}}}`},
		{"/v1/decisions/preview", "application/json", "",
			`{"applicant":{"x":[` + strings.Repeat(`1,`, 4_000_000/part) + `1]}}`},
		{"/v1/decisions/preview", "application/json", "",
			`{"applicant":{"id":"` + strings.Repeat(`\u0041`, 1_300_000/part) + `"}}`},
		{"/v1/decisions", "application/json", "", strings.Repeat(" ", (64<<20)/part)},
		{"/v1/scorecards/fit", "application/json", "",
			`{"rows":[` + strings.Repeat(`{"a":1},`, 1_000_000/part) + `{}]}`},
		{"/v1/backtest", "text/csv", "gzip", packed(t, "score\n", "\n", (256<<20)/part)},
		{"/v1/backtest", "text/csv", "gzip", packed(t, "score\n", "0", (256<<20)/part)},
		{"/v1/backtest", "multipart/form-data; boundary=b",
			"", strings.Repeat("--b\r\nContent-Disposition: form-data; name=\"lgd\"\r\n\r\n\r\n", 200_000/part)},
	}
	var all sync.WaitGroup
	for range rounds {
		for _, b := range bombs {
			for range 2 {
				all.Go(func() {
					status, err := throw(t.Context(), n.url+b.path, key, b.kind, b.encoding, b.body)
					wireTally.Add("bombs", status)
					if err != nil {
						t.Logf("%s: %v", b.path, err)
					}
					if strings.HasPrefix(status, "5") && status != "503" {
						t.Errorf("%s with %.40s: %s", b.path, b.body, status)
					}
				})
			}
		}
		all.Wait()
	}
	peak := peakMiB(t, n.process.Process.Pid)
	measured("bombs of up to %d MB, %d at the same time: the peak memory of the process was %d MiB", 64/part,
		2*len(bombs), peak)
	if peak > mostMiB {
		t.Errorf("the process took %d MiB, want at most %d", peak, mostMiB)
	}
	if status, answer, ok := n.call("POST", "/v1/decisions", key, "", decisionBody); !ok || status != http.StatusOK {
		t.Errorf("a decision afterwards: %d %v", status, answer)
	}
}

// attackByUploads sends many small files concurrently in one person's session.
// They decompress to the largest size for which the console fits a scorecard.
func attackByUploads(t *testing.T) {
	t.Helper()
	n := startNode(t, storetest.SQLite(t))
	key := signUp(t, n)
	session := signIn(t, n.url)
	const files = 24
	file := "--b\r\nContent-Disposition: form-data; name=\"target\"\r\n\r\noutcome\r\n" +
		"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"rows.csv\"\r\n\r\n" +
		packed(t, "score,outcome\n", "0", 64<<20-(1<<10)) + "\r\n--b--\r\n"
	var all sync.WaitGroup
	for range files {
		all.Go(func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
				n.url+"/console/sandbox/scorecards/fit", strings.NewReader(file))
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Content-Type", "multipart/form-data; boundary=b")
			request.AddCookie(session)
			status, err := outcome(request)
			wireTally.Add("uploads", status)
			if err != nil || strings.HasPrefix(status, "5") && status != "503" {
				t.Errorf("an upload: %s (%v)", status, err)
			}
		})
	}
	all.Wait()
	peak := peakMiB(t, n.process.Process.Pid)
	measured("files of %d KB that unpack to 64 MiB, %d at the same time to the console: the peak memory of the "+
		"process was %d MiB",
		len(file)>>10, files, peak)
	if peak > mostMiB {
		t.Errorf("the process took %d MiB, want at most %d", peak, mostMiB)
	}
	if status, answer, ok := n.call("POST", "/v1/decisions", key, "", decisionBody); !ok || status != http.StatusOK {
		t.Errorf("a decision afterwards: %d %v", status, answer)
	}
}

// signIn signs in the user who signed up and returns the session's cookie.
func signIn(t *testing.T, url string) *http.Cookie {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/console/signin",
		strings.NewReader("email=asha%40example.in&password=a+long+password"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultTransport.RoundTrip(request) // follows no redirect
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close() // the body is not needed
	for _, c := range response.Cookies() {
		if c.Name == "verdict" {
			return c
		}
	}
	t.Fatalf("signing in is answered with %d", response.StatusCode)
	return nil
}

// packed returns a compressed text. The text is head, followed by copies of the parameter "again", up to about
// size bytes.
func packed(t *testing.T, head, again string, size int) string {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, head)
	block := []byte(strings.Repeat(again, 64<<10))
	for done := 0; done < size && err == nil; done += len(block) {
		_, err = w.Write(block)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// throw sends one body. A connection that is closed before the body is sent
// completely counts as an answer, because the service does not wait for the
// rest.
func throw(ctx context.Context, url, key, kind, encoding, body string) (status string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", kind)
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	return outcome(request)
}

// outcome sends a request and returns the status of its answer.
func outcome(request *http.Request) (status string, err error) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "closed", err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return strconv.Itoa(response.StatusCode), err
}

// peakMiB returns the peak memory of a process.
func peakMiB(t *testing.T, pid int) int {
	t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		t.Fatalf("no VmHWM in %s", data)
	}
	kib, err := strconv.Atoi(fields[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib >> 10
}
