package store

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// KindRing is the entity kind of an alert about a ring.
const KindRing = "ring"

// MaxRingPeople is the maximum number of people in a ring. If two rings together
// would have more people, they stay separate and are marked as truncated.
// maxRingLinks limits the connecting entities in the same way, so that a merge
// changes a limited number of rows.
const (
	MaxRingPeople = 200
	maxRingLinks  = 1000
)

// RingCount describes the ring that an applicant belongs to, including the
// applicant. An applicant without a ring has 1 person and no links. An
// applicant who could not join a full ring gets the counts of that ring.
type RingCount struct {
	ID        string // "" for an applicant without a ring
	People    int64
	Links     int64 // different entities that connect these people
	Truncated bool  // more people are connected than a ring may have
	Muted     bool
}

// ringRow is a stored ring.
type ringRow struct {
	id            string
	people, links int64
	truncated     bool
	mutedMicros   int64
}

// ringPerson is a person who is not in a ring yet.
type ringPerson struct {
	ref, decisionID string
	seenMicros      int64
}

// ringTie is an entity that connects the applicant with others.
type ringTie struct {
	entity ObservedEntity
	before entityState
	rings  []string // the rings of the people who share the entity
	people []ringPerson
	added  bool // the entity is a new link of the ring
}

// grouping is the effect of an observation on the rings: the present rings, and
// how they change.
type grouping struct {
	own   string              // the id of the applicant's ring, "" for none
	rings map[string]*ringRow // the rings that were read, by id
	ties  []ringTie

	survivor ringRow      // the ring after the merge; it has no people if the applicant stays alone
	absorbed []string     // ids of the rings merged into the survivor, the largest first
	joining  []ringPerson // people who had no ring
	refused  []*ringRow   // rings that are too large to be merged with the survivor
}

// group computes the ring of an observation and stores nothing. It reads the rings of the applicant and of the
// entities. It reads the people seen with an entity only if the entity has no ring or has an older key, or if the
// tie between the entity and its ring is too old.
//
// For other entities, reading the entity's ring is enough: every person seen with
// the entity within the window was merged into that ring at the time, or was
// refused.
func (rg rings) group(
	o Observation, w Windows, known map[string]entityState, applicants map[string]int64,
) (*grouping, error) {
	g := &grouping{rings: map[string]*ringRow{}}
	var unknown []int
	for _, e := range o.Entities {
		window, state := w.Ties[e.Kind], known[e.Kind]
		switch {
		case window <= 0:
			continue
		case state.ringID != "" && state.tiedMicros > o.NowMicros-window:
			if e.Older != "" { // people seen with the older key may be in other rings
				unknown = append(unknown, len(g.ties))
			}
			g.ties = append(g.ties, ringTie{entity: e, before: state, rings: []string{state.ringID}})
		case applicants[e.Kind] > 1:
			unknown = append(unknown, len(g.ties))
			g.ties = append(g.ties, ringTie{entity: e, before: state})
		}
	}
	if err := rg.readRings(g, o); err != nil {
		return nil, err
	}
	if len(unknown) > 0 {
		if err := rg.readSharers(g, o, w, unknown); err != nil {
			return nil, err
		}
	}
	g.merge(o)
	return g, nil
}

const ringColumns = "r.id, r.people, r.links, r.truncated, r.muted_micros"

func (g *grouping) scanRing(scan func(...any) error, into ...any) (string, error) {
	var r ringRow
	var truncated int64
	err := scan(append(into, &r.id, &r.people, &r.links, &truncated, &r.mutedMicros)...)
	r.truncated = truncated == 1
	if r.id != "" && g.rings[r.id] == nil {
		g.rings[r.id] = &r
	}
	return r.id, err
}

// readRings reads the applicant's ring and the known rings of the entities.
func (rg rings) readRings(g *grouping, o Observation) error {
	q := g.ringQuery(o)
	return rg.tx.each(func(scan func(...any) error) error {
		var own int64
		id, err := g.scanRing(scan, &own)
		if own == 1 {
			g.own = id
		}
		return err
	}, q.text.String(), q.args...)
}

func (g *grouping) ringQuery(o Observation) *query {
	q := &query{}
	q.add("SELECT 1, "+ringColumns+` FROM fraud_ring_people p JOIN fraud_rings r
		ON r.tenant_id = $1 AND r.environment = $2 AND r.id = p.ring_id
		WHERE p.tenant_id = $1 AND p.environment = $2 AND p.person = ?`, o.ApplicantRef)
	for _, t := range g.ties {
		for _, id := range t.rings {
			q.add(" UNION ALL SELECT 0, "+ringColumns+` FROM fraud_rings r
				WHERE r.tenant_id = $1 AND r.environment = $2 AND r.id = ?`, id)
		}
	}
	return q
}

// sharers selects the latest people seen with an entity, with their rings. The
// limit is part of the text for the same reason as in recentOthers.
var sharers = ` FROM (SELECT member, decision_id, last_micros FROM fraud_links
	WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ? AND last_micros > ? AND member <> ?
	ORDER BY last_micros DESC, member DESC LIMIT ` + strconv.Itoa(MaxRingPeople) + `) AS l
	LEFT JOIN fraud_ring_people p ON p.tenant_id = $1 AND p.environment = $2 AND p.person = l.member
	LEFT JOIN fraud_rings r ON r.tenant_id = $1 AND r.environment = $2 AND r.id = p.ring_id`

// readSharers reads the people who share the entities whose rings are not fully
// known.
func (rg rings) readSharers(g *grouping, o Observation, w Windows, unknown []int) error {
	q := g.sharerQuery(o, w, unknown)
	return rg.tx.each(func(scan func(...any) error) error {
		var at int64
		var p ringPerson
		id, err := g.scanRing(scan, &at, &p.ref, &p.decisionID, &p.seenMicros)
		if err != nil {
			return err
		}
		t := &g.ties[at]
		switch {
		case id == "":
			t.people = append(t.people, p)
		case !slices.Contains(t.rings, id):
			t.rings = append(t.rings, id)
		}
		return nil
	}, q.text.String(), q.args...)
}

func (g *grouping) sharerQuery(o Observation, w Windows, unknown []int) *query {
	q := &query{}
	for _, at := range unknown {
		e := g.ties[at].entity
		keys := []string{e.Key, e.Older}
		if len(g.ties[at].rings) > 0 {
			keys = keys[1:] // the ring of the newer key is known; only people seen with the older key are missing
		}
		for _, key := range keys {
			if key == "" {
				continue
			}
			if len(q.args) > 0 {
				q.add(" UNION ALL ")
			}
			q.add("SELECT "+strconv.Itoa(at)+`, l.member, l.decision_id, l.last_micros,
				coalesce(r.id, ''), coalesce(r.people, 0), coalesce(r.links, 0), coalesce(r.truncated, 0),
				coalesce(r.muted_micros, 0)`+
				sharers, e.Kind, key, o.NowMicros-w.Ties[e.Kind], o.ApplicantRef)
		}
	}
	return q
}

// merge decides which rings and people form one ring. The largest ring absorbs
// the others as far as the limits allow. The order is fixed, so the result
// depends only on the stored data.
func (g *grouping) merge(o Observation) {
	people, links := int64(1), int64(0)
	var merged []*ringRow
	if own := g.rings[g.own]; own != nil {
		merged, people, links = append(merged, own), own.people, own.links
	}
	truncated := false
	for _, r := range g.candidates() {
		if people+r.people > MaxRingPeople || links+r.links > maxRingLinks {
			g.refused = append(g.refused, r)
			continue
		}
		merged, people, links = append(merged, r), people+r.people, links+r.links
	}
	for _, p := range g.singles() {
		if people == MaxRingPeople {
			truncated = true
			break
		}
		g.joining = append(g.joining, p)
		people++
	}
	if people == 1 {
		return
	}
	if g.own == "" {
		g.joining = append(g.joining, ringPerson{o.ApplicantRef, o.DecisionID, o.NowMicros})
	}
	slices.SortFunc(merged, larger)
	g.survivor.id = newRingID(o)
	if len(merged) > 0 {
		g.survivor = *merged[0]
	}
	for _, r := range merged {
		truncated = truncated || r.truncated
		if r.id != g.survivor.id {
			g.absorbed = append(g.absorbed, r.id)
		}
	}
	g.survivor.people, g.survivor.links, g.survivor.truncated = people, links, truncated || len(g.refused) > 0
	g.keepTies()
}

// candidates returns the other rings that share an entity with the applicant,
// the largest first.
func (g *grouping) candidates() []*ringRow {
	var list []*ringRow
	for _, r := range g.rings {
		tied := slices.ContainsFunc(g.ties, func(t ringTie) bool { return slices.Contains(t.rings, r.id) })
		if tied && r.id != g.own {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, larger)
	return list
}

// singles returns the people without a ring who share an entity with the
// applicant, the latest first.
func (g *grouping) singles() []ringPerson {
	var list []ringPerson
	for _, t := range g.ties {
		list = append(list, t.people...)
	}
	slices.SortFunc(list, func(a, b ringPerson) int {
		return cmp.Or(cmp.Compare(b.seenMicros, a.seenMicros), cmp.Compare(a.ref, b.ref),
			cmp.Compare(b.decisionID, a.decisionID))
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(p ringPerson) bool {
		again := seen[p.ref]
		seen[p.ref] = true
		return again
	})
}

func larger(a, b *ringRow) int {
	return cmp.Or(cmp.Compare(b.people, a.people), cmp.Compare(a.id, b.id))
}

// keepTies keeps the ties that belong to the merged ring and counts the new
// ties. A tie to a ring that could not be merged stays with that ring.
func (g *grouping) keepTies() {
	var kept []ringTie
	for _, t := range g.ties {
		if len(t.people) == 0 && !slices.ContainsFunc(t.rings, g.has) {
			continue
		}
		if t.added = !g.has(t.before.ringID); t.added {
			if g.survivor.links == maxRingLinks {
				g.survivor.truncated = true
				continue
			}
			g.survivor.links++
		}
		kept = append(kept, t)
	}
	g.ties = kept
}

// has reports whether a ring is the applicant's ring or is merged into it.
func (g *grouping) has(id string) bool {
	return id != "" && (id == g.survivor.id || slices.Contains(g.absorbed, id))
}

// newRingID derives the id of a ring from the decision that created it. The id is "" if the observation has no
// decision. Each person of a decision creates at most one ring, and the id reveals nothing about the people.
func newRingID(o Observation) string {
	if o.DecisionID == "" {
		return ""
	}
	id := ringIDOf(o.DecisionID)
	if o.ordinal > 0 {
		id += "_" + strconv.Itoa(o.ordinal)
	}
	return id
}

func ringIDOf(decisionID string) string { return "rng_" + strings.TrimPrefix(decisionID, "dec_") }

// count returns the RingCount of the applicant.
func (g *grouping) count(nowMicros int64) RingCount {
	count := RingCount{People: 1}
	if g.survivor.people > 0 {
		count = g.survivor.count(nowMicros)
	}
	for _, r := range g.refused {
		if r.people > count.People {
			count = r.count(nowMicros)
		}
		count.Truncated = true
	}
	return count
}

func (r ringRow) count(nowMicros int64) RingCount {
	return RingCount{
		ID:        r.id,
		People:    r.people,
		Links:     r.links,
		Truncated: r.truncated,
		Muted:     r.mutedMicros > nowMicros,
	}
}
