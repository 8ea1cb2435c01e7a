package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"verdict/internal/batchdesk"
)

// TestBatchOneBad sends a thousand applications, of which one is refused, as a body and as a stream. The others are
// decided and billed.
func TestBatchOneBad(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: fastPlans()}, func(s *stack) {
		const count, bad = 1000, 417
		m := s.signup()
		lines := strings.Split(strings.TrimSuffix(rowsOf(count, bad), "\n"), "\n")
		check := func(i int, result map[string]any) {
			s.Helper()
			refused := strings.Contains(fmt.Sprint(result["error"]), "/applicant/foir")
			if result["index"] != float64(i) || (result["decision"] != nil) == (i == bad) || refused != (i == bad) {
				s.Errorf("result %d is %v", i, result)
			}
		}
		results := m.post("/v1/decisions/batch", batchOf(lines...)).want(http.StatusOK).list("results")
		for i, e := range results {
			result, _ := e.(map[string]any)
			check(i, result)
		}
		if len(results) != count {
			s.Errorf("%d results", len(results))
		}
		m.get("/v1/usage").want(http.StatusOK).is("used", count-1)

		l := m.stream("/v1/decisions/batch")
		go func() {
			_, _ = l.to.Write([]byte(strings.Join(lines, "\n")))
			_ = l.to.Close()
		}()
		for i := range count {
			check(i, l.read().object())
		}
		l.end()
		m.get("/v1/usage").want(http.StatusOK).is("used", 2*(count-1))
		if n := len(m.decisionIDs()); n != 2*(count-1) {
			s.Errorf("%d decisions are stored", n)
		}
	})
}

// outcomes has the decision ids of the answers to a batch, "" for an application that another request is deciding.
type outcomes []string

// noted returns the outcome of one application.
func noted(result any) (string, error) {
	of, _ := result.(map[string]any)
	decision, _ := of["decision"].(map[string]any)
	id, _ := decision["decision_id"].(string)
	problem, _ := of["error"].(map[string]any)
	if id == "" && problem["code"] != "idempotency_in_progress" {
		return "", fmt.Errorf("an application is answered with %v", result)
	}
	return id, nil
}

// asBody sends the applications as a body.
func (m *member) asBody(lines []string, key string) (o outcomes, err error) {
	got, err := m.trySend("POST", "/v1/decisions/batch", m.key, batchOf(lines...), "Idempotency-Key: "+key)
	if err != nil {
		return nil, err
	}
	for _, result := range got.list("results") {
		id, err := noted(result)
		if err != nil {
			return nil, err
		}
		o = append(o, id)
	}
	return o, nil
}

// asStream sends the applications as a stream.
func (m *member) asStream(lines []string, key string) (o outcomes, err error) {
	got, err := m.trySend("POST", "/v1/decisions/batch", m.key, strings.Join(lines, "\n"), "Idempotency-Key: "+key,
		"Content-Type: application/x-ndjson")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(got.body)) {
		id, err := noted(answer{t: m.T, body: []byte(line), sent: "a line"}.object())
		if err != nil {
			return nil, err
		}
		o = append(o, id)
	}
	return o, nil
}

// TestBatchTwiceAtOnce sends the same applications under one key in two concurrent requests: as bodies, as streams,
// and as a body and a stream. Each application is decided and billed once, and repetitions have the answers of that
// decision.
func TestBatchTwiceAtOnce(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: fastPlans()}, func(s *stack) {
		const count = 60
		lines := strings.Split(strings.TrimSuffix(rowsOf(count), "\n"), "\n")
		type form = func(*member, []string, string) (outcomes, error)
		for name, forms := range map[string][]form{
			"two bodies":          {(*member).asBody, (*member).asBody},
			"two streams":         {(*member).asStream, (*member).asStream},
			"a body and a stream": {(*member).asBody, (*member).asStream},
		} {
			m := s.signup()
			seen := make([]outcomes, len(forms))
			var all sync.WaitGroup
			for i, send := range forms {
				all.Go(func() {
					var err error
					if seen[i], err = send(m, lines, "k"); err != nil {
						s.Errorf("%s: %v", name, err)
					}
				})
			}
			all.Wait()
			last, err := m.asBody(lines, "k")
			if err != nil {
				s.Fatal(err)
			}
			different := map[string]bool{}
			for i, id := range last {
				if different[id] = true; id == "" {
					s.Errorf("%s: application %d is still being decided", name, i)
				}
				for _, o := range seen {
					if len(o) != count || o[i] != "" && o[i] != id {
						s.Errorf("%s: application %d has the decisions %s and %v", name, i, id, o)
					}
				}
			}
			if stored := len(m.decisionIDs()); stored != count || len(different) != count {
				s.Errorf("%s: %d decisions are stored and %d are shown, want %d", name, stored, len(different), count)
			}
			m.get("/v1/usage").want(http.StatusOK).is("used", count)
		}
	})
}

// TestBatchJobTwiceAtOnce starts the same job under one key in two concurrent requests. Only one job decides the rows.
func TestBatchJobTwiceAtOnce(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: fastPlans(), batches: batchdesk.Limits{ChunkRows: 20}}, func(s *stack) {
		const count = 60
		m := s.signup()
		answers := make([]answer, 2)
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				var err error
				answers[i], err = m.trySend("POST", "/v1/decisions/batch", m.key, rowsOf(count),
					append([]string{"Idempotency-Key: k"}, jobHeaders...)...)
				if err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		path := m.startJob(rowsOf(count), "Idempotency-Key: k")
		for _, a := range answers {
			switch {
			case a.status == http.StatusAccepted && a.header.Get("Location") == path:
			case a.status == http.StatusConflict && a.text("code") == "idempotency_in_progress":
			default:
				s.Errorf("answered with %d at %s: %s", a.status, a.header.Get("Location"), a.body)
			}
		}
		for _, e := range m.get("/v1/batches").want(http.StatusOK).list("data") {
			batch, _ := e.(map[string]any)
			m.runChunks(fmt.Sprint("/v1/batches/", batch["batch_id"]), 3)
		}
		m.get(path).want(http.StatusOK).is("status", "completed", "progress.rows_done", count)
		m.get("/v1/usage").want(http.StatusOK).is("used", count)
		if n := len(m.decisionIDs()); n != count {
			s.Errorf("%d decisions are stored", n)
		}
	})
}

// TestBatchUnderUsedKey sends batches under keys that other requests have used: a single application under the same
// key, and a job whose key is that of the first application of the batch. No request gets the answer of another one.
func TestBatchUnderUsedKey(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: fastPlans()}, func(s *stack) {
		m := s.signup()
		one, two := batchItem("A-1", 0.32), batchItem("A-2", 0.32)
		for _, key := range []string{"k", "k/0"} {
			m.post("/v1/decisions", one, "Idempotency-Key: "+key).want(http.StatusOK)
		}
		batch := m.post("/v1/decisions/batch", batchOf(one, two), "Idempotency-Key: k").want(http.StatusOK)
		for i := range 2 {
			if batch.at("results", i, "decision", "status") == nil || batch.at("results", i, "replayed") != nil {
				s.Errorf("application %d under a key of POST /v1/decisions: %s", i, batch.body)
			}
		}
		again := m.post("/v1/decisions", one, "Idempotency-Key: k").want(http.StatusOK)
		if again.header.Get("Idempotent-Replayed") != "true" ||
			again.at("decision_id") == batch.at("results", 0, "decision", "decision_id") {
			s.Errorf("the single application again: %s", again.body)
		}
		m.get("/v1/usage").want(http.StatusOK).is("used", 4)

		path := m.startJob(one, "Idempotency-Key: j/0")
		mixed := m.post("/v1/decisions/batch", batchOf(one, two), "Idempotency-Key: j").want(http.StatusOK)
		if mixed.at("results", 0, "error", "code") != "idempotency_key_reused" ||
			mixed.at("results", 1, "decision", "status") == nil {
			s.Errorf("the first application has the key of a job: %s", mixed.body)
		}
		m.runChunks(path, 1)
		m.get(path).want(http.StatusOK).is("status", "completed", "counts.by_policy.0.rows", 1)
		m.get("/v1/usage").want(http.StatusOK).is("used", 6)
	})
}
