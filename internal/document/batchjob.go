package document

import (
	"verdict/internal/batchdesk"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// EncodeStartedBatch answers 202 with the state of a batch and its address.
func EncodeStartedBatch(b batchdesk.Batch) operation.Answer {
	a := answer(statusAccepted, func(w *wire.Writer) { WriteBatch(w, b) })
	a.Location = "/v1/batches/" + b.ID
	return a
}

// EncodeBatch answers 200 with the state of a batch.
func EncodeBatch(b batchdesk.Batch) operation.Answer {
	return answer(operation.StatusOK, func(w *wire.Writer) { WriteBatch(w, b) })
}

// WriteBatch writes the state of a batch.
func WriteBatch(w *wire.Writer, b batchdesk.Batch) {
	w.Object().Key("batch_id").String(b.ID).Key("status").String(b.Status).Key("endpoint").String(b.Endpoint)
	w.Key("progress").Object().Key("rows_done").Int(b.RowsDone)
	if b.Rows > 0 { // the total is unknown while rows arrive
		w.Key("rows_total").Int(b.Rows)
	}
	w.EndObject()

	w.Key("counts").Object()
	writeCounts(w, "by_status", b.Counts.Statuses)
	writeCounts(w, "by_error", b.Counts.Errors)
	w.Key("by_policy").Array()
	for _, ref := range b.Counts.Sorted() {
		w.Object().Key("policy_key").String(ref.Key).Key("rule_set_id").String(ref.ID)
		w.Key("version").Int(ref.Version).Key("rows").Int(b.Counts.Policies[ref]).EndObject()
	}
	w.EndArray().EndObject()

	w.Key("results_deleted").Bool(b.Expired)
	w.Key("error")
	if b.ErrorCode == "" {
		w.Null()
	} else {
		w.Object().Key("code").String(b.ErrorCode).Key("detail").String(b.ErrorDetail).EndObject()
	}
	w.Key("created_at").String(operation.Clock(b.CreatedMicros)).Key("created_by").String(b.CreatedBy)
	optionalTime(w, "started_at", b.StartedMicros)
	optionalTime(w, "finished_at", b.FinishedMicros)
	w.EndObject()
}

func writeCounts(w *wire.Writer, name string, counts map[string]int64) {
	w.Key(name).Object()
	for _, key := range batchdesk.Names(counts) {
		w.Name(key).Int(counts[key])
	}
	w.EndObject()
}

// WriteBatchRow writes the outcome of a row. problem is the problem document of a row that was not decided.
func WriteBatchRow(w *wire.Writer, r *batchdesk.Row, problem []byte) {
	w.Object().Key("index").Int(r.Index)
	if r.Err != nil {
		w.Key("error").Raw(problem).EndObject()
		return
	}
	w.Key("decision_id").String(r.DecisionID).Key("status").String(r.Status)
	optional(w, "grade", r.Grade)
	w.Key("policy").Object().Key("policy_key").String(r.Policy.Key).Key("id").String(r.Policy.ID)
	w.Key("version").Int(r.Policy.Version).EndObject().EndObject()
}
