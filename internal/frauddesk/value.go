package frauddesk

import (
	"verdict/internal/store"
)

// Entity is something that applicants can share: an account, an IP address, a device and
// so on. Key is the keyed hash of the value. Display is the value, masked unless it is a
// pincode or an agent.
type Entity struct {
	Kind    string
	Key     string
	Display string
}

// AlertEvent is a step in the life of an alert.
type AlertEvent struct {
	CreatedMicros int64
	Actor         string
	From          string // "" for the step that opened the alert
	To            string
	Resolution    string
	Note          string
}

// Alert is a fraud alert. Times are 0 and texts "" until the step that sets them.
type Alert struct {
	ID                 string
	Type               string
	Severity           string
	Status             string
	Entity             Entity
	Value              int64 // the count when the signal last triggered
	Threshold          int64
	WindowHours        int64
	ApplicantRefs      []string // the first references; the store limits their number
	ApplicantCount     int64
	DecisionIDs        []string // the first decisions; the store limits their number
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
	MergedInto         string // the alert whose ring now includes this alert's ring
	CreatedMicros      int64
	UpdatedMicros      int64

	// Blocked lists the entries of the block list for the entities that were blocked
	// when the alert was closed as confirmed fraud. It is nil for other alerts.
	Blocked []Blocked
	// RefMisuse is set if the applicant references seem to identify applications
	// instead of people.
	RefMisuse bool
	// History and Graph are nil in lists. Graph is nil unless the alert is about a ring.
	History []AlertEvent
	Graph   *Ring
}

// Blocked is an entry of the block list.
type Blocked struct {
	ID            string // names the entry in events; "" for an old entry that has no event yet
	Entity        Entity
	BlockedMicros int64
	BlockedBy     string
	AlertID       string // the alert that made the entry, "" if no alert did
	Reason        string
	UntilMicros   int64 // 0: the entry never expires
	Expired       bool  // the entry is listed but no longer blocks
}

// Ring is the graph of an alert: the applicants and the entities that they were seen with.
type Ring struct {
	AlertID    string
	Applicants []string
	Entities   []RingEntity
	Edges      []RingEdge
	Truncated  bool // the graph is too large to be complete
}

// RingEntity is an entity of a ring, with the number of applicants who used it.
type RingEntity struct {
	Entity
	Applicants int64
}

// RingEdge links an applicant to an entity.
type RingEdge struct {
	ApplicantRef string
	Kind, Key    string
}

func entityOf(e store.ObservedEntity) Entity {
	return Entity{Kind: e.Kind, Key: e.Key, Display: e.Display}
}

func alertOf(a store.Alert, nowMicros int64) Alert {
	out := Alert{
		ID:                 a.ID,
		Type:               a.Type,
		Severity:           a.Severity,
		Status:             a.Status,
		Entity:             entityOf(a.Entity),
		Value:              a.Value,
		Threshold:          a.Threshold,
		WindowHours:        a.WindowHours,
		ApplicantRefs:      a.ApplicantRefs,
		ApplicantCount:     a.ApplicantCount,
		DecisionIDs:        a.DecisionIDs,
		DecisionCount:      a.DecisionCount,
		FirstSeenMicros:    a.FirstSeenMicros,
		LastSeenMicros:     a.LastSeenMicros,
		AcknowledgedMicros: a.AcknowledgedMicros,
		AcknowledgedBy:     a.AcknowledgedBy,
		ClosedMicros:       a.ClosedMicros,
		ClosedBy:           a.ClosedBy,
		Resolution:         a.Resolution,
		Note:               a.Note,
		PreviousID:         a.PreviousID,
		MergedInto:         a.MergedInto,
		CreatedMicros:      a.CreatedMicros,
		UpdatedMicros:      a.UpdatedMicros,
	}
	if a.Blocked != nil {
		out.Blocked = make([]Blocked, len(a.Blocked))
		for i, b := range a.Blocked {
			out.Blocked[i] = blockedOf(b, nowMicros)
		}
	}
	return out
}

func historyOf(events []store.AlertEvent) []AlertEvent {
	if events == nil {
		return nil
	}
	out := make([]AlertEvent, len(events))
	for i, e := range events {
		out[i] = AlertEvent(e)
	}
	return out
}

// blockedOf converts an entry. An entry that ends by nowMicros is marked as expired.
func blockedOf(b store.BlockedEntity, nowMicros int64) Blocked {
	return Blocked{
		ID:            b.ID,
		Entity:        entityOf(b.Entity),
		BlockedMicros: b.BlockedMicros,
		BlockedBy:     b.BlockedBy,
		AlertID:       b.AlertID,
		Reason:        b.Reason,
		UntilMicros:   b.UntilMicros,
		Expired:       b.UntilMicros != 0 && b.UntilMicros <= nowMicros,
	}
}

func ringOf(alertID string, r store.Ring) Ring {
	out := Ring{AlertID: alertID, Applicants: r.Applicants, Truncated: r.Truncated}
	for _, e := range r.Entities {
		out.Entities = append(out.Entities, RingEntity{Entity: entityOf(e.ObservedEntity), Applicants: e.Applicants})
	}
	for _, e := range r.Edges {
		out.Edges = append(out.Edges, RingEdge{ApplicantRef: e.ApplicantRef, Kind: e.Kind, Key: e.Key})
	}
	return out
}
