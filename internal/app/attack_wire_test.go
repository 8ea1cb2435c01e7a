package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/proof"
)

// wireTally counts the answers to the attacks. wireMeasure collects the values that they measure.
var (
	wireTally   proof.Tally
	wireMeasure struct {
		sync.Mutex
		lines []string
	}
)

// measured records a measured value for the result that TestAttack writes.
func measured(format string, args ...any) {
	wireMeasure.Lock()
	defer wireMeasure.Unlock()
	wireMeasure.lines = append(wireMeasure.lines, "- "+fmt.Sprintf(format, args...))
}

// TestAttack attacks the whole service: with requests that no client library would send, with slow connections, and
// with very large bodies.
func TestAttack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: attacks")
	}
	t.Cleanup(func() {
		wireMeasure.Lock()
		defer wireMeasure.Unlock()
		slices.Sort(wireMeasure.lines)
		text := wireTally.Table("attack", "answered with") + "\n" + strings.Join(wireMeasure.lines, "\n") + "\n"
		t.Log(text)
		if t.Failed() {
			return
		}
		text = proof.Origin(context.WithoutCancel(t.Context()), time.Now(), "make attack") + "\n" + text
		if err := proof.Write(os.Getenv(proof.Variable), "attack-connections", text); err != nil {
			t.Error(err)
		}
	})
	for name, attack := range map[string]func(*testing.T){
		"smuggling": attackBySmuggling, "pipelines": attackByPipelines, "floods": attackByFloods,
		"slowness": attackBySlowness, "bombs": attackByBombs, "uploads": attackByUploads,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attack(t)
		})
	}
}

// patience is the time that a busy machine may need for a quick operation.
const patience = time.Minute

// said is an answer on a connection.
type said struct {
	status int
	body   string
}

// converse sends raw bytes and reads all answers until the service closes the
// connection or sends no more.
func converse(t *testing.T, addr, text string, patience time.Duration) (answers []said, closed bool) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Logf("not all of it was taken: %v", err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(conn)
	for {
		response, err := http.ReadResponse(in, nil)
		if err != nil {
			var late net.Error
			return answers, !(errors.As(err, &late) && late.Timeout())
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		answers = append(answers, said{response.StatusCode, string(body)})
		if err != nil {
			return answers, true // the service closed the connection before it had read everything
		}
	}
}

// shape is a request that two HTTP parsers might read differently.
type shape struct {
	name, text string
	// statuses are the allowed statuses of the first answer; if empty, any
	// refusal is allowed.
	statuses []int
	// two is true if the text is two requests according to RFC 9112.
	two bool
}

// shapes returns the shapes for a key. Each ends with a second request, which must be answered only if it is a
// request according to RFC 9112.
func shapes(key string) []shape {
	head := "POST /v1/decisions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key +
		"\r\nContent-Type: application/json\r\n"
	const hidden = "GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	bad := []int{http.StatusBadRequest}
	notImplemented := []int{http.StatusNotImplemented}
	list := []shape{
		{"two lengths", head + "Content-Length: 2\r\nContent-Length: 40\r\n\r\n{}" + hidden, bad, false},
		{"two lengths in one", head + "Content-Length: 2, 40\r\n\r\n{}" + hidden, bad, false},
		{"a length with a sign", head + "Content-Length: +2\r\n\r\n{}" + hidden, bad, false},
		{"a length below nothing", head + "Content-Length: -2\r\n\r\n{}" + hidden, bad, false},
		{"a length in hexadecimal", head + "Content-Length: 0x2\r\n\r\n{}" + hidden, bad, false},
		{"a length in words", head + "Content-Length: two\r\n\r\n{}" + hidden, bad, false},
		{"a length beyond numbers", head + "Content-Length: 99999999999999999999\r\n\r\n{}" + hidden, bad, false},
		{"an empty length", head + "Content-Length: \r\n\r\n{}" + hidden, bad, false},
		{"chunked twice", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			notImplemented, false},
		{"chunked and identity", head + "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + hidden,
			notImplemented, false},
		{"an encoding of another name", head + "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n\r\n{}" + hidden,
			notImplemented, false},
		{"an encoding behind a tab", head + "Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + hidden, bad, false},
		{"a space before the colon", head + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden, bad, false},
		{"a folded encoding", head + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n" + hidden, nil, true},
		{"a length beside chunks", head + "Content-Length: 40\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden,
			nil, true},
		{"a folded header at the start", "GET /docs HTTP/1.1\r\n Host: x\r\n\r\n" + hidden, bad, false},
		{"a name with a space", head + "X Y: z\r\n\r\n" + hidden, bad, false},
		{"a name that is empty", head + ": z\r\n\r\n" + hidden, bad, false},
		{"a zero in a name", head + "X\x00Y: z\r\n\r\n" + hidden, bad, false},
		{"a zero in a value", head + "X-Y: z\x00\r\n\r\n" + hidden, bad, false},
		{"a carriage return in a value", head + "X-Y: a\rContent-Length: 2\r\n\r\n{}" + hidden, nil, false},
		{"no host", "GET /docs HTTP/1.1\r\n\r\n" + hidden, bad, false},
		{"two hosts", "GET /docs HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + hidden, bad, false},
		{"a host with a path", "GET /docs HTTP/1.1\r\nHost: a/../b\r\n\r\n" + hidden, bad, false},
		{"a version to come", "GET /docs HTTP/9.9\r\nHost: x\r\n\r\n" + hidden,
			[]int{http.StatusHTTPVersionNotSupported}, false},
		{"a version in small letters", "GET /docs http/1.1\r\nHost: x\r\n\r\n" + hidden, bad, false},
		{"no version", "GET /docs\r\n\r\n" + hidden, bad, false},
		{"two spaces", "GET  /docs HTTP/1.1\r\nHost: x\r\n\r\n" + hidden, bad, false},
		{"a space in the path", "GET /do cs HTTP/1.1\r\nHost: x\r\n\r\n" + hidden, bad, false},
		{"not even HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + hidden, bad, false},
		{"HTTP/2 without TLS", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + hidden, nil, false},
		{"chunks that end too soon", head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n0\r\n\r\n" + hidden,
			nil, false},
	}
	for name, size := range map[string]string{
		"a sign": "+2", "a minus": "-2", "hexadecimal twice": "0x2", "an underscore": "1_0",
		"more digits than fit": strings.Repeat("f", 17), "nothing": "", "a space before": " 2",
		"a line feed in an extension": "2;a\nb", "a tab": "\t2",
	} {
		list = append(list, shape{"a chunk's size with " + name,
			head + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\n{}\r\n0\r\n\r\n" + hidden, bad, false})
	}
	return list
}

// attackBySmuggling hides a request behind another request. In each shape, one
// parser may read the hidden bytes as part of a body, while another parser
// reads them as a request. A malformed request must end the connection, and
// nothing after it may be read.
func attackBySmuggling(t *testing.T) {
	t.Helper()
	a, log, _ := startApp(t)
	key := signUp(t, a)
	for _, s := range shapes(key) {
		answers, closed := converse(t, a.Addr(), s.text, patience)
		outcome := "closed"
		if len(answers) > 0 {
			outcome = strconv.Itoa(answers[0].status)
		}
		wireTally.Add("smuggling", outcome)
		if s.statuses != nil && !slices.ContainsFunc(s.statuses,
			func(status int) bool { return strconv.Itoa(status) == outcome }) {
			t.Errorf("%s: answered %s, want %v", s.name, outcome, s.statuses)
		}
		if len(answers) > 0 && answers[0].status < http.StatusBadRequest {
			t.Errorf("%s: answered %s, want a refusal", s.name, outcome)
		}
		if one := len(answers) <= 1; one == s.two || !closed {
			t.Errorf("%s: %d answers, and the connection is closed: %v", s.name, len(answers), closed)
		}
	}
	decided(t, a, key)
	if strings.Contains(log.String(), key) {
		t.Error("the log has the key")
	}
}

// decided fails unless the service still decides.
func decided(t *testing.T, a *App, key string) {
	t.Helper()
	if status, answer, err := post(t.Context(), a.URL()+"/v1/decisions", key, decisionBody); err != nil ||
		status != http.StatusOK {
		t.Errorf("a decision is answered with %d %v (%v)", status, answer, err)
	}
}
