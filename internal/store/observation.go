package store

import (
	"cmp"
	"slices"
)

// Kinds of entities for which this package has special rules. The names are those of package signal.
const (
	KindPincode = "pincode"
	KindAgent   = "agent"

	kindAccount = "beneficiary_account"
)

// kindAgentPincode is the kind of the links between an agent and the pincodes of the agent's applicants.
const kindAgentPincode = "agent_pincode"

// MaxCounted is the highest count: larger counts are reported as MaxCounted. This
// limits the cost of an observation, however many applicants were seen before.
// Only the applicants of a pincode are counted beyond MaxCounted.
const MaxCounted = 1000

// ObservedEntity is an account, a device, an IP address or the like that applicants can
// share. Key does not reveal the entity. Display is the text that people see, which the
// caller may have masked.
//
// Older is another key of the same entity, under which it may have been recorded
// before, or "". Records under the older key count too; new records use Key.
type ObservedEntity struct{ Kind, Key, Display, Older string }

// Observation lists the entities that one application names for its applicant.
type Observation struct {
	ApplicantRef string
	// Alias is the keyed hash under which the person is stored if the person was erased before. It
	// is "" if nobody of the scope was erased.
	Alias      string
	DecisionID string
	NowMicros  int64
	Entities   []ObservedEntity // at most one of each kind

	ordinal int // the position of the person in a Joint
}

// Windows says how far back observations are counted.
type Windows struct {
	// Micros holds the window of each kind. A kind without a window is recorded but not counted. An agent's pincodes
	// are counted in the agent's window.
	Micros map[string]int64
	// BaselineDays is the number of days before a pincode's window from which
	// the usual number of applicants is taken.
	BaselineDays int64
	// Ties holds the window of each kind that connects people into a ring: only observations within the window connect
	// people. Micros must have at least as long a window for such a kind, because Observe uses the counts to see which
	// entities are shared.
	Ties map[string]int64
	// Parties has the kinds of entities for which people who applied together count as one person. They count as
	// one only if nobody else shares the entity.
	Parties map[string]bool
}

// ObservedCounts holds the counts for an observation's entities, including the
// observation itself.
type ObservedCounts struct {
	Applicants    map[string]int64 // different applicants within the window, by kind
	AgentPincodes int64            // different pincodes within the agent's window

	// BaselineApplicants is the number of applicants from the pincode in the
	// BaselineDays before its window. BaselineDays is less than requested if
	// the pincode was first seen later.
	BaselineApplicants int64
	BaselineDays       int64

	Ring RingCount

	// Member is the name under which Observe recorded the person: the reference, or the alias.
	Member string

	// Blocklisted and Muted list kinds of entities, in a fixed order.
	Blocklisted []string
	Muted       []string
}

// Observe records an observation and then counts. Concurrent observations, on any node, are serialised: each
// observation counts all that were recorded before it. So within a window the n-th different applicant gets exactly
// the count n, up to MaxCounted. An applicant who was seen before is not counted again. If the observation has no
// applicant, nothing is recorded or counted.
//
// In the same transaction the applicant joins the ring of the people who share
// an entity with them, and rings that become connected are merged.
func (ob Observations) Observe(o Observation, w Windows) (ObservedCounts, error) {
	if o.ApplicantRef == "" {
		return ObservedCounts{}, nil
	}
	o = o.ordered()
	if err := ob.tx.FraudConfigs().lock(); err != nil {
		return ObservedCounts{}, err
	}
	o, err := ob.recognise(o)
	if err != nil {
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
	if err := ringsOf(ob.tx).regroup(g, o); err != nil {
		return ObservedCounts{}, err
	}
	counts.Ring, counts.Member = g.count(o.NowMicros), o.ApplicantRef
	return counts, nil
}

// recognise replaces the person's reference by the alias if the person was erased earlier. So the counters and the
// rings treat a returning reference as the same person.
func (ob Observations) recognise(o Observation) (Observation, error) {
	if o.Alias == "" {
		return o, nil
	}
	var links int64
	err := ob.tx.one([]any{&links}, `SELECT count(*) FROM (SELECT 1 AS one FROM fraud_links
		WHERE tenant_id = $1 AND environment = $2 AND member = $3 LIMIT 1) AS linked`, o.Alias)
	if links > 0 {
		o.ApplicantRef = o.Alias
	}
	return o, err
}

// record stores an observation and returns the state of its entities, by kind.
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

// Peek returns the counts that Observe would return, and records nothing.
func (ob ObservationReader) Peek(o Observation, w Windows) (ObservedCounts, error) {
	if o.ApplicantRef == "" {
		return ObservedCounts{}, nil
	}
	o = o.ordered()
	return read(ob.access, func(tx *Tx) (ObservedCounts, error) {
		o, err := tx.Observations().recognise(o)
		if err != nil {
			return ObservedCounts{}, err
		}
		known, err := tx.Observations().knownEntities(o)
		if err != nil {
			return ObservedCounts{}, err
		}
		counts, _, err := tx.Observations().observed(o, w, known)
		counts.Member = o.ApplicantRef
		return counts, err
	})
}

// Blocked returns the kinds of the observation's entities that are on the block
// list. It needs no applicant, because a blocked entity is blocked for
// everyone.
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

// ordered returns the observation with its entities sorted, one of each kind,
// so that all transactions lock them in the same order.
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

const (
	hourMicros = 3_600_000_000
	dayMicros  = 24 * hourMicros
)

// pincodeMicros returns the window in which an applicant counts once for a
// pincode's baseline. Without a configured window it is a day. The baseline is
// maintained even while the pincode is not counted, so that it is available
// later.
func (w Windows) pincodeMicros() int64 { return cmp.Or(w.Micros[KindPincode], dayMicros) }

// entityState is the stored state of an entity.
type entityState struct {
	firstMicros, blockedMicros, blockedUntilMicros, mutedMicros int64

	ringID     string
	tiedMicros int64
}

// entityStateColumns are the kind and the columns of an entityState.
const entityStateColumns = "kind, first_micros, blocked_micros, blocked_until_micros, muted_micros, ring_id, " +
	"tied_micros"

// blocked reports whether the entity is on the block list at a time. An entry
// without an end never expires.
func (s entityState) blocked(atMicros int64) bool {
	return s.blockedMicros > 0 && (s.blockedUntilMicros == 0 || s.blockedUntilMicros > atMicros)
}

var entityTable = newBulkTable("fraud_entities",
	column{"kind", text}, column{"entity_key", text}, column{"display", text}, column{"first_micros", bigint},
	column{"last_micros", bigint}, column{"blocked_micros", bigint}, column{"blocked_by", text},
	column{"blocked_alert", text}, column{"muted_micros", bigint},
).withClause(`ON CONFLICT (tenant_id, environment, kind, entity_key) DO UPDATE SET
	last_micros = CASE WHEN excluded.last_micros > fraud_entities.last_micros ` +
	`THEN excluded.last_micros ELSE fraud_entities.last_micros END
	RETURNING ` + entityStateColumns)

// recordEntities inserts the entities that are new, updates when the others were last seen, and returns the state of
// all entities, by kind.
func (ob Observations) recordEntities(o Observation) (map[string]entityState, error) {
	rows := make([][]any, len(o.Entities))
	for i, e := range o.Entities {
		rows[i] = []any{e.Kind, e.Key, e.Display, o.NowMicros, o.NowMicros, int64(0), "", "", int64(0)}
	}
	known := make(map[string]entityState, len(rows))
	err := entityTable.insertReturning(ob.tx, rows, scanEntities(known))
	return known, err
}

// knownEntities returns the state of the entities that are stored, by kind.
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

// addOlder adds the state of entities under their older keys: an entity that was
// blocked or muted under its older key is still blocked or muted.
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
		err := scan(&kind, &s.firstMicros, &s.blockedMicros, &s.blockedUntilMicros, &s.mutedMicros, &s.ringID,
			&s.tiedMicros)
		known[kind] = s
		return err
	}
}

var linkTable = newBulkTable("fraud_links",
	column{"member", text}, column{"kind", text}, column{"entity_key", text}, column{"first_micros", bigint},
	column{"previous_micros", bigint}, column{"last_micros", bigint}, column{"decision_id", text},
).withClause(`ON CONFLICT (tenant_id, environment, member, kind, entity_key) DO UPDATE SET
	previous_micros = fraud_links.last_micros, decision_id = excluded.decision_id,
	last_micros = CASE WHEN excluded.last_micros > fraud_links.last_micros ` +
	`THEN excluded.last_micros ELSE fraud_links.last_micros END
	RETURNING kind, previous_micros`)

// recordLinks links the applicant with the entities, and an agent with the pincode.
// It returns, by kind, when the applicant was last seen with each entity before; 0
// means never.
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
	err = linkTable.insertReturning(ob.tx, rows, func(scan func(...any) error) error {
		var kind string
		var micros int64
		err := scan(&kind, &micros)
		before[kind] = micros
		return err
	})
	return before, err
}

// countHour adds an applicant to a pincode's running total. If this node's
// clock is behind, the applicant is added to the latest hour stored, because
// the total must not decrease over time.
func (ob Observations) countHour(key string, nowMicros int64) error {
	_, err := ob.tx.exec(`INSERT INTO fraud_pincode_hours (tenant_id, environment, entity_key, hour, applicants)
		SELECT $1, $2, $3, CASE WHEN latest.hour > CAST($4 AS BIGINT) THEN latest.hour ELSE CAST($4 AS BIGINT) END,
			coalesce(latest.applicants, 0) + 1
		FROM (SELECT 1 AS one) AS one LEFT JOIN (SELECT hour, applicants FROM fraud_pincode_hours
			WHERE tenant_id = $1 AND environment = $2 AND entity_key = $3 ORDER BY hour DESC LIMIT 1) `+
		`AS latest ON one.one = 1
		WHERE one.one = 1
		ON CONFLICT (tenant_id, environment, entity_key, hour) DO UPDATE SET applicants = excluded.applicants`,
		key, nowMicros/hourMicros)
	return err
}
