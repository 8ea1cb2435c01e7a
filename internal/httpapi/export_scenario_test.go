package httpapi_test

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/store"
	"verdict/internal/tenant"
)

// longTrail makes the tenant's audit trail larger than the buffers of a
// connection, so that an export blocks until the client reads it.
func (m *member) longTrail() (entries int) {
	m.Helper()
	const batches, each = 3, 500
	ids, now, note := tenant.NewIDs(rand.Reader), m.clock.now(), "long "+strings.Repeat("n", 4<<10)
	for range batches {
		err := m.db.Scope(m.tenantID, "sandbox").Write(m.Context(), func(tx *store.Tx) error {
			for range each {
				id := ids.New(tenant.KindAudit, now)
				made, _ := tenant.Time(id)
				entry := store.AuditEntry{
					ID:            id,
					CreatedMicros: made.UnixMicro(),
					Actor:         "somebody",
					Action:        "looked",
					Note:          note,
				}
				if err := tx.Audit().Add(entry); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			m.Fatal(err)
		}
	}
	return batches * each
}

// slowExport requests the audit trail as a CSV file and reads only the header
// of the answer.
func (m *member) slowExport() (conn net.Conn, file io.Reader) {
	m.Helper()
	conn, err := (&net.Dialer{}).DialContext(m.Context(), "tcp", strings.TrimPrefix(m.url, "http://"))
	if err != nil {
		m.Fatal(err)
	}
	m.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn,
		"GET /v1/audit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nAccept: text/csv\r\n\r\n", m.key)
	if err != nil {
		m.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil) //nolint:bodyclose // closing would read it all
	if err != nil {
		m.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		m.Fatalf("the export is answered with %d", response.StatusCode)
	}
	return conn, response.Body
}

// exportTrail requests a small export of the audit trail.
func (m *member) exportTrail() answer {
	m.Helper()
	return m.get("/v1/audit?action=tenant.created", "Accept: text/csv")
}

// TestExportsHavePlacesOfTheirOwn fills all places for exports with clients
// that do not read. The next export is refused immediately, while decisions and
// lists are answered. A place is free again when its client disconnects or has
// read everything.
func TestExportsHavePlacesOfTheirOwn(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{exports: 2, inFlight: 1}, func(s *stack) {
		a, b, c := s.signup(), s.signup(), s.signup()
		a.longTrail()
		entries := b.longTrail()
		gone, _ := a.slowExport()
		a.exportTrail().unavailable(s.T) // a tenant may hold half of the places
		_, patient := b.slowExport()
		begun := time.Now()
		for range 20 {
			c.exportTrail().unavailable(s.T)
		}
		run := c.post("/v1/backtest", `{"rows":[{"score":742}]}`).want(http.StatusOK).text("backtest_id")
		c.get("/v1/backtest/" + run + "/rows").unavailable(s.T)
		c.get("/v1/backtest/" + run + "/report").want(http.StatusOK)
		for _, m := range []*member{a, b, c} {
			m.post("/v1/decisions", sample).want(http.StatusOK)
			m.get("/v1/audit?limit=1").want(http.StatusOK)
		}
		if took := time.Since(begun); took > time.Minute {
			s.Errorf("all that took %s", took)
		}
		refused := strings.Count(s.log.String(), "API requests were refused: a capacity limit is reached")
		if refused == 0 || refused > 5 {
			s.Errorf("the log tells %d times that exports were refused", refused)
		}

		if err := gone.Close(); err != nil {
			s.Fatal(err)
		}
		s.eventually("the place of a reader who went away is free", func() bool {
			return c.exportTrail().status == http.StatusOK
		})
		c.get("/v1/backtest/" + run + "/rows").want(http.StatusOK)
		file, err := io.ReadAll(patient)
		if err != nil {
			s.Fatal(err)
		}
		if n := strings.Count(string(file), "long n"); n != entries {
			s.Errorf("a slow reader got %d entries of %d", n, entries)
		}
		s.eventually("the place of a reader who has everything is free", func() bool {
			return b.exportTrail().status == http.StatusOK
		})
	})
}

// eventually waits until the condition holds, for at most two minutes.
func (s *stack) eventually(what string, is func() bool) {
	s.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for begun := time.Now(); !is(); <-tick.C {
		if time.Since(begun) > 2*time.Minute {
			s.Fatalf("%s: not after 2 minutes", what)
		}
	}
}
