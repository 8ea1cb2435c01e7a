package app

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// attackByPipelines sends the requests of two tenants alternately on one connection, before anything is answered, in
// several well-formed framings. The answers must come in the order of the requests, each with its own tenant's data.
func attackByPipelines(t *testing.T) {
	t.Helper()
	a, _, _ := startApp(t)
	type side struct{ key, id string }
	var sides []side
	for i := range 2 {
		_, signed, err := post(t.Context(), a.URL()+"/api/signup", "",
			fmt.Sprintf(`{"email":"side%d@example.in","org_name":"Side %d","password":"a long password"}`, i, i))
		if err != nil {
			t.Fatal(err)
		}
		key, _ := signed["api_key"].(string)
		_, made, err := post(t.Context(), a.URL()+"/v1/decisions", key, decisionBody)
		if err != nil {
			t.Fatal(err)
		}
		id, _ := made["decision_id"].(string)
		sides = append(sides, side{key, id})
	}
	var sent strings.Builder
	type wanted struct {
		status int
		text   string
	}
	var want []wanted
	for i := range 40 {
		own, other := sides[i%2], sides[(i+1)%2]
		auth := "Host: x\r\nAuthorization: Bearer " + own.key + "\r\n"
		fmt.Fprintf(&sent, "GET /v1/decisions/%s HTTP/1.1\r\n%s\r\n", own.id, auth)
		want = append(want, wanted{200, own.id})
		fmt.Fprintf(&sent, "GET /v1/decisions/%s HTTP/1.1\r\n%s\r\n", other.id, auth)
		want = append(want, wanted{404, "not_found"})
		chunks := fmt.Sprintf("%x;ext=\"a b\"\r\n%s\r\n%x\r\n%s\r\n0\r\nX-Trailer: Authorization\r\n\r\n",
			10, decisionBody[:10], len(decisionBody)-10, decisionBody[10:])
		fmt.Fprintf(&sent, "POST /v1/decisions HTTP/1.1\r\n%sContent-Type: application/json\r\nTransfer-Encoding: "+
			"chunked\r\n\r\n%s", auth, chunks)
		want = append(want, wanted{200, "APPROVED"})
		// A body that is not read must not be parsed as the next request.
		inner := "GET /v1/decisions/" + other.id + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + other.key +
			"\r\n\r\n"
		fmt.Fprintf(&sent, "GET /v1/decisions/%s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s",
			own.id, auth, len(inner), inner)
		want = append(want, wanted{200, own.id})
		fmt.Fprintf(&sent, "POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(inner), inner)
		want = append(want, wanted{401, "unauthenticated"})
		fmt.Fprintf(&sent, "GET http://other.example/v1/decisions/%s HTTP/1.1\r\n%s\r\n", own.id, auth)
		want = append(want, wanted{200, own.id})
	}
	answers, _ := converse(t, a.Addr(), sent.String()+"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
		patience)
	if len(answers) != len(want)+1 {
		t.Fatalf("%d answers to %d requests", len(answers), len(want)+1)
	}
	for i, w := range want {
		wireTally.Add("pipelines", strconv.Itoa(answers[i].status))
		if answers[i].status != w.status || !strings.Contains(answers[i].body, w.text) {
			t.Errorf("request %d is answered with %d %.200s, want %d and %s",
				i, answers[i].status, answers[i].body, w.status, w.text)
		}
	}
}

// attackByFloods sends very large request lines, headers and trailers, and chunks with large extensions.
func attackByFloods(t *testing.T) {
	t.Helper()
	a, log, _ := startApp(t)
	key := signUp(t, a)
	for name, text := range map[string]string{
		"10,000 headers":   "GET /livez HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("X-A: b\r\n", 10_000) + "\r\n",
		"a header of 1 MB": "GET /livez HTTP/1.1\r\nHost: x\r\nX-A: " + strings.Repeat("b", 1<<20) + "\r\n\r\n",
		"a path of 1 MB":   "GET /" + strings.Repeat("b", 1<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"a query of 1 MB":  "GET /livez?" + strings.Repeat("a=b&", 1<<18) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"a method of 1 MB": strings.Repeat("B", 1<<20) + " / HTTP/1.1\r\nHost: x\r\n\r\n",
		"a name of 1 MB":   "GET /livez HTTP/1.1\r\nHost: x\r\n" + strings.Repeat("b", 1<<20) + ": c\r\n\r\n",
		"5,000 cookies": "GET /console/signin HTTP/1.1\r\nHost: x\r\nCookie: " + strings.Repeat("verdict=QUAGGA; ",
			5_000) + "\r\n\r\n",
		"no end of line": strings.Repeat("QUAGGA", 200_000),
		"a trailer of 1 MB": "POST /v1/decisions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key +
			"\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-A: " + strings.Repeat("b", 1<<20) + "\r\n\r\n",
		"an extension of 1 MB": "POST /v1/decisions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key +
			"\r\nTransfer-Encoding: chunked\r\n\r\n1;" + strings.Repeat("b", 1<<20) + "\r\n{\r\n0\r\n\r\n",
		"chunks of one byte": "POST /v1/decisions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key +
			"\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("e", 100)+"\r\n \r\n",
			10_000) + "0\r\n\r\n",
		"a body without length": "POST /v1/decisions HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\n\r\n" +
			decisionBody,
	} {
		answers, closed := converse(t, a.Addr(), text, patience)
		outcome := "closed"
		if len(answers) > 0 {
			outcome = strconv.Itoa(answers[0].status)
		}
		wireTally.Add("floods", outcome)
		if !closed {
			t.Errorf("%s: the connection goes on after %s", name, outcome)
		}
		for _, answer := range answers {
			if answer.status < http.StatusBadRequest || answer.status >= http.StatusInternalServerError {
				t.Errorf("%s: answered %d %.200s", name, answer.status, answer.body)
			}
		}
	}
	decided(t, a, key)
	if said := log.String(); strings.Contains(said, "QUAGGA") || strings.Contains(said, key) {
		t.Errorf("the log repeats what was sent: %.2000s", said)
	}
}
