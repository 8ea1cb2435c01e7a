package torture

import (
	"net/http"
	"strings"
)

const (
	// batchShare sets how often a story sends a batch: one story in batchShare, if the scenario has batches.
	batchShare = 12
	// leastRows and moreRows set the number of rows of a batch: at least leastRows, and less than leastRows +
	// moreRows.
	leastRows, moreRows = 30, 90
)

// batch is a batch that was accepted as a job.
type batch struct {
	sent    *request
	first   int  // the profile of its first row; the next rows have the next profiles
	rows    int  // the number of its rows
	results kept // size 0 until all results were read
}

// sendsBatch sends applications as a job. The job runs after the answer, so the check waits for it. A lender with the
// small quota sends a single decision instead: in a job, the order of the work would determine which rows get the last
// units of the quota.
func (s *story) sendsBatch() {
	if s.scope.small {
		s.decides()
		return
	}
	b := &batch{first: s.rng.IntN(profiles), rows: leastRows + s.rng.IntN(moreRows)}
	var lines strings.Builder
	for i := range b.rows {
		lines.WriteString(profileOf((b.first+i)%profiles).decision(s.applicant(i)) + "\n")
	}
	r := s.post("/v1/decisions/batch", lines.String(), http.StatusAccepted)
	r.contentType, r.prefer = "application/x-ndjson", "respond-async"
	// If a node is stopped during an upload, the batch has no rows and counts as unfinished until it is
	// cancelled. Too many unfinished batches cause a conflict.
	r.want = append(r.want, http.StatusConflict)
	b.sent = r
	r.learn = learnBatch(r, b)
	s.do(r)
}

// learnBatch returns the function that updates the model with a batch that was accepted.
func learnBatch(r *request, b *batch) func(*model, answer) {
	return func(m *model, a answer) {
		var told struct {
			ID string `json:"batch_id"`
		}
		if !a.read(&told) || told.ID == "" {
			m.violate("batch-form", "%s: %s", r, short(a.body))
			return
		}
		m.count.Batches++
		r.scope.did("batch.created", told.ID)
		r.scope.batches[told.ID] = b
		r.scope.unseen.others[told.ID] = struct{}{}
	}
}
