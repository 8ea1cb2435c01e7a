package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/batchdesk"
	"verdict/internal/operation"
	"verdict/internal/tenant"
)

// jobHeaders are the headers of a request that starts a batch as a job.
var jobHeaders = []string{"Content-Type: application/x-ndjson", "Prefer: respond-async"}

// rowsOf returns n lines with applications. Those whose index is in bad are refused.
func rowsOf(n int, bad ...int) string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = batchItem(fmt.Sprintf("A-%d", i), 0.32)
	}
	for _, i := range bad {
		lines[i] = batchItem(fmt.Sprintf("A-%d", i), 32)
	}
	return strings.Join(lines, "\n") + "\n"
}

// startJob starts a batch as a job and returns its path.
func (m *member) startJob(body string, headers ...string) string {
	m.Helper()
	got := m.post("/v1/decisions/batch", body, append(headers, jobHeaders...)...).want(http.StatusAccepted)
	path := got.header.Get("Location")
	if path != "/v1/batches/"+got.text("batch_id") || got.header.Get("Preference-Applied") != "respond-async" {
		m.Errorf("started at %q with the headers %v", path, got.header)
	}
	return path
}

// runChunks runs the first n chunks of a batch in its environment.
func (m *member) runChunks(path string, n int64) {
	m.Helper()
	id := strings.TrimPrefix(path, "/v1/batches/")
	for _, environment := range tenant.Environments() {
		for number := int64(1); number <= n; number++ {
			chunk := operation.Chunk{
				TenantID: m.tenantID, Environment: string(environment), JobID: id, Number: number,
			}
			if err := m.service.RunChunk(m.Context(), chunk); err != nil {
				m.Fatal(err)
			}
		}
	}
}

// results returns the lines of the results of a batch.
func (m *member) results(path, query string) (rows []map[string]any) {
	m.Helper()
	got := m.get(path + "/results" + query).want(http.StatusOK)
	if kind := got.header.Get("Content-Type"); kind != "application/x-ndjson" {
		m.Errorf("the results are %s", kind)
	}
	for line := range bytes.Lines(got.body) {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil {
			m.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestBatchJob runs a job of a thousand rows, of which one is refused. Each of the others is decided once, stored and
// billed as if it had been sent alone.
func TestBatchJob(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{batches: batchdesk.Limits{ChunkRows: 300}}, func(s *stack) {
		m := s.signup()
		body := rowsOf(1000, 417)
		path := m.startJob(body, "Idempotency-Key: k")
		m.get(path).want(http.StatusOK).is("status", "queued", "progress.rows_total", 1000, "progress.rows_done", 0)
		if rows := m.results(path, ""); len(rows) != 0 {
			s.Errorf("%d results before anything was decided", len(rows))
		}
		again := m.post("/v1/decisions/batch", body, append([]string{"Idempotency-Key: k"}, jobHeaders...)...)
		if again.want(http.StatusAccepted).header.Get("Location") != path ||
			again.header.Get("Idempotent-Replayed") != "true" {
			s.Errorf("a repetition: %s", again.body)
		}
		m.post("/v1/decisions/batch", rowsOf(2), append([]string{"Idempotency-Key: k"}, jobHeaders...)...).
			refused(http.StatusUnprocessableEntity, "idempotency_key_reused")

		m.runChunks(path, 2)
		m.get(path).want(http.StatusOK).is("status", "running", "progress.rows_done", 600)
		if rows := m.results(path, ""); len(rows) != 600 {
			s.Errorf("%d results after two chunks", len(rows))
		}
		m.runChunks(path, 4) // the first two chunks are already done
		m.get(path).want(http.StatusOK).is("status", "completed", "progress.rows_done", 1000,
			"counts.by_error.invalid_field", 1, "counts.by_policy.0.rows", 999, "counts.by_policy.0.version", 1)
		m.get("/v1/usage").want(http.StatusOK).is("used", 999)
		events := m.get("/v1/events?after=1000&limit=1000").want(http.StatusOK).list("data")
		ended, _ := events[len(events)-1].(map[string]any)
		want := map[string]any{
			"batch_id": strings.TrimPrefix(path, "/v1/batches/"), "endpoint": "POST /v1/decisions", "rows": 1000.0,
			"status": "completed",
		}
		if diff := cmp.Diff(want, ended["data"]); ended["type"] != "batch.finished" || diff != "" {
			s.Errorf("the last event is %v (-want +got):\n%s", ended["type"], diff)
		}

		rows := m.results(path, "")
		if len(rows) != 1000 {
			s.Fatalf("%d results", len(rows))
		}
		seen := map[any]bool{}
		for i, row := range rows {
			if row["index"] != float64(i) || (row["error"] != nil) != (i == 417) || seen[row["decision_id"]] {
				s.Errorf("result %d: %v", i, row)
			}
			seen[row["decision_id"]] = true
		}
		refused := m.results(path, "?errors=1")
		if len(refused) != 1 || cmp.Diff(rows[417]["index"], refused[0]["index"]) != "" {
			s.Errorf("only errors: %v", refused)
		}
		problem, _ := refused[0]["error"].(map[string]any)
		if problem["code"] != "invalid_field" || problem["status"] != 422.0 {
			s.Errorf("the problem of a row: %v", problem)
		}
		if part := m.results(path, "?from=298&limit=4"); len(part) != 4 || part[0]["index"] != 298.0 ||
			part[3]["index"] != 301.0 {
			s.Errorf("a part of the results: %v", part)
		}
		id, _ := rows[3]["decision_id"].(string)
		single := m.post("/v1/decisions", batchItem("A-3", 0.32)).want(http.StatusOK)
		stored := m.get("/v1/decisions/" + id).want(http.StatusOK).object()
		delete(stored, "re_explanation")
		if diff := cmp.Diff(unnamed(single.object()), unnamed(stored)); diff != "" {
			s.Errorf("a row is not decided as alone (-alone +row):\n%s", diff)
		}
		if list := m.get("/v1/batches?status=completed").list("data"); len(list) != 1 {
			s.Errorf("%d batches are completed", len(list))
		}
	})
}

// TestBatchJobPolicies activates another policy while a job runs. Each row is decided by the policy that is active at
// that time.
func TestBatchJobPolicies(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{batches: batchdesk.Limits{ChunkRows: 10}}, func(s *stack) {
		m := s.signup()
		path := m.startJob(rowsOf(20))
		m.runChunks(path, 1)
		draft := m.stricter()
		m.post("/v1/rule-sets/"+draft+"/activate", "").want(http.StatusOK)
		s.clock.advance(time.Second) // the node reads the active policy again
		m.runChunks(path, 2)
		got := m.get(path).is("status", "completed", "counts.by_policy.0.rows", 10, "counts.by_policy.1.rows", 10)
		if got.at("counts", "by_policy", 0, "rule_set_id") != m.ruleSetID ||
			got.at("counts", "by_policy", 1, "rule_set_id") != draft {
			s.Errorf("by policy: %s", got.body)
		}
	})
}

// TestBatchJobQuota uses up the quota in the middle of a job. The other rows are refused, and the job ends.
func TestBatchJobQuota(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{plans: quota(t, "free=50"), batches: batchdesk.Limits{ChunkRows: 40}}, func(s *stack) {
		m := s.signup()
		path := m.startJob(rowsOf(120))
		m.runChunks(path, 3)
		m.get(path).is("status", "completed", "counts.by_error.quota_exceeded", 70, "counts.by_policy.0.rows", 50)
		m.get("/v1/usage").is("used", 50)
		if rows := m.results(path, "?errors=1"); len(rows) != 70 {
			s.Errorf("%d rows have an error", len(rows))
		}
	})
}

// TestBatchJobCancelled cancels jobs and deletes them. Rows that were decided stay decided, and the others get an
// error.
func TestBatchJobCancelled(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{batches: batchdesk.Limits{ChunkRows: 10, Unfinished: 2}}, func(s *stack) {
		m := s.signup()
		remove := func(path string) answer { return m.send("DELETE", path, m.key, "") }
		cancel := func(path string, headers ...string) answer { return m.post(path+"/cancel", "", headers...) }
		path := m.startJob(rowsOf(30))
		m.runChunks(path, 1)
		if detail := remove(path).refused(http.StatusConflict, "invalid_transition").text("detail"); !strings.Contains(
			detail, "POST /v1/batches/{id}/cancel") {
			s.Errorf("deleting a batch that runs: %s", detail)
		}
		cancel(path, "Idempotency-Key: c").want(http.StatusOK).is("status", "cancelling")
		cancel(path).want(http.StatusOK).is("status", "cancelling")
		remove(path).refused(http.StatusConflict, "invalid_transition")
		m.runChunks(path, 3)
		cancel(path).want(http.StatusOK).
			is("status", "cancelled", "counts.by_error.batch_cancelled", 20, "counts.by_policy.0.rows", 10)
		cancel(path, "Idempotency-Key: c").want(http.StatusOK).is("status", "cancelling") // the first answer again
		m.get("/v1/usage").is("used", 10)
		if rows := m.results(path, "?from=9&limit=2"); len(rows) != 2 || rows[0]["decision_id"] == nil ||
			rows[1]["error"] == nil {
			s.Errorf("the results of a cancelled batch: %v", rows)
		}
		done := m.startJob(rowsOf(1), "Idempotency-Key: d")
		m.runChunks(done, 1)
		cancel(done).refused(http.StatusConflict, "invalid_transition")
		id, _ := m.results(done, "")[0]["decision_id"].(string)
		stranger := s.signup()
		stranger.send("DELETE", done, stranger.key, "").refused(http.StatusNotFound, "not_found")
		remove(done).want(http.StatusNoContent)
		remove(done).refused(http.StatusNotFound, "not_found")
		m.get(done).refused(http.StatusNotFound, "not_found")
		m.get(done+"/results").refused(http.StatusNotFound, "not_found")
		again := m.post("/v1/decisions/batch", rowsOf(1), append([]string{"Idempotency-Key: d"}, jobHeaders...)...)
		detail := again.refused(http.StatusNotFound, "not_found").text("detail")
		if !strings.Contains(detail, "deleted") {
			s.Errorf("a repetition of the request of a deleted batch: %s", detail)
		}
		m.get("/v1/decisions/" + id).want(http.StatusOK)
		if list := m.get("/v1/batches").list("data"); len(list) != 1 {
			s.Errorf("%d batches are listed", len(list))
		}
		if list := m.get("/v1/audit?action=batch.deleted").list("data"); len(list) != 1 {
			s.Errorf("%d entries say that a batch was deleted", len(list))
		}
		if list := m.get("/v1/audit?action=batch.cancelled").list("data"); len(list) != 1 {
			s.Errorf("%d entries say that a batch was cancelled", len(list))
		}

		m.startJob(rowsOf(1))
		m.startJob(rowsOf(1))
		m.post("/v1/decisions/batch", rowsOf(1), jobHeaders...).refused(http.StatusConflict, "cap_reached")
	})
}

// TestBatchJobRevoked revokes the key of a job after its first chunk. The results of the other rows say so.
func TestBatchJobRevoked(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{batches: batchdesk.Limits{ChunkRows: 2}}, func(s *stack) {
		m := s.signup()
		other := m.with(tenant.Sandbox, tenant.Read, m.userID)
		path := m.startJob(rowsOf(4))
		m.runChunks(path, 1)
		id, _ := m.signed["key"].(map[string]any)["id"].(string)
		if _, err := s.service.Operator.RevokeKey(s.Context(), m.tenantID, id); err != nil {
			s.Fatal(err)
		}
		m.runChunks(path, 2)
		other.get(path).is("status", "completed", "counts.by_error.key_revoked", 2, "counts.by_policy.0.rows", 2)
		other.get("/v1/usage").is("used", 2)
		for _, row := range other.results(path, "?from=2") {
			if problem, _ := row["error"].(map[string]any); problem["code"] != "key_revoked" ||
				problem["status"] != 401.0 {
				s.Errorf("a row after the revocation: %v", row)
			}
		}
	})
}

// TestBatchJobRefused checks the refusals of jobs.
func TestBatchJobRefused(t *testing.T) {
	t.Parallel()
	limits := batchdesk.Limits{Rows: 3, Bytes: 2000, ChunkRows: 2}
	each(t, stackOptions{batches: limits}, func(s *stack) {
		m := s.signup()
		job := func(body string, headers ...string) answer {
			return m.post("/v1/decisions/batch", body, append(jobHeaders, headers...)...)
		}
		job("").refused(http.StatusUnprocessableEntity, "no_rows")
		job("\n \n").refused(http.StatusUnprocessableEntity, "no_rows")
		job(strings.Repeat("1\n", 4)).refused(http.StatusRequestEntityTooLarge, "request_too_large")
		job(strings.Repeat(" ", 2001)).refused(http.StatusRequestEntityTooLarge, "request_too_large")
		job("1", "Content-Encoding: br").refused(http.StatusUnsupportedMediaType, "unsupported_media_type")
		m.get("/v1/batches/bat_1").refused(http.StatusNotFound, "not_found")
		failed := m.get("/v1/batches?status=failed").list("data")
		if len(failed) != 1 { // the batch with too many rows
			s.Errorf("%d batches failed", len(failed))
		}
		path := m.startJob("not JSON\n\n" + batchItem("A-1", 0.3))
		m.runChunks(path, 1)
		m.get(path).is("status", "completed", "counts.by_error.malformed_json", 1, "counts.by_policy.0.rows", 1)

		packed := m.startJob(zipped(s.T, rowsOf(3)), "Content-Encoding: gzip")
		m.runChunks(packed, 2)
		m.get(packed).is("status", "completed", "counts.by_policy.0.rows", 3)
		reader := m.with(tenant.Sandbox, tenant.Read, m.userID)
		reader.post("/v1/decisions/batch", rowsOf(1), jobHeaders...).refused(http.StatusForbidden, "insufficient_scope")
	})
}

// TestBatchJobErased erases an applicant while a batch with a row of the applicant waits. The row is not decided.
func TestBatchJobErased(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{batches: batchdesk.Limits{ChunkRows: 2}}, func(s *stack) {
		m := s.signup()
		// An open offer would defer the erasure.
		declined := strings.Replace(batchItem("A-3", 0.32), "742", "442", 1)
		m.post("/v1/decisions", declined).want(http.StatusOK).is("status", "DECLINED")
		path := m.startJob(rowsOf(4))
		m.post("/v1/erasures", `{"applicant_ref":"A-3","reason":"applicant_request"}`).want(http.StatusCreated)
		m.runChunks(path, 2)
		m.get(path).is("status", "completed", "counts.by_error.erased", 1, "counts.by_policy.0.rows", 3)
		if rows := m.results(path, "?errors=1"); len(rows) != 1 || rows[0]["index"] != 3.0 {
			s.Errorf("the rows with an error: %v", rows)
		}
		later := m.startJob(rowsOf(4)) // a new request about the same person
		m.runChunks(later, 2)
		m.get(later).is("status", "completed", "counts.by_policy.0.rows", 4)
	})
}

// TestBatchJobEvaluates runs a job of evaluate requests.
func TestBatchJobEvaluates(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{}, func(s *stack) {
		m := s.signup()
		row := `{"bureau":"cibil","report":{"cibil":{"scoreData":{"score":781}}},"unknown":1}`
		for _, prefer := range []string{"respond-async", "respond-async, handling=strict"} {
			got := m.post("/v1/evaluate/batch", row, "Content-Type: application/x-ndjson", "Prefer: "+prefer)
			path := got.want(http.StatusAccepted).header.Get("Location")
			m.runChunks(path, 1)
			if done := m.get(path).is("status", "completed", "endpoint", "POST /v1/evaluate"); (prefer ==
				"respond-async") != (done.at("counts", "by_policy", 0) != nil) {
				s.Errorf("%s: %s", prefer, done.body)
			}
		}
	})
}

// TestBatchJobExpires checks that the results of a job expire, and that a job that takes too long ends.
func TestBatchJobExpires(t *testing.T) {
	t.Parallel()
	each(t, stackOptions{batches: batchdesk.Limits{ChunkRows: 1}}, func(s *stack) {
		m := s.signup()
		path := m.startJob(rowsOf(2))
		m.runChunks(path, 1)
		s.clock.advance(7 * 24 * time.Hour)
		m.runChunks(path, 2)
		m.get(path).is("status", "completed", "counts.by_error.batch_timed_out", 1, "counts.by_policy.0.rows", 1)
		s.clock.advance(31 * 24 * time.Hour)
		if err := s.service.Batches.Purge(s.Context(), 30*24*time.Hour); err != nil {
			s.Fatal(err)
		}
		m.get(path+"/results").refused(http.StatusGone, "batch_expired")
		m.get(path).want(http.StatusOK).is("results_deleted", true, "counts.by_policy.0.rows", 1)
	})
}
