package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"verdict/internal/httpapi"
)

// leave takes memory for the tenant, so that only the given number of bytes of its share stays free. It returns how
// much memory is then in use.
func (m *member) leave(free int64) int64 {
	m.Helper()
	if !m.memory.Take(m.tenantID, m.memory.Share()-free) {
		m.Fatal("the memory is in use")
	}
	return m.memory.InUse()
}

// TestBatchStreamLineMemory checks that a line takes memory while it arrives: a stream is refused in the middle of a
// line for which the tenant has no memory, and it gives back what it has taken.
func TestBatchStreamLineMemory(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		before := m.leave(4 << 20)
		l := m.stream("/v1/decisions/batch")
		l.write(batchItem("A-1", 0.32) + "\n")
		if got := l.read(); got.at("decision", "status") == nil {
			s.Errorf("a short line: %s", got.body)
		}
		go func() {
			_, _ = l.to.Write([]byte(`{"padding":"` + strings.Repeat("x", 2<<20)))
			_ = l.to.Close()
		}()
		if got := l.read(); got.at("error", "code") != "unavailable" || got.at("index") != nil {
			s.Errorf("a long line that has not ended: %.300s", got.body)
		}
		l.end()
		if after := s.memory.InUse(); after != before {
			s.Errorf("the stream has kept %d bytes", after-before)
		}
	})
}

// TestBatchStreamBlankMemory checks that a line of blanks gives its memory back.
func TestBatchStreamBlankMemory(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		m.leave(10 << 20)
		l := m.stream("/v1/decisions/batch")
		go func() {
			for range 8 {
				_, _ = l.to.Write([]byte(strings.Repeat(" ", 1<<20) + "\n"))
			}
			_, _ = l.to.Write([]byte(batchItem("A-1", 0.32) + "\n"))
			_ = l.to.Close()
		}()
		if got := l.read(); got.at("decision", "status") == nil {
			s.Errorf("after blank lines: %s", got.body)
		}
		l.end()
	})
}

// TestBatchJobMemory checks that the upload of a job takes memory for its longest row as that row arrives, and no more.
func TestBatchJobMemory(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		before := m.leave(12 << 20)
		m.startJob(rowsOf(3))
		long := rowsOf(1) + `{"padding":"` + strings.Repeat("x", 2<<20) + "\"}\n"
		m.post("/v1/decisions/batch", long, jobHeaders...).refused(http.StatusServiceUnavailable, "unavailable")
		if after := s.memory.InUse(); after != before {
			s.Errorf("the uploads have kept %d bytes", after-before)
		}
	})
}

// TestBatchStreamAnswerMemory checks that a stream takes memory for an answer before the application is decided, and
// gives it back.
func TestBatchStreamAnswerMemory(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		line := batchItem("A-1", 0.32) + "\n"
		// Leave enough memory for the stream and the application, but not for the answer.
		before := m.leave(httpapi.StreamMemory + 8<<10)
		l := m.stream("/v1/decisions/batch")
		l.write(line)
		if got := l.read(); got.at("error", "code") != "unavailable" || got.at("index") != float64(0) {
			s.Errorf("without memory for the answer: %.300s", got.body)
		}
		_ = l.to.Close()
		l.end()
		if after := s.memory.InUse(); after != before {
			s.Errorf("the stream has kept %d bytes", after-before)
		}
		s.memory.Give(m.tenantID, 64<<10)
		l = m.stream("/v1/decisions/batch")
		l.write(line)
		if got := l.read(); got.at("decision", "status") == nil {
			s.Errorf("with memory for the answer: %.300s", got.body)
		}
		_ = l.to.Close()
		l.end()
	})
}
