package document

import (
	"verdict/internal/operation"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// statusAccepted is the status of an answer to a request that is processed later.
const statusAccepted = 202

// EncodeRun answers 200 with the report of a run that has succeeded. For any other run it answers 202 with the state of
// the run and its address.
func EncodeRun(b study.Backtest) operation.Answer {
	if b.Status == study.Succeeded {
		return operation.Answer{Status: operation.StatusOK, Body: b.Report}
	}
	a := answer(statusAccepted, func(w *wire.Writer) { WriteBacktest(w, b) })
	a.Location = "/v1/backtest/" + b.ID
	return a
}

// EncodeBacktest answers 200 with the state of a run.
func EncodeBacktest(b study.Backtest) operation.Answer {
	return answer(operation.StatusOK, func(w *wire.Writer) { WriteBacktest(w, b) })
}

// WriteBacktest writes the state of a run with its report. The report is null until
// the run has succeeded.
func WriteBacktest(w *wire.Writer, b study.Backtest) {
	writeProgress(w, &b)
	w.Key("report")
	if len(b.Report) == 0 {
		w.Null()
	} else {
		w.Raw(b.Report)
	}
	writeOutcome(w, &b)
}

// WriteListedBacktest writes the state of a run in a list, without its report.
func WriteListedBacktest(w *wire.Writer, b study.Backtest) {
	writeProgress(w, &b)
	writeOutcome(w, &b)
}

func writeProgress(w *wire.Writer, b *study.Backtest) {
	w.Object().Key("backtest_id").String(b.ID).Key("status").String(b.Status).Key("source").String(b.Source)
	w.Key("rule_set_id").String(b.RuleSetID)
	optional(w, "challenger_rule_set_id", b.ChallengerID)
	w.Key("progress").Object().Key("rows_done").Int(b.RowsDone)
	if b.Status != study.Receiving && b.Rows > 0 { // the total is unknown while rows arrive
		w.Key("rows_total").Int(b.Rows)
	}
	w.EndObject()
}

func writeOutcome(w *wire.Writer, b *study.Backtest) {
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
