package httpapi_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"verdict/internal/batchdesk"
	"verdict/internal/tenant"
)

// storage returns plans in which the free plan has a share of storage.
func storage(t *testing.T, text string) tenant.PricePlans {
	t.Helper()
	plans, err := tenant.DefaultPricePlans().WithStorage(text)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// noise returns a text of the given length that can hardly be compressed.
func noise(seed, length int) string {
	var text strings.Builder
	for i := 0; text.Len() < length; i++ {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", seed, i))
		text.WriteString(base64.RawStdEncoding.EncodeToString(sum[:]))
	}
	return text.String()[:length]
}

// noisyRows returns n rows of about a kilobyte each.
func noisyRows(seed, n int) string {
	var lines strings.Builder
	for i := range n {
		_, _ = fmt.Fprintf(&lines, `{"applicant":{"id":"A-%d","monthly_income":85000,"foir":0.32},`+
			`"bureau_report":{"score":742},"padding":%q}`+"\n", i, noise(seed*n+i, 900))
	}
	return lines.String()
}

// stored returns the number of bytes that count against the storage share of the member's sandbox.
func (m *member) stored() int64 {
	m.Helper()
	n, err := m.db.Scope(m.tenantID, string(tenant.Sandbox)).StoredBytes(m.Context()).Sum()
	if err != nil {
		m.Fatal(err)
	}
	return n
}

// TestStorageShare fills a tenant's share of storage in every way that is not billed. A request that would exceed the
// share is refused while it arrives, and leaves nothing behind. Other tenants, decisions, activations and everything
// that frees storage still work.
func TestStorageShare(t *testing.T) {
	t.Parallel()
	o := stackOptions{plans: storage(t, "free=1MiB"), backtests: tiny, spread: &waiting{}}
	o.batches = batchdesk.Limits{ChunkRows: 50}
	each(t, o, func(s *stack) {
		m := s.signup()
		draft := m.post("/v1/rule-sets", `{"name":"before"}`).want(http.StatusCreated).text("id")
		job := m.startJob(noisyRows(1, 500))
		used := m.stored()
		if used < 350<<10 || used > 700<<10 {
			s.Fatalf("a job of 500 rows takes %d bytes", used)
		}

		for _, kind := range []string{"batch", "backtest"} {
			rows := noisyRows(2, 1500)
			if kind == "batch" {
				m.post("/v1/decisions/batch", rows, jobHeaders...).refused(http.StatusConflict, "cap_reached")
				m.get("/v1/batches?status=failed").want(http.StatusOK).is("data.0.error.code", "cap_reached")
			} else {
				csv := strings.Replace(bookCSV(1), "\n", ",padding\n", 1)
				header, row, _ := strings.Cut(strings.TrimSpace(csv), "\n")
				var file strings.Builder
				file.WriteString(header + "\n")
				for i := range 1500 {
					_, _ = fmt.Fprintf(&file, "%s,%s\n", row, noise(9_000+i, 900))
				}
				m.upload("", "text/csv", file.String()).refused(http.StatusConflict, "cap_reached")
			}
			if now := m.stored(); now > used+4<<10 { // at most an Idempotency-Key may be stored
				s.Errorf("a refused %s has left %d bytes", kind, now-used)
			}
		}
		m.csv("/v1/lists/employers?type=text", noisyList()).
			refused(http.StatusConflict, "cap_reached")
		if now := m.stored(); now != used {
			s.Errorf("a refused list has left %d bytes", now-used)
		}

		loan := func(i int) answer {
			return m.post("/v1/exposures", fmt.Sprintf(`{"applicant_ref":"P-%d","product":"gold","outstanding":5}`, i))
		}
		room := (1<<20 - used) / 1024
		for i := range room {
			loan(int(i)).want(http.StatusOK)
		}
		loan(int(room)).refused(http.StatusConflict, "cap_reached")
		loan(0).want(http.StatusOK) // this loan is already stored
		m.post("/v1/rule-sets", `{"name":"after"}`).refused(http.StatusConflict, "cap_reached")
		m.post("/v1/eligibility", sample, "Idempotency-Key: e").refused(http.StatusConflict, "cap_reached")
		m.post("/v1/eligibility", sample).want(http.StatusOK)
		m.post("/v1/decisions", sample, "Idempotency-Key: d").want(http.StatusOK)
		m.post("/v1/rule-sets/"+draft+"/activate", `{}`).want(http.StatusOK)
		m.post("/v1/exposures", `{"applicant_ref":"P-0","product":"gold","closed":true}`).want(http.StatusOK)
		other := s.signup()
		other.post("/v1/rule-sets", `{"name":"other"}`).want(http.StatusCreated)

		m.post(job+"/cancel", "").want(http.StatusOK)
		m.runChunks(job, 10)
		m.get(job).want(http.StatusOK).is("status", "cancelled")
		loan(int(room)).want(http.StatusOK)
	})
}

// noisyList returns a file with more entries than the share of storage allows.
func noisyList() string {
	var file strings.Builder
	file.WriteString("value\n")
	for i := range 10_000 {
		file.WriteString(noise(20_000+i, 90) + "\n")
	}
	return file.String()
}
