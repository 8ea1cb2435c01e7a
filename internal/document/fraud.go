package document

import (
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/frauddesk"
	"verdict/internal/operation"
	"verdict/internal/signal"
	"verdict/internal/wire"
)

// anyLength is the limit for texts whose length is checked later.
const anyLength = 1 << 30

// ReadBlock reads an entry of the block list.
func ReadBlock(body wire.Value, now time.Time) (frauddesk.NewBlock, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	n := frauddesk.NewBlock{Kind: text(&f, "kind"), Value: text(&f, "value"), Reason: text(&f, "reason")}
	n.ExpiresAt = readTime(&f, "expires_at")
	f.Done()
	n.Check(&faults, now)
	return n, faults.Err()
}

// text reads a text of any length. It returns "" if the member is missing. It copies the
// text, so that the text does not keep the body in memory.
func text(f *wire.Form, name string) string {
	t, _ := f.Text(name, anyLength)
	return strings.Clone(t)
}

// chosen does the same as text, but refuses an empty text. A client that chooses nothing must leave the member out.
func chosen(f *wire.Form, name string) string {
	t, ok := f.Text(name, anyLength)
	if ok && t == "" {
		f.Fail(name, fault.CodeOutOfRange, "must not be empty; leave it out instead")
	}
	return strings.Clone(t)
}

// firstYear is the first year of the times that readTime accepts. Programs write earlier times, such as
// 0001-01-01T00:00:00Z and 1970-01-01T00:00:00Z, for a missing time.
const firstYear = 2000

// readTime reads an RFC 3339 time. It returns the zero time if the member is missing.
func readTime(f *wire.Form, name string) time.Time {
	t, ok := f.Text(name, anyLength)
	if !ok {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, t)
	switch {
	case err != nil:
		f.Fail(name, fault.CodeOutOfRange, "must be an RFC 3339 time, such as 2027-01-31T18:30:00Z")
	case at.Year() < firstYear:
		f.Fail(name, fault.CodeOutOfRange, "must not be before %d; leave it out if there is no such time", firstYear)
	}
	return at
}

// EncodeBlocking answers 201 with a new entry, and 200 with an entry that existed
// before.
func EncodeBlocking(b frauddesk.Blocking) operation.Answer {
	status := operation.StatusOK
	if b.Added {
		status = operation.StatusCreated
	}
	return answer(status, func(w *wire.Writer) { WriteBlocked(w, b.Entry) })
}

// WriteBlocked writes an entry of the block list.
func WriteBlocked(w *wire.Writer, b frauddesk.Blocked) {
	optional(w.Object(), "id", b.ID)
	writeEntity(w, b.Entity)
	w.Key("blocked_at").Plain(operation.Clock(b.BlockedMicros)).Key("blocked_by").String(b.BlockedBy)
	optional(w, "alert_id", b.AlertID)
	optional(w, "reason", b.Reason)
	optionalTime(w, "expires_at", b.UntilMicros)
	if b.Expired {
		w.Key("expired").Bool(true)
	}
	w.EndObject()
}

// ReadAlertMove reads a step of an alert. The body names the step by the new status or
// by an action.
func ReadAlertMove(body wire.Value, now time.Time) (frauddesk.AlertMove, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	m := frauddesk.AlertMove{To: text(&f, "status"), Resolution: chosen(&f, "resolution"), Note: text(&f, "note")}
	if at := f.Choice("action", -1, "acknowledge", "close"); at >= 0 {
		to := []string{"acknowledged", "closed"}[at]
		if m.To != "" && m.To != to {
			f.Fail("action", fault.CodeInvalidField, `contradicts "status"; send one of the two`)
		}
		m.To = to
	}
	if f.Get("block").Given() {
		m.Block = readBlockEntities(&f, &faults)
	}
	f.Done()
	m.Check(&faults, now)
	return m, faults.Err()
}

func readBlockEntities(f *wire.Form, faults *fault.List) []frauddesk.BlockEntity {
	list := []frauddesk.BlockEntity{}
	for _, v := range f.Array("block", frauddesk.MaxBlock).Elements() {
		one := wire.NewForm(v, faults)
		list = append(list, frauddesk.BlockEntity{
			Kind:      text(&one, "kind"),
			Key:       text(&one, "key"),
			ExpiresAt: readTime(&one, "expires_at"),
		})
		one.Known("display")
		one.Done()
	}
	return list
}

// WriteAlert writes an alert. The time, person, resolution and note of a later step are null until the step is
// taken.
func WriteAlert(w *wire.Writer, a frauddesk.Alert) {
	w.Object().Key("id").Plain(a.ID).Key("type").Plain(a.Type)
	w.Key("severity").Plain(a.Severity).Key("status").Plain(a.Status)
	writeEntity(w.Key("entity").Object(), a.Entity).EndObject().Key("value").Int(a.Value)
	w.Key("applicant_refs")
	writeStrings(w, a.ApplicantRefs)
	w.Key("applicant_count").Int(a.ApplicantCount).Key("decision_ids")
	writeStrings(w, a.DecisionIDs)
	w.Key("threshold").Int(a.Threshold).Key("window_hours").Int(a.WindowHours)
	w.Key("first_seen_at").Plain(operation.Clock(a.FirstSeenMicros))
	w.Key("last_seen_at").Plain(operation.Clock(a.LastSeenMicros))
	orNull(w, "acknowledged_at", timeText(a.AcknowledgedMicros))
	orNull(w, "acknowledged_by", a.AcknowledgedBy)
	orNull(w, "closed_at", timeText(a.ClosedMicros))
	orNull(w, "closed_by", a.ClosedBy)
	orNull(w, "resolution", a.Resolution)
	orNull(w, "note", a.Note)
	optional(w, "previous_alert_id", a.PreviousID)
	optional(w, "merged_into", a.MergedInto)
	if a.Blocked != nil {
		w.Key("blocked").Array()
		for _, b := range a.Blocked {
			writeEntity(w.Object(), b.Entity)
			optionalTime(w, "expires_at", b.UntilMicros)
			w.EndObject()
		}
		w.EndArray()
	}
	if a.Graph != nil {
		writeGraph(w, *a.Graph)
	}
	if a.RefMisuse {
		w.Key("possible_ref_misuse").Bool(true)
	}
	if a.History != nil {
		writeHistory(w, a.History)
	}
	w.Key("created_at").Plain(operation.Clock(a.CreatedMicros))
	w.Key("updated_at").Plain(operation.Clock(a.UpdatedMicros)).EndObject()
}

func writeHistory(w *wire.Writer, events []frauddesk.AlertEvent) {
	w.Key("history").Array()
	for _, e := range events {
		w.Object().Key("at").Plain(operation.Clock(e.CreatedMicros)).Key("actor").String(e.Actor)
		optional(w, "from", e.From)
		w.Key("to").Plain(e.To)
		optional(w, "resolution", e.Resolution)
		optional(w, "note", e.Note)
		w.EndObject()
	}
	w.EndArray()
}

// writeEntity writes the members of an entity.
func writeEntity(w *wire.Writer, e frauddesk.Entity) *wire.Writer {
	return w.Key("kind").Plain(e.Kind).Key("display").String(e.Display).Key("key").Plain(e.Key)
}

// WriteRing writes the graph of an alert.
func WriteRing(w *wire.Writer, r frauddesk.Ring) {
	w.Object().Key("alert_id").Plain(r.AlertID).Key("applicants")
	writeStrings(w, r.Applicants)
	w.Key("entities").Array()
	for _, e := range r.Entities {
		writeEntity(w.Object(), e.Entity).Key("applicants").Int(e.Applicants).EndObject()
	}
	w.EndArray()
	writeEdges(w, r.Edges)
	w.Key("truncated").Bool(r.Truncated).EndObject()
}

// writeGraph writes a ring as nodes, the applicants first, and the edges between
// applicants and the entities they share.
func writeGraph(w *wire.Writer, r frauddesk.Ring) {
	w.Key("nodes").Array()
	for _, ref := range r.Applicants {
		w.Object().Key("kind").Plain("applicant").Key("applicant_ref").String(ref).EndObject()
	}
	for _, e := range r.Entities {
		writeEntity(w.Object(), e.Entity).Key("applicants").Int(e.Applicants).EndObject()
	}
	w.EndArray()
	writeEdges(w, r.Edges)
	w.Key("truncated").Bool(r.Truncated)
}

func writeEdges(w *wire.Writer, edges []frauddesk.RingEdge) {
	w.Key("edges").Array()
	for _, e := range edges {
		w.Object().Key("applicant_ref").String(e.ApplicantRef)
		w.Key("kind").Plain(e.Kind).Key("key").Plain(e.Key).EndObject()
	}
	w.EndArray()
}

// ReadConfigPatch reads a merge patch of the thresholds. The returned function applies
// the patch.
func ReadConfigPatch(patch wire.Value) (func(signal.Config) (signal.Config, error), error) {
	if patch.Kind() != wire.Object {
		return nil, operation.Invalid("", fault.CodeWrongType, "must be an object")
	}
	return func(current signal.Config) (signal.Config, error) {
		document, err := wire.Parse(encode(current.WriteStored))
		if err != nil {
			return signal.Config{}, operation.AsDefect(err)
		}
		merged, err := wire.Parse(signal.Merge(document, patch))
		if err != nil {
			return signal.Config{}, err
		}
		return signal.ReadConfig(merged)
	}, nil
}

// WriteConfig writes the thresholds.
func WriteConfig(w *wire.Writer, c frauddesk.Config) {
	w.Object().Key("version").Int(c.Version)
	optionalTime(w, "updated_at", c.UpdatedMicros)
	optional(w, "updated_by", c.UpdatedBy)
	w.Members(encode(c.Values.Write)).EndObject()
}

// PincodeRisks are entries to set in the risk table of pincodes.
type PincodeRisks struct {
	Entries []signal.PincodeRisk
	Replace bool // remove all other entries
}

// ReadPincodeRisks reads entries of the table of pincodes.
func ReadPincodeRisks(body wire.Value) (p PincodeRisks, err error) {
	p.Entries, p.Replace, err = signal.ReadPincodeRisk(body)
	return p, err
}

// WritePincodeRisks writes entries of the table of pincodes.
func WritePincodeRisks(w *wire.Writer, r frauddesk.PincodeRisks) {
	w.Object().Key("data").Array()
	for _, e := range r.Data {
		e.Write(w)
	}
	w.EndArray().Key("default_risk").Plain(string(r.DefaultRisk))
	if !r.Changed {
		writePagination(w, r.Limit, r.NextCursor)
	}
	w.EndObject()
}
