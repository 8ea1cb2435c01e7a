package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"verdict/internal/httpapi"
	"verdict/internal/tenant"
)

// batchItem returns an application. It is refused if foir is not a ratio.
func batchItem(id string, foir float64) string {
	return fmt.Sprintf(`{"applicant":{"id":%q,"monthly_income":85000,"foir":%g,"requested_amount":600000},`+
		`"bureau_report":{"score":742,"max_dpd_12m":0}}`, id, foir)
}

func batchOf(items ...string) string { return `{"items":[` + strings.Join(items, ",") + `]}` }

// unnamed returns a decision without its id and its time, which differ from one decision to the next.
func unnamed(decision any) map[string]any {
	m, _ := decision.(map[string]any)
	m = maps.Clone(m)
	delete(m, "decision_id")
	delete(m, "created_at")
	return m
}

// TestBatch decides applications in one body. One of them is refused, and each of the others is decided, billed and
// repeated as if it had been sent alone.
func TestBatch(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		body := batchOf(batchItem("A-1", 0.32), batchItem("A-2", 32), batchItem("A-3", 0.32))
		first := m.post("/v1/decisions/batch", body, "Idempotency-Key: k").want(http.StatusOK)
		single := m.post("/v1/decisions", batchItem("A-1", 0.32)).want(http.StatusOK)
		if got, want := unnamed(first.at("results", 0, "decision")),
			unnamed(single.object()); !reflect.DeepEqual(got, want) {
			s.Errorf("in a batch: %v\nalone: %v", got, want)
		}
		for i, want := range []any{nil, "/applicant/foir", nil} {
			if got := first.at("results", i, "error", "errors", 0, "pointer"); got != want {
				s.Errorf("result %d: fault at %v, want %v", i, got, want)
			}
			if got := first.at("results", i, "index"); got != float64(i) {
				s.Errorf("result %d has the index %v", i, got)
			}
		}
		if used := m.get("/v1/usage").at("used"); used != 3.0 {
			s.Errorf("used %v units, want 3", used)
		}

		changed := batchOf(batchItem("A-1", 0.32), batchItem("A-2", 0.4), batchItem("A-3", 0.33))
		again := m.post("/v1/decisions/batch", changed, "Idempotency-Key: k").want(http.StatusOK)
		if again.at("results", 0, "replayed") != true ||
			!reflect.DeepEqual(again.at("results", 0, "decision"), first.at("results", 0, "decision")) {
			s.Errorf("the repeated application: %s", again.body)
		}
		if again.at("results", 1, "decision", "status") == nil {
			s.Errorf("the application that was refused before: %s", again.body)
		}
		if got := again.at("results", 2, "error", "code"); got != "idempotency_key_reused" {
			s.Errorf("another application under a used key: %v", got)
		}

		evaluated := m.post("/v1/evaluate/batch", batchOf(
			`{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":781}}}}`, `3`)).want(http.StatusOK)
		if evaluated.at("results", 0, "decision", "grade") == nil ||
			evaluated.at("results", 1, "error", "code") == nil {
			s.Errorf("evaluated: %s", evaluated.body)
		}
	})
}

// TestBatchRefused checks the refusals of a whole batch. Nothing is decided.
func TestBatchRefused(t *testing.T) {
	t.Parallel()
	rates := tenant.DefaultRates()
	rates.Decide = tenant.Rate{Allowance: 1, Window: time.Second, Burst: 1003}
	plans := tenant.DefaultPricePlans()
	each(t, stackOptions{plans: plans.WithRates(rates)}, func(s *stack) {
		m := s.signup()
		item := batchItem("A-1", 0.32)
		thousand := batchOf(strings.TrimSuffix(strings.Repeat(item+",", 1000), ","))
		for body, code := range map[string]string{
			`{}`:           "required",
			`{"items":[]}`: "out_of_range",
			`{"items":{}}`: "wrong_type",
			`[]`:           "wrong_type",
			`{"items":[` + item + `],"policy_key":"a"}`:     "unknown_field",
			strings.Replace(thousand, "[", "["+item+",", 1): "too_many",
		} {
			got := m.post("/v1/decisions/batch", body).want(http.StatusUnprocessableEntity)
			if got.at("errors", 0, "code") != code {
				s.Errorf("%.40s: %s, want %s", body, got.body, code)
			}
		}
		got := m.post("/v1/decisions/batch", thousand).refused(http.StatusTooManyRequests, "rate_limited")
		if got.header.Get("Retry-After") == "" {
			s.Error("no Retry-After")
		}
		if used := m.get("/v1/usage").at("used"); used != 0.0 {
			s.Errorf("used %v units", used)
		}
	})
}

// TestBatchBeyondBurst sends as many applications as the rate limit can allow together, and then one more. The larger
// batch is never possible, however long the client waits.
func TestBatchBeyondBurst(t *testing.T) {
	t.Parallel()
	rates := tenant.DefaultRates()
	rates.Decide = tenant.Rate{Allowance: 10, Window: time.Second, Burst: 10}
	plans := tenant.DefaultPricePlans()
	each(t, stackOptions{plans: plans.WithRates(rates)}, func(s *stack) {
		m := s.signup()
		items := slices.Repeat([]string{batchItem("A-1", 0.32)}, 11)
		got := m.post("/v1/decisions/batch", batchOf(items...)).refused(http.StatusTooManyRequests, "rate_limited")
		if !strings.Contains(got.text("detail"), "send fewer") {
			s.Errorf("the refusal is %s", got.body)
		}
		s.clock.advance(time.Minute)
		m.post("/v1/decisions/batch", batchOf(items[1:]...)).want(http.StatusOK)
	})
}

// TestBatchQuota uses up the quota in the middle of a batch.
func TestBatchQuota(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: quota(t, "free=2")}, func(s *stack) {
		m := s.signup()
		item := batchItem("A-1", 0.32)
		got := m.post("/v1/decisions/batch", batchOf(item, item, item, item)).want(http.StatusOK)
		decided := 0
		for i := range 4 {
			switch {
			case got.at("results", i, "decision") != nil:
				decided++
			case got.at("results", i, "error", "code") != "quota_exceeded":
				s.Errorf("result %d: %s", i, got.body)
			}
		}
		if decided != 2 {
			s.Errorf("%d decisions with a quota of 2", decided)
		}
	})
}

// TestBatchWithoutLength sends lines with HTTP/1.0 and without a Content-Length. net/http reads no body from such a
// request, so nothing is decided, and the answer says so.
func TestBatchWithoutLength(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, prefer := range []string{"handling=lenient", "respond-async"} {
			conn, err := (&net.Dialer{}).DialContext(s.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				s.Fatal(err)
			}
			_, err = fmt.Fprintf(conn, "POST /v1/decisions/batch HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/x-ndjson\r\nPrefer: %s\r\n\r\n%s\n", m.key, prefer, batchItem("A-1", 0.32))
			if err != nil {
				s.Fatal(err)
			}
			answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				s.Fatal(err)
			}
			body, _ := io.ReadAll(answer.Body)
			if answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "Content-Length") {
				s.Errorf("%s: %d %s", prefer, answer.StatusCode, body)
			}
			_ = answer.Body.Close()
			_ = conn.Close()
		}
	})
}

// lineStream is a stream that a test writes and reads line by line.
type lineStream struct {
	*member
	to   *io.PipeWriter
	from *bufio.Scanner
	done func() error
}

func (m *member) stream(path string, headers ...string) *lineStream {
	m.Helper()
	body, to := io.Pipe()
	request, err := http.NewRequestWithContext(m.Context(), http.MethodPost, m.url+path, body)
	if err != nil {
		m.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	request.Header.Set("Authorization", "Bearer "+m.key)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		m.Fatal(err)
	}
	if got := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK ||
		got != "application/x-ndjson" {
		m.Fatalf("%d %s", response.StatusCode, got)
	}
	from := bufio.NewScanner(response.Body)
	from.Buffer(nil, 1<<20)
	return &lineStream{m, to, from, response.Body.Close}
}

func (l *lineStream) write(text string) {
	l.Helper()
	if _, err := io.WriteString(l.to, text); err != nil {
		l.Fatal(err)
	}
}

// read returns the next answer. It fails at the end of the stream.
func (l *lineStream) read() answer {
	l.Helper()
	if !l.from.Scan() {
		l.Fatalf("the stream has ended: %v", l.from.Err())
	}
	return answer{t: l.T, body: append([]byte(nil), l.from.Bytes()...), sent: "a line"}
}

// end checks that the stream has ended.
func (l *lineStream) end() {
	l.Helper()
	if l.from.Scan() || l.from.Err() != nil {
		l.Errorf("more than expected: %s, %v", l.from.Bytes(), l.from.Err())
	}
	_ = l.done()
}

// TestBatchStream sends applications one by one and reads each answer before it sends the next, then many at once.
func TestBatchStream(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		l := m.stream("/v1/decisions/batch", "Idempotency-Key: k")
		for i := range 3 {
			l.write("\n" + batchItem(fmt.Sprint("A-", i), 0.32) + "\r\n")
			if got := l.read(); got.at("index") != float64(i) || got.at("decision", "status") == nil {
				s.Errorf("answer %d: %s", i, got.body)
			}
		}
		l.write("{\n" + batchItem("A-4", 32) + "\n")
		if got := l.read(); got.at("error", "code") != "malformed_json" || got.at("index") != 3.0 {
			s.Errorf("half a document: %s", got.body)
		}
		if got := l.read(); got.at("error", "errors", 0, "pointer") != "/applicant/foir" {
			s.Errorf("a wrong ratio: %s", got.body)
		}
		const many = 200
		go func() {
			for i := range many {
				_, _ = io.WriteString(l.to, batchItem(fmt.Sprint("B-", i), 0.32)+"\n")
			}
			_, _ = io.WriteString(l.to, batchItem("the last line is not terminated", 0.32))
			_ = l.to.Close()
		}()
		for i := range many + 1 {
			if got := l.read(); got.at("index") != float64(i+5) || got.at("decision", "status") == nil {
				s.Fatalf("answer %d: %s", i, got.body)
			}
		}
		l.end()
		if used := m.get("/v1/usage").at("used"); used != float64(many+4) {
			s.Errorf("used %v units", used)
		}

		again := m.stream("/v1/decisions/batch", "Idempotency-Key: k")
		again.write(batchItem("A-0", 0.32) + "\n")
		if got := again.read(); got.at("replayed") != true {
			s.Errorf("repeated: %s", got.body)
		}
		_ = again.to.Close()
		again.end()
	})
}

// TestBatchRepeatedInAnotherForm repeats the applications of a body as a stream and the other way round. Blanks and
// escapes may differ, but no value may.
func TestBatchRepeatedInAnotherForm(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		plain := batchItem("A-1", 0.32)
		other := strings.NewReplacer("A-1", `\u0041-1`, ":", " :  ", "{", "{ ").Replace(plain)
		changed := strings.Replace(plain, "85000", "85001", 1)
		stream := func(key string, lines ...string) (answers []answer) {
			l := m.stream("/v1/decisions/batch", "Idempotency-Key: "+key)
			for _, line := range lines {
				l.write(line + "\n")
				answers = append(answers, l.read())
			}
			_ = l.to.Close()
			l.end()
			return answers
		}
		m.post("/v1/decisions/batch", batchOf(other, plain, plain), "Idempotency-Key: body").want(http.StatusOK)
		again := stream("body", plain, other, changed)
		if again[0].at("replayed") != true || again[1].at("replayed") != true {
			s.Errorf("a body repeated as a stream: %s\n%s", again[0].body, again[1].body)
		}
		if got := again[2].at("error", "code"); got != "idempotency_key_reused" {
			s.Errorf("another application under a used key: %v", got)
		}
		stream("stream", other, plain)
		body := m.post("/v1/decisions/batch", batchOf(other, other), "Idempotency-Key: stream").want(http.StatusOK)
		if body.at("results", 0, "replayed") != true || body.at("results", 1, "replayed") != true {
			s.Errorf("a stream repeated as a body: %s", body.body)
		}
	})
}

// TestBatchStreamEnds checks how a stream ends early: the last line says why, and what was read before is decided
// and answered.
func TestBatchStreamEnds(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]struct {
		with func(*lineStream)
		code string
	}{
		"the key is revoked":    {func(l *lineStream) { l.revoke(batchItem("A-2", 0.32) + "\n") }, "key_revoked"},
		"revoked, blank lines":  {func(l *lineStream) { l.revoke("\n") }, "key_revoked"},
		"revoked, half a line":  {func(l *lineStream) { l.revoke(`{"applicant":`) }, "key_revoked"},
		"the node stops":        {func(l *lineStream) { l.api.Leave() }, "unavailable"},
		"a line is too long":    {func(l *lineStream) { l.fill() }, "request_too_large"},
		"the body is cut short": {func(l *lineStream) { _ = l.to.CloseWithError(io.ErrUnexpectedEOF) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, stackOptions{pace: time.Hour}, func(s *stack) {
				m := s.signup()
				l := m.stream("/v1/decisions/batch")
				l.write(batchItem("A-1", 0.32) + "\n")
				if got := l.read(); got.at("decision", "status") == nil {
					s.Errorf("the answer is %s", got.body)
				}
				ends.with(l)
				if ends.code == "" {
					for l.from.Scan() { // the client has closed the connection, so it gets no further answer
						s.Errorf("answered with %s", l.from.Bytes())
					}
				} else {
					if got := l.read(); got.at("error", "code") != ends.code || got.at("index") != nil {
						s.Errorf("the last line is %s", got.body)
					}
					l.end()
				}
				reader := m.with(tenant.Sandbox, tenant.Read, m.userID)
				if used := reader.get("/v1/usage").at("used"); used != 1.0 {
					s.Errorf("used %v units", used)
				}
			})
		})
	}
}

// TestBatchStreamConnection checks that the answer to a stream says that the connection closes, unless the body is
// short. If a long stream ends early, net/http closes the connection, and a client that does not know it gets an error
// for its next request.
func TestBatchStreamConnection(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		for _, c := range []struct {
			name   string
			body   io.Reader
			closes bool
		}{
			{"short", strings.NewReader("x"), false},
			{"200 KiB", strings.NewReader(strings.Repeat("x", 200<<10)), false},
			{"300 KiB", strings.NewReader(strings.Repeat("x", 300<<10)), true},
			{"of unknown length", io.MultiReader(strings.NewReader("x")), true},
		} {
			url := s.url + "/v1/decisions/batch"
			request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, url, c.body)
			if err != nil {
				s.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+m.key)
			request.Header.Set("Content-Type", "application/x-ndjson")
			if c.closes { // net/http closes the connection after an answer to a request that expects 100
				request.Header.Set("Expect", "100-continue")
			}
			request = request.WithContext(httptrace.WithClientTrace(s.Context(), &httptrace.ClientTrace{
				Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
					if h.Get("Content-Type") != "" { // Go's client removes Connection, which is set together with it
						s.Errorf("a body %s: the interim answer %d has the headers of the answer", c.name, code)
					}
					return nil
				},
			}))
			got, err := http.DefaultClient.Do(request)
			if err != nil {
				s.Fatalf("a body %s: %v", c.name, err)
			}
			_, err = io.Copy(io.Discard, got.Body)
			_ = got.Body.Close()
			if err != nil || got.StatusCode != http.StatusOK || got.Close != c.closes {
				s.Errorf("a body %s: status %d, the connection closes: %v, want %v; %v",
					c.name, got.StatusCode, got.Close, c.closes, err)
			}
		}
	})
}

// TestBatchStreamStalls checks that a stream ends if no further line arrives in time, and that the lines that arrived
// are decided. On a busy machine the timeout may expire before the first line arrives; the test then tries again with
// a longer timeout.
func TestBatchStreamStalls(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m, used := s.signup(), 0.0
		for pace := 300 * time.Millisecond; used == 0 && pace < 2*time.Minute; pace *= 4 {
			l := m.on(s.node(stackOptions{pace: pace})).stream("/v1/decisions/batch")
			l.write(batchItem("A-1", 0.32) + "\n")
			got := l.read()
			if got.at("decision", "status") != nil {
				used, got = 1, l.read()
			}
			if got.at("error", "code") != "request_timeout" || got.at("index") != nil {
				s.Errorf("the last line is %s", got.body)
			}
			l.end()
		}
		if used != 1 {
			s.Error("no line was decided")
		}
		if got := m.with(tenant.Sandbox, tenant.Read, m.userID).get("/v1/usage").at("used"); got != used {
			s.Errorf("used %v units", got)
		}
	})
}

// revoke revokes the key of the stream and sends more.
func (l *lineStream) revoke(more string) {
	l.Helper()
	keys, err := l.db.Accounts().ListKeys(l.Context(), l.tenantID, l.clock.now().UnixMicro())
	if err != nil || len(keys) != 1 {
		l.Fatalf("%d keys, %v", len(keys), err)
	}
	if _, err := l.service.Operator.RevokeKey(l.Context(), l.tenantID, keys[0].ID); err != nil {
		l.Fatal(err)
	}
	l.clock.advance(time.Minute)
	l.write(more)
}

// fill sends a line that never ends.
func (l *lineStream) fill() {
	go func() {
		part := strings.Repeat(" ", 1<<20)
		for range 9 {
			if _, err := io.WriteString(l.to, part); err != nil {
				return
			}
		}
	}()
}

// TestBatchStreamRefusedAtOnce checks that a client that sends one line and waits for the answer gets the refusal,
// although its body has not ended.
func TestBatchStreamRefusedAtOnce(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		body, to := io.Pipe()
		defer func() { _ = to.Close() }()
		request, err := http.NewRequestWithContext(s.Context(), http.MethodPost, s.url+"/v1/decisions/batch", body)
		if err != nil {
			s.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-ndjson")
		go func() { _, _ = io.WriteString(to, "{}\n") }()
		got, err := s.do(request)
		if err != nil {
			s.Fatal(err)
		}
		got.refused(http.StatusUnauthorized, "unauthenticated")
	})
}

// TestBatchStreamMemory checks that a stream gives back the memory of a long line, so that a tenant with four such
// streams can still send other requests.
func TestBatchStreamMemory(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		before := m.memory.InUse()
		for i := range 4 {
			l := m.stream("/v1/decisions/batch")
			l.write(`{"padding":"` + strings.Repeat("x", 7<<20) + "\"}\n")
			if got := l.read(); got.at("error") == nil && got.at("decision") == nil {
				s.Errorf("answered with %.200s", got.body)
			}
			defer func() { _ = l.to.Close() }()
			// Wait, because the stream may give the memory back after the client has received the answer. It does
			// so before it reads the next line.
			for m.memory.InUse() > before+int64(i+1)*(httpapi.StreamMemory+1<<20) {
				<-time.After(time.Millisecond) // if this never ends, the test's own deadline ends it
			}
		}
		m.post("/v1/decisions/batch", batchOf(batchItem("A-1", 0.32))).want(http.StatusOK)
		m.post("/v1/decisions/preview", `{"bureau_report":{"score":742},"padding":"`+strings.Repeat("x", 4<<20)+`"}`).
			want(http.StatusOK)
	})
}

// TestBatchStreamRefused checks refusals before a stream begins.
func TestBatchStreamRefused(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		const lines = "Content-Type: application/x-ndjson"
		m.post("/v1/decisions/batch", "{}", lines, "Content-Encoding: gzip").
			refused(http.StatusUnsupportedMediaType, "unsupported_media_type")
		m.post("/v1/decisions/batch?a=b", "{}", lines).refused(http.StatusUnprocessableEntity, "unknown_field")
		m.post("/v1/decisions", "{}", lines).refused(http.StatusUnsupportedMediaType, "unsupported_media_type")
		reader := m.with(tenant.Sandbox, tenant.Read, m.userID)
		reader.post("/v1/decisions/batch", "{}", lines).refused(http.StatusForbidden, "insufficient_scope")
		reader.post("/v1/decisions/batch", "{}").refused(http.StatusForbidden, "insufficient_scope")
		if used := m.get("/v1/usage").at("used"); used != 0.0 {
			s.Errorf("used %v units", used)
		}
	})
}
