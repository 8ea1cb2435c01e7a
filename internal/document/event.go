package document

import (
	"verdict/internal/eventdesk"
	"verdict/internal/wire"
)

// WriteFeed writes a part of the events.
func WriteFeed(w *wire.Writer, f eventdesk.Feed) {
	w.Object().Key("data").Array()
	for i := range f.Events {
		writeEvent(w, &f.Events[i])
	}
	w.EndArray().Key("last_sequence").Int(f.Last).Key("has_more").Bool(f.More).EndObject()
}

func writeEvent(w *wire.Writer, e *eventdesk.Event) {
	w.Object().Key("id").String(e.ID).Key("sequence").Int(e.Sequence).Key("type").String(e.Type)
	w.Key("timestamp").String(e.At)
	if e.Backfilled {
		w.Key("backfilled").Bool(true)
	}
	if e.Data != nil {
		w.Key("data").Raw(e.Data).EndObject()
		return
	}
	d := &e.Decision
	w.Key("data").Object().Key("decision_id").String(d.ID)
	if d.Status != "" {
		w.Key("status").String(d.Status).Key("grade").String(d.Grade)
		w.Key("policy_key").String(d.PolicyKey).Key("rule_set_id").String(d.RuleSetID)
		w.Key("policy_version").Int(d.PolicyVersion)
		w.Key("endpoint").String(d.Endpoint).Key("decision_hash").String(d.Hash)
	}
	w.EndObject().EndObject()
}
