package store

import (
	"fmt"
	"slices"

	"verdict/internal/evidence"
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// The states and the resolutions of an alert.
const (
	AlertOpen         = "open"
	AlertAcknowledged = "acknowledged"
	AlertClosed       = "closed"

	ResolutionConfirmedFraud = "confirmed_fraud"
	ResolutionFalsePositive  = "false_positive"
	ResolutionDuplicate      = "duplicate"
)

// severities lists the severities from low to critical. The database stores the
// index.
var severities = []string{"low", "medium", "high", "critical"}

// MaxEvidence is the maximum number of applicants, and of decisions, that an
// alert lists. The alert lists the first MaxEvidence of each, and also has the
// total numbers.
const MaxEvidence = 200

// Alert is a fraud alert about one entity that suspiciously many applicants
// share.
type Alert struct {
	ID                 string
	Type               string
	Severity           string
	Status             string
	Entity             ObservedEntity
	Value              int64 // the count when evidence was last added
	Threshold          int64
	WindowHours        int64
	ApplicantRefs      []string // the first MaxEvidence applicants
	ApplicantCount     int64
	DecisionIDs        []string // the first MaxEvidence decisions
	DecisionCount      int64
	FirstSeenMicros    int64
	LastSeenMicros     int64
	AcknowledgedMicros int64
	AcknowledgedBy     string
	ClosedMicros       int64
	ClosedBy           string
	Resolution         string
	Note               string
	PreviousID         string // the last closed alert of the same type about the same entity
	MergedInto         string // the alert about the ring that absorbed this alert's ring
	CreatedMicros      int64
	UpdatedMicros      int64

	// Blocked lists the block list entries after Move has closed the alert as confirmed fraud: the entries that Move
	// created and those that existed already. Blocked is nil after any other move and when the alert is read.
	Blocked []BlockedEntity
}

const alertColumns = `id, type, severity, status, kind, entity_key, display, value, threshold, ` +
	`window_hours, applicants, decisions,
	first_micros, last_micros, acknowledged_micros, acknowledged_by, closed_micros, closed_by, resolution, ` +
	`note, previous_id,
	created_micros, updated_micros, merged_into`

func scanAlert(scan func(...any) error) (a Alert, err error) {
	var severity int64
	err = scan(&a.ID, &a.Type, &severity, &a.Status, &a.Entity.Kind, &a.Entity.Key, &a.Entity.Display, &a.Value,
		&a.Threshold, &a.WindowHours, &a.ApplicantCount, &a.DecisionCount, &a.FirstSeenMicros, &a.LastSeenMicros,
		&a.AcknowledgedMicros, &a.AcknowledgedBy, &a.ClosedMicros, &a.ClosedBy, &a.Resolution, &a.Note, &a.PreviousID,
		&a.CreatedMicros, &a.UpdatedMicros, &a.MergedInto)
	if err == nil {
		a.Severity = severities[severity] // a constraint of the table keeps the index in range
	}
	return a, err
}

func severityOf(name string) (int64, error) {
	i := slices.Index(severities, name)
	if i < 0 {
		return 0, fmt.Errorf("there is no severity %q", name)
	}
	return int64(i), nil
}

// Get returns an alert with its evidence, NotFound if there is none.
func (al AlertReader) Get(id string) (Alert, error) {
	return read(al.access, func(tx *Tx) (Alert, error) {
		a, err := tx.Alerts().row(id, "")
		if err != nil {
			return Alert{}, err
		}
		err = tx.Alerts().readEvidence(&a)
		return a, err
	})
}

// row returns an alert without its evidence, NotFound if there is none. lock is
// the SQL clause that locks the row, or "".
func (al Alerts) row(id, lock string) (a Alert, err error) {
	found := false
	err = al.tx.each(func(scan func(...any) error) (err error) {
		found = true
		a, err = scanAlert(scan)
		return err
	}, "SELECT "+alertColumns+" FROM fraud_alerts WHERE tenant_id = $1 AND environment = $2 AND id = $3"+lock, id)
	if err == nil && !found {
		return Alert{}, fault.Missing("alert")
	}
	return a, err
}

// AlertFilter filters a list; empty fields match everything. The time range of the Page applies to the creation time
// of the alerts.
type AlertFilter struct{ Status, Type, Severity string }

// List returns a page of the scope's alerts with their evidence, and whether
// there are more.
func (al AlertReader) List(f AlertFilter, p Page) ([]Alert, bool, error) {
	return readTwo(al.access, func(tx *Tx) ([]Alert, bool, error) {
		q := listOf("SELECT " + alertColumns + " FROM fraud_alerts WHERE tenant_id = $1 AND environment = $2")
		q.equals("status", f.Status)
		q.equals("type", f.Type)
		if f.Severity != "" {
			severity, err := severityOf(f.Severity)
			if err != nil {
				return nil, false, fmt.Errorf("list alerts: %w", err)
			}
			q.where("severity = ?", severity)
		}
		q.page(p)
		alerts, more, err := list(tx, q, p, scanAlert)
		for i := range alerts {
			if err == nil {
				err = tx.Alerts().readEvidence(&alerts[i])
			}
		}
		return alerts, more, err
	})
}

// The kinds of evidence.
const (
	partApplicant = "applicant"
	partDecision  = "decision"
)

// readEvidence reads the first MaxEvidence applicants and decisions into the
// alert.
func (al Alerts) readEvidence(a *Alert) error {
	return al.tx.each(func(scan func(...any) error) error {
		var part, ref string
		if err := scan(&part, &ref); err != nil {
			return err
		}
		if part == partApplicant {
			a.ApplicantRefs = append(a.ApplicantRefs, ref)
		} else {
			a.DecisionIDs = append(a.DecisionIDs, ref)
		}
		return nil
	}, `SELECT part, ref FROM fraud_alert_evidence
		WHERE tenant_id = $1 AND environment = $2 AND alert_id = $3 AND position <= $4 ORDER BY position, part`,
		a.ID, int64(MaxEvidence))
}

// AlertEvent is one change of an alert's status. Events are only ever added.
type AlertEvent struct {
	CreatedMicros int64
	Actor         string
	From, To      string // From is "" for the event that opened the alert
	Resolution    string
	Note          string
}

// History returns the events of an alert, oldest first, at most MaxPage. It returns none if the scope has no such
// alert.
func (al AlertReader) History(id string) ([]AlertEvent, error) {
	return read(al.access, func(tx *Tx) (events []AlertEvent, err error) {
		err = tx.each(func(scan func(...any) error) error {
			var e AlertEvent
			err := scan(&e.CreatedMicros, &e.Actor, &e.From, &e.To, &e.Resolution, &e.Note)
			events = append(events, e)
			return err
		}, `SELECT created_micros, actor, from_status, to_status, resolution, note FROM fraud_alert_events
		WHERE tenant_id = $1 AND environment = $2 AND alert_id = $3 ORDER BY position LIMIT $4`, id, int64(MaxPage))
		return events, err
	})
}

// insertEvent adds an event. The caller holds a lock on the alert.
func (al Alerts) insertEvent(id string, e AlertEvent) error {
	_, err := al.tx.exec(
		`INSERT INTO fraud_alert_events (tenant_id, environment, alert_id, position, created_micros, actor,
			from_status, to_status, resolution, note)
		SELECT $1, $2, $3, count(*) + 1, $4, $5, $6, $7, $8, $9 FROM fraud_alert_events
		WHERE tenant_id = $1 AND environment = $2 AND alert_id = $3`,
		id, e.CreatedMicros, e.Actor, e.From, e.To, e.Resolution, e.Note)
	return err
}

// The types of the journal events about alerts.
const (
	eventAlertOpened  = "alert.opened"
	eventAlertUpdated = "alert.updated" // further evidence, or another status
	eventAlertClosed  = "alert.closed"
)

// event returns the journal entry of a change of the alert. The entry states the alert's values after the change. No
// row refers to the entry, because the alert's row changes with every decision about its entity. The entry contains
// nothing that identifies a person.
func (a *Alert) event(kind, actor, decisionID string, nowMicros int64) evidence.Record {
	return evidence.Record{
		Kind:   evidence.Alert,
		ID:     a.ID,
		Micros: wholeMillis(nowMicros),
		Type:   kind,
		Data: eventData(func(w *wire.Writer) {
			w.Optional("actor", actor)
			w.Optional("alert_id", a.ID)
			w.Optional("alert_type", a.Type)
			w.Key("applicants").Int(a.ApplicantCount)
			w.Optional("decision_id", decisionID)
			w.Optional("merged_into", a.MergedInto)
			w.Optional("resolution", a.Resolution)
			w.Optional("severity", a.Severity)
			w.Optional("status", a.Status)
		}),
	}
}
