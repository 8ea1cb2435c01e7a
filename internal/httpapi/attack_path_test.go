package httpapi_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
)

// wire sends raw bytes on a new connection and reads one answer. If the server
// closes the connection without an answer, the status is 0.
func (r *raid) wire(text, sent string) answer {
	r.Helper()
	conn, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		r.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, text); err != nil {
		r.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return answer{t: r.T, sent: sent}
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		r.Fatal(err)
	}
	got := answer{t: r.T, status: response.StatusCode, header: response.Header, body: body, sent: sent}
	r.judge(got)
	return got
}

// otherPaths returns other spellings of a path, all of which must be refused.
func otherPaths(path string) []string {
	first, rest, _ := strings.Cut(path[1:], "/")
	return []string{
		"/" + path, "//" + path[1:], "/." + path, "/" + first + "//" + rest, "/" + first + "/./" + rest,
		"/" + first + "/x/../" + rest, "/x/.." + path, "/docs/.." + path, "/docs/../." + path, "/livez/../" + path,
		"/docs/errors/.." + path, "/%2e%2e" + path, "/" + first + "/%2e/" + rest, "/docs/%2e%2e" + path,
		"/docs%2f.." + path, "/" + first + "/%2e%2e/" + first + "/" + rest, "/" + first + "%2f" + rest,
		"/" + first + "%5c" + rest, "/" + first + "/..;/" + first + "/" + rest, path + "/", path + "//", path + "/.",
		path + "/..", path + "%2f", path + "%00", path + "%20", path + "%09", path + ".json", path + ";a=b",
		path + "%3fa=b", path + "%23", path + "%0d%0aX-Planted:%20" + plantedText, path + "%ff", path + "%c0%af",
		"/%76" + path[2:], "/" + strings.ToUpper(first) + "/" + rest, strings.ToUpper(path), "/console/.." + path,
		"/.well-known/.." + path, "/" + first + "/../../../etc/passwd", path + "/" + strings.Repeat("x/", 500),
		path + strings.Repeat("a", 4_000),
	}
}

// attackPaths requests every path in other spellings, with and without a key:
// only the documented spelling may be served. It also tries every method that a
// path does not have.
func attackPaths(r *raid) {
	for _, request := range r.firstOfEach() {
		if public(request.operation) {
			continue
		}
		path, _, _ := strings.Cut(r.ids.fill(request.path), "?")
		for _, other := range otherPaths(path) {
			if !r.some(10) {
				continue
			}
			for _, key := range []string{"", r.owner.key} {
				r.otherPath(request.method, other, key)
			}
		}
		r.otherMethods(path)
	}
	r.stillServes()
}

func (r *raid) otherPath(method, path, key string) {
	r.Helper()
	head := method + " " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
	if key != "" {
		head += "Authorization: Bearer " + key + "\r\n"
	}
	got := r.wire(head+"\r\n", "a stranger: "+method+" "+path)
	if key != "" {
		got.sent = "the owner" + strings.TrimPrefix(got.sent, "a stranger")
	}
	allowed := []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUnauthorized}
	if !slices.Contains(allowed, got.status) {
		r.Errorf("%.300s: %d to %q", got.sent, got.status, got.header.Get("Location"))
	}
	if got.header.Get("X-Planted") != "" {
		r.Errorf("%.300s: the answer has a header that the path brought", got.sent)
	}
}

// otherMethods checks that the methods a path does not have are refused with
// and without a key, and that no header can override the method.
func (r *raid) otherMethods(path string) {
	r.Helper()
	item := pathItem(r.doc, path)
	for _, method := range []string{
		"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "MOVE", "BREW", "get", "POST\x7f",
	} {
		if item.GetOperation(method) != nil || !r.some(3) {
			continue
		}
		if strings.Contains(method, "\x7f") {
			got := r.wire(method+" "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "a method that is none")
			if got.status != http.StatusBadRequest {
				r.Errorf("%s: %d", got.sent, got.status)
			}
			continue
		}
		r.try(method, path, "", "").refused(http.StatusUnauthorized, "unauthenticated")
		got := r.try(method, path, r.owner.key, "").refused(http.StatusMethodNotAllowed, "method_not_allowed")
		if allowed := got.header.Get("Allow"); allowed == "" || strings.Contains(allowed, method) {
			r.Errorf("%s %s allows %q", method, path, allowed)
		}
		for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
			for has := range item.Operations() {
				r.try(method, path, r.owner.key, "", header+": "+has).
					refused(http.StatusMethodNotAllowed, "method_not_allowed")
			}
		}
	}
}
