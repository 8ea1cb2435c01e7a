package store

import (
	"cmp"
	"slices"
)

// The kinds of entities of which more is kept than who was seen with them. They
// are package signal's words; every other kind is treated alike.
const (
	KindPincode = "pincode"
	KindAgent   = "agent"

	kindAccount = "beneficiary_account"
)

// kindAgentPincode links an agent with the pincodes of the applicants it brings.
const kindAgentPincode = "agent_pincode"

// MaxCounted is where counting ends: that many or more are that many. It is
// what bounds the cost of an observation, whatever was seen before. Only the
// applicants of a pincode are told beyond it.
const MaxCounted = 1000

// ObservedEntity is something that applicants can share, by a key that does not
// tell what it is and a display that does not tell all of it.
//
// Older is another key of the same thing, under which it may have been recorded
// before, or "". Whatever is known under it counts; it is not recorded any more.
type ObservedEntity struct{ Kind, Key, Display, Older string }

// Observation is what one application shows of its applicant.
type Observation struct {
	ApplicantRef string
	DecisionID   string
	NowMicros    int64
	Entities     []ObservedEntity // at most one of each kind
}

// Windows are how far back is counted.
type Windows struct {
	// Micros has the window of each kind; a kind without one is recorded and
	// not counted. An agent's pincodes have the agent's.
	Micros map[string]int64
	// BaselineDays are the days before a pincode's window that tell what is usual.
	BaselineDays int64
	// Ties has, of the kinds that tie people into a ring, how far back they do.
	// Such a kind is also counted as far back.
	Ties map[string]int64
}

// ObservedCounts are what there is to know of an observation's entities, the
// observation itself included.
type ObservedCounts struct {
	Applicants    map[string]int64 // different ones within the window, by kind
	AgentPincodes int64            // different ones within the agent's window

	// BaselineApplicants applied from the pincode in the BaselineDays before
	// its window: fewer days than asked for while it is known for fewer.
	BaselineApplicants int64
	BaselineDays       int64

	Ring RingCount

	// Blocklisted and Muted are kinds of entities, in a fixed order.
	Blocklisted []string
	Muted       []string
}

// Observe records an observation and then counts. Of observations at the same
// time, on whatever node, each counts all that were recorded before it, so the
// n-th different applicant is told exactly n. An applicant who was seen before
// is not counted again. Without an applicant nothing is recorded or counted.
//
// The applicant joins the ring of those with whom something is shared, and rings
// that are thereby tied become one, in the same transaction.
func (ob Observations) Observe(o Observation, w Windows) (ObservedCounts, error) {
	if o.ApplicantRef == "" {
		return ObservedCounts{}, nil
	}
	o = o.ordered()
	if err := ob.tx.lockFraud(); err != nil {
		return ObservedCounts{}, err
	}
	known, err := ob.record(o, w)
	if err != nil {
		return ObservedCounts{}, err
	}
	counts, g, err := ob.observed(o, w, known)
	if err != nil {
		return ObservedCounts{}, err
	}
	if err := ob.tx.rings().regroup(g, o); err != nil {
		return ObservedCounts{}, err
	}
	counts.Ring = g.count(o.NowMicros)
	return counts, nil
}

// record keeps what was seen, and tells what was known of the entities.
func (ob Observations) record(o Observation, w Windows) (map[string]entityState, error) {
	if len(o.Entities) == 0 {
		return nil, nil
	}
	known, err := ob.recordEntities(o)
	if err != nil {
		return nil, err
	}
	if err := ob.addOlder(o, known); err != nil {
		return nil, err
	}
	before, err := ob.recordLinks(o)
	if err != nil {
		return nil, err
	}
	if pincode, sent := o.entity(KindPincode); sent && before[KindPincode] <= o.NowMicros-w.pincodeMicros() {
		if err := ob.countHour(pincode.Key, o.NowMicros); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// Peek counts as if the observation were recorded, and records nothing.
func (ob ObservationReader) Peek(o Observation, w Windows) (ObservedCounts, error) {
	if o.ApplicantRef == "" {
		return ObservedCounts{}, nil
	}
	o = o.ordered()
	return read(ob.access, func(tx *Tx) (ObservedCounts, error) {
		known, err := tx.Observations().knownEntities(o)
		if err != nil {
			return ObservedCounts{}, err
		}
		counts, _, err := tx.Observations().observed(o, w, known)
		return counts, err
	})
}

// Blocked lists the kinds of the entities that are on the block list at a
// moment. It needs no applicant: what is blocked is blocked for everybody.
func (ob ObservationReader) Blocked(o Observation) ([]string, error) {
	o = o.ordered()
	return read(ob.access, func(tx *Tx) ([]string, error) {
		known, err := tx.Observations().knownEntities(o)
		if err != nil {
			return nil, err
		}
		return o.blocked(known), nil
	})
}

func (o Observation) blocked(known map[string]entityState) (kinds []string) {
	for _, e := range o.Entities {
		if known[e.Kind].blocked(o.NowMicros) {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

// ordered has the entities in the order in which every transaction takes them.
func (o Observation) ordered() Observation {
	o.Entities = slices.SortedFunc(slices.Values(o.Entities), func(a, b ObservedEntity) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
	})
	o.Entities = slices.CompactFunc(o.Entities, func(a, b ObservedEntity) bool { return a.Kind == b.Kind })
	return o
}

func (o Observation) entity(kind string) (ObservedEntity, bool) {
	for _, e := range o.Entities {
		if e.Kind == kind {
			return e, true
		}
	}
	return ObservedEntity{}, false
}

// Lengths of time.
const (
	hourMicros = 3_600_000_000
	dayMicros  = 24 * hourMicros
)

// pincodeMicros is the window in which an applicant counts once for a pincode's
// baseline. That is kept up while nobody counts, so that it is there when
// somebody does.
func (w Windows) pincodeMicros() int64 { return cmp.Or(w.Micros[KindPincode], dayMicros) }

// entityState is what is known of an entity.
type entityState struct {
	firstMicros, blockedMicros, blockedUntilMicros, mutedMicros int64

	ringID     string
	tiedMicros int64
}

// entityStateColumns are those of an entityState, after the kind.
const entityStateColumns = "kind, first_micros, blocked_micros, blocked_until_micros, muted_micros, ring_id, tied_micros"

// blocked reports whether the entity is on the block list at a moment. An entry
// without an end never ends, however old it is.
func (s entityState) blocked(atMicros int64) bool {
	return s.blockedMicros > 0 && (s.blockedUntilMicros == 0 || s.blockedUntilMicros > atMicros)
}

var entityTable = newBulkTable("fraud_entities",
	column{"kind", text}, column{"entity_key", text}, column{"display", text}, column{"first_micros", bigint}, column{"last_micros", bigint},
	column{"blocked_micros", bigint}, column{"blocked_by", text}, column{"blocked_alert", text}, column{"muted_micros", bigint},
).ending(`ON CONFLICT (tenant_id, environment, kind, entity_key) DO UPDATE SET
	last_micros = CASE WHEN excluded.last_micros > fraud_entities.last_micros THEN excluded.last_micros ELSE fraud_entities.last_micros END
	RETURNING ` + entityStateColumns)

// recordEntities makes sure that the entities are known.
func (ob Observations) recordEntities(o Observation) (map[string]entityState, error) {
	rows := make([][]any, len(o.Entities))
	for i, e := range o.Entities {
		rows[i] = []any{e.Kind, e.Key, e.Display, o.NowMicros, o.NowMicros, int64(0), "", "", int64(0)}
	}
	known := make(map[string]entityState, len(rows))
	err := ob.tx.insertReturning(entityTable, rows, scanEntities(known))
	return known, err
}

// knownEntities finds those entities that are known.
func (ob Observations) knownEntities(o Observation) (map[string]entityState, error) {
	if len(o.Entities) == 0 {
		return nil, nil
	}
	q := &query{}
	for i, e := range o.Entities {
		if i > 0 {
			q.add(" UNION ALL ")
		}
		q.add(`SELECT `+entityStateColumns+` FROM fraud_entities
			WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ?`, e.Kind, e.Key)
	}
	known := make(map[string]entityState, len(o.Entities))
	if err := ob.tx.each(scanEntities(known), q.text.String(), q.args...); err != nil {
		return nil, err
	}
	return known, ob.addOlder(o, known)
}

// addOlder adds what is known of the entities under their older keys: what was
// blocked or muted under one stays so.
func (ob Observations) addOlder(o Observation, known map[string]entityState) error {
	q := &query{}
	for _, e := range o.Entities {
		if e.Older == "" {
			continue
		}
		if len(q.args) > 0 {
			q.add(" UNION ALL ")
		}
		q.add(`SELECT `+entityStateColumns+` FROM fraud_entities
			WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ?`, e.Kind, e.Older)
	}
	if len(q.args) == 0 {
		return nil
	}
	older := make(map[string]entityState)
	if err := ob.tx.each(scanEntities(older), q.text.String(), q.args...); err != nil {
		return err
	}
	for kind, was := range older {
		state := known[kind]
		if was.blocked(o.NowMicros) && !state.blocked(o.NowMicros) {
			state.blockedMicros, state.blockedUntilMicros = was.blockedMicros, was.blockedUntilMicros
		}
		state.mutedMicros = max(state.mutedMicros, was.mutedMicros)
		known[kind] = state
	}
	return nil
}

func scanEntities(known map[string]entityState) func(func(...any) error) error {
	return func(scan func(...any) error) error {
		var kind string
		var s entityState
		err := scan(&kind, &s.firstMicros, &s.blockedMicros, &s.blockedUntilMicros, &s.mutedMicros, &s.ringID, &s.tiedMicros)
		known[kind] = s
		return err
	}
}

var linkTable = newBulkTable("fraud_links",
	column{"member", text}, column{"kind", text}, column{"entity_key", text}, column{"first_micros", bigint},
	column{"previous_micros", bigint}, column{"last_micros", bigint}, column{"decision_id", text},
).ending(`ON CONFLICT (tenant_id, environment, member, kind, entity_key) DO UPDATE SET
	previous_micros = fraud_links.last_micros, decision_id = excluded.decision_id,
	last_micros = CASE WHEN excluded.last_micros > fraud_links.last_micros THEN excluded.last_micros ELSE fraud_links.last_micros END
	RETURNING kind, previous_micros`)

// recordLinks ties the applicant to the entities, and an agent to the pincode.
// It tells when the applicant was last seen with each before, by kind: 0 for
// never.
func (ob Observations) recordLinks(o Observation) (before map[string]int64, err error) {
	link := func(member, kind, key string) []any {
		return []any{member, kind, key, o.NowMicros, int64(0), o.NowMicros, o.DecisionID}
	}
	rows := make([][]any, 0, len(o.Entities)+1)
	for _, e := range o.Entities {
		rows = append(rows, link(o.ApplicantRef, e.Kind, e.Key))
	}
	agent, brought := o.entity(KindAgent)
	if pincode, sent := o.entity(KindPincode); sent && brought {
		rows = append(rows, link(pincode.Key, kindAgentPincode, agent.Key))
	}
	before = make(map[string]int64, len(rows))
	err = ob.tx.insertReturning(linkTable, rows, func(scan func(...any) error) error {
		var kind string
		var micros int64
		err := scan(&kind, &micros)
		before[kind] = micros
		return err
	})
	return before, err
}

// countHour adds an applicant to a pincode's running total. A node whose clock
// is behind adds to the latest hour there is: the total must not fall.
func (ob Observations) countHour(key string, nowMicros int64) error {
	_, err := ob.tx.exec(`INSERT INTO fraud_pincode_hours (tenant_id, environment, entity_key, hour, applicants)
		SELECT $1, $2, $3, CASE WHEN latest.hour > CAST($4 AS BIGINT) THEN latest.hour ELSE CAST($4 AS BIGINT) END,
			coalesce(latest.applicants, 0) + 1
		FROM (SELECT 1 AS one) AS one LEFT JOIN (SELECT hour, applicants FROM fraud_pincode_hours
			WHERE tenant_id = $1 AND environment = $2 AND entity_key = $3 ORDER BY hour DESC LIMIT 1) AS latest ON one.one = 1
		WHERE one.one = 1
		ON CONFLICT (tenant_id, environment, entity_key, hour) DO UPDATE SET applicants = excluded.applicants`,
		key, nowMicros/hourMicros)
	return err
}
