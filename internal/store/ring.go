package store

import (
	"cmp"
	"errors"
	"slices"
)

// MaxEdges is the maximum number of edges in a Ring.
const MaxEdges = 500

// maxTies is the maximum number of edges read for one applicant.
const maxTies = 50

// Ring is the graph of an alert's applicants and the entities they were seen with.
type Ring struct {
	Applicants []string // the alert's first MaxEvidence applicants
	Entities   []RingEntity
	Edges      []RingEdge
	Truncated  bool // the graph does not show all applicants, entities or edges
}

// RingEntity is an entity that one or more of the applicants were seen with.
type RingEntity struct {
	ObservedEntity
	Applicants int64 // applicants of the graph that were seen with the entity
}

// RingEdge connects an applicant with an entity.
type RingEdge struct {
	ApplicantRef string
	Kind, Key    string
	FirstMicros  int64
	LastMicros   int64
	DecisionID   string // the latest decision
}

// Ring returns the graph of an alert. Entities shared by the most applicants come
// first. If there are too many edges, the entities shared by the fewest
// applicants are omitted.
func (al AlertReader) Ring(alertID string) (Ring, error) {
	return read(al.access, func(tx *Tx) (Ring, error) {
		a, err := tx.Alerts().Get(alertID)
		if err != nil {
			return Ring{}, err
		}
		r := Ring{Applicants: a.ApplicantRefs, Truncated: a.ApplicantCount > int64(len(a.ApplicantRefs))}
		entities := map[[2]string]*RingEntity{}
		for _, ref := range a.ApplicantRefs {
			edges, err := tx.Alerts().ties(ref, entities)
			if err != nil {
				return Ring{}, err
			}
			r.Edges = append(r.Edges, edges...)
			r.Truncated = r.Truncated || len(edges) == maxTies
		}
		r.arrange(entities)
		return r, nil
	})
}

// ties returns the edges of an applicant and counts the applicant in each
// entity of an edge.
func (al Alerts) ties(applicantRef string, entities map[[2]string]*RingEntity) (edges []RingEdge, err error) {
	err = al.tx.each(func(scan func(...any) error) error {
		e := RingEdge{ApplicantRef: applicantRef}
		var display string
		err := scan(&e.Kind, &e.Key, &display, &e.FirstMicros, &e.LastMicros, &e.DecisionID)
		edges = append(edges, e)
		of := entities[[2]string{e.Kind, e.Key}]
		if of == nil {
			of = &RingEntity{ObservedEntity: ObservedEntity{Kind: e.Kind, Key: e.Key, Display: display}}
			entities[[2]string{e.Kind, e.Key}] = of
		}
		of.Applicants++
		return err
	}, `SELECT l.kind, l.entity_key, e.display, l.first_micros, l.last_micros, l.decision_id
		FROM fraud_links l JOIN fraud_entities e `+
		`ON e.tenant_id = $1 AND e.environment = $2 AND e.kind = l.kind AND e.entity_key = l.entity_key
		WHERE l.tenant_id = $1 AND l.environment = $2 AND l.member = $3 LIMIT $4`, applicantRef, int64(maxTies))
	return edges, err
}

// arrange sorts the entities and edges and omits those beyond MaxEdges.
func (r *Ring) arrange(entities map[[2]string]*RingEntity) {
	slices.SortFunc(r.Edges, func(x, y RingEdge) int {
		a, b := entities[[2]string{x.Kind, x.Key}], entities[[2]string{y.Kind, y.Key}]
		return cmp.Or(compareTies(a, b), cmp.Compare(x.ApplicantRef, y.ApplicantRef))
	})
	if len(r.Edges) > MaxEdges {
		r.Edges, r.Truncated = r.Edges[:MaxEdges], true
	}
	for i, e := range r.Edges {
		if i == 0 || e.Kind != r.Edges[i-1].Kind || e.Key != r.Edges[i-1].Key {
			r.Entities = append(r.Entities, *entities[[2]string{e.Kind, e.Key}])
		}
	}
}

func compareTies(a, b *RingEntity) int {
	return cmp.Or(cmp.Compare(b.Applicants, a.Applicants), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
}

// errSeenAgain stops reading once the result is known.
var errSeenAgain = errors.New("seen again")

// SeenOnce reports whether the references of an alert's applicants seem to identify applications instead of people.
// That is so if there are several references, each was seen once, and all were seen within a day and from one IP
// address. addressKind is the kind of entity that IP addresses have.
func (al AlertReader) SeenOnce(alertID, addressKind string) (bool, error) {
	return read(al.access, func(tx *Tx) (bool, error) {
		const maxRead = 8 * MaxEvidence // enough for MaxEvidence applicants that were seen once
		var from string
		var earliest, latest int64
		seen, addressed := map[string]int64{}, map[string]bool{}
		err := tx.each(func(scan func(...any) error) error {
			var ref, kind, key string
			var firstMicros, lastMicros int64
			if err := scan(&ref, &kind, &key, &firstMicros, &lastMicros); err != nil {
				return err
			}
			if len(seen) == 0 {
				earliest, latest = firstMicros, lastMicros
			}
			earliest, latest = min(earliest, firstMicros), max(latest, lastMicros)
			at, before := seen[ref]
			seen[ref] = lastMicros
			if firstMicros != lastMicros || before && at != lastMicros || latest-earliest > dayMicros {
				return errSeenAgain
			}
			if kind == addressKind {
				if from = cmp.Or(from, key); from != key || addressed[ref] {
					return errSeenAgain
				}
				addressed[ref] = true
			}
			return nil
		}, `SELECT l.member, l.kind, l.entity_key, l.first_micros, l.last_micros
		FROM fraud_alert_evidence v JOIN fraud_links l `+
			`ON l.tenant_id = $1 AND l.environment = $2 AND l.member = v.ref
				AND l.kind NOT IN ('agent_pincode', 'application')
		WHERE v.tenant_id = $1 AND v.environment = $2 AND v.alert_id = $3 AND v.part = 'applicant' AND v.position <= $4
		ORDER BY v.position LIMIT $5`, alertID, int64(MaxEvidence), int64(maxRead))
		if errors.Is(err, errSeenAgain) {
			return false, nil
		}
		return err == nil && len(seen) > 1 && len(addressed) == len(seen), err
	})
}
