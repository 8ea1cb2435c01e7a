package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/batchdesk"
	"verdict/internal/store"
)

// cutOff sends the first part of a body and then breaks the connection. The service answers nobody.
func (m *member) cutOff(method, path, part string, headers ...string) {
	m.Helper()
	body, to := io.Pipe()
	request, err := http.NewRequestWithContext(m.Context(), method, m.url+path, body)
	if err != nil {
		m.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+m.key)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Set(name, value)
	}
	go func() {
		_, _ = io.WriteString(to, part) // a refusal may come before everything is sent
		_ = to.CloseWithError(io.ErrUnexpectedEOF)
	}()
	if got, err := m.do(request); err == nil && got.status < http.StatusBadRequest {
		m.Errorf("%s %s: a part of a body was accepted: %d %s", method, path, got.status, got.body)
	}
}

// listChunks returns the number of stored chunks of lists.
func (m *member) listChunks() int {
	m.Helper()
	later := m.clock.now().Add(time.Hour).UnixMicro()
	found, err := m.db.System().OlderChunks(m.Context(), store.ChunkPlace{}, later, 10_000)
	if err != nil {
		m.Fatal(err)
	}
	return len(found)
}

// cuts sends the first half of a file plainly on a connection that breaks, and the file compressed, without its end.
func (m *member) cuts(method, path, file string, headers ...string) {
	m.Helper()
	m.cutOff(method, path, file[:len(file)/2], headers...)
	packed := zipped(m.T, file)
	m.cutOff(method, path, packed[:len(packed)/2], append(headers, "Content-Encoding: gzip")...)
	got, err := m.trySend(method, path, m.key, packed[:len(packed)-20], append(headers, "Content-Encoding: gzip")...)
	if err != nil {
		m.Fatal(err)
	}
	checkContract(m.T, method, path, "", got)
	got.refused(http.StatusBadRequest, "malformed_body")
}

// TestCutUploads cuts the upload of a list, a table and a job in the middle, plain and compressed. The list and the
// table keep their versions, nothing is decided or billed, and nothing that was stored for the uploads is left.
func TestCutUploads(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{batches: batchdesk.Limits{ChunkRows: 50}}, func(s *stack) {
		m := s.signup()
		const words, limits = "/v1/lists/words", "/v1/tables/limits"
		m.put(words, `{"type":"text","entries":[{"value":"acme"},{"value":"globex"}]}`).want(http.StatusOK)
		m.put(limits, limitTable).want(http.StatusOK)
		chunks, stored, memory := m.listChunks(), m.stored(), s.memory.InUse()

		var list, table strings.Builder
		list.WriteString("value\n")
		table.WriteString("employment_type,monthly_income.gte,monthly_income.lt,max_ltv,segment\n")
		for i := range 9_000 {
			_, _ = fmt.Fprintf(&list, "employer %d\n", i)
			_, _ = fmt.Fprintf(&table, "SALARIED,%d,%d,0.5,C\n", i, i+1)
		}
		m.cuts("PUT", words, list.String(), "Content-Type: text/csv")
		m.cuts("PUT", limits, table.String(), "Content-Type: text/csv")
		m.cuts("POST", "/v1/decisions/batch", rowsOf(300), jobHeaders...)

		s.eventually("the aborted jobs have failed", func() bool {
			failed := m.get("/v1/batches?status=failed").want(http.StatusOK).list("data")
			return len(failed) == 3 && len(m.get("/v1/batches").list("data")) == 3
		})
		for _, e := range m.get("/v1/batches").list("data") {
			batch, _ := e.(map[string]any)
			path := fmt.Sprint("/v1/batches/", batch["batch_id"])
			m.runChunks(path, 6)
			if done := m.get(path).at("progress", "rows_done"); done != 0.0 {
				s.Errorf("%v rows of an aborted job were decided", done)
			}
		}
		m.get(words).want(http.StatusOK).is("version", 1.0).is("entries", 2.0)
		m.get(words+"/contains?value=globex").want(http.StatusOK).is("contains", true)
		m.get(words+"/contains?value=employer%201").want(http.StatusOK).is("contains", false)
		m.get(limits).want(http.StatusOK).is("version", 1.0).is("rows", 2.0)
		m.get("/v1/usage").want(http.StatusOK).is("used", 0)
		if n := len(m.decisionIDs()); n != 0 {
			s.Errorf("%d applications were decided", n)
		}

		s.clock.advance(3 * time.Hour) // chunks of uploads that may still run are kept until then
		s.eventually("what the uploads have stored is deleted", func() bool {
			s.service.Lists.Purge(s.Context())
			return m.listChunks() == chunks && m.stored() == stored && s.memory.InUse() == memory
		})
		m.csv(words, list.String()).want(http.StatusOK).is("version", 2.0).is("entries", 9_000.0)
		m.csv(limits, table.String()).want(http.StatusOK).is("version", 2.0).is("rows", 9_000.0)
	})
}
