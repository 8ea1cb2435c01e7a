package store

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// kindApplication is the kind of the links between people who applied together. Its entity is the set of these people,
// as a keyed hash. These links connect nobody into a ring.
const kindApplication = "application"

// maxParty is the maximum number of people who count as one because they applied together: the people of one
// application.
const maxParty = 3

// maxPartyLinks is the maximum number of links to applications that appliedTogether reads for one entity. If there are
// more, the people do not count as one.
const maxPartyLinks = 500

// Joint is the observation of several people of one application. Each person is counted alone, but people who applied
// together count as one for the entities that only they share; see Windows.Parties.
type Joint struct {
	// Key is a keyed hash of the references of the people.
	Key    string
	People []JointPerson // different people, the primary applicant first if that person is counted
}

// JointPerson is one person of a Joint. The windows differ between people, because the entities of one person may be on
// an allow list.
type JointPerson struct {
	Observation Observation
	Windows     Windows
}

// ObserveAll records the observations of the people of one application, and then counts as Observe does. All
// observations are recorded before the first is counted, so the counts do not depend on the order of the people. The
// counts of a person's ring are those after all people have joined their rings. ObserveAll returns the counts in the
// order of the people.
func (ob Observations) ObserveAll(j Joint) ([]ObservedCounts, error) {
	if len(j.People) == 1 {
		counts, err := ob.Observe(j.People[0].Observation, j.People[0].Windows)
		return []ObservedCounts{counts}, err
	}
	if err := ob.tx.FraudConfigs().lock(); err != nil {
		return nil, err
	}
	people := slices.Clone(j.People)
	for i := range people {
		o, err := ob.recognise(people[i].Observation.ordered())
		if err != nil {
			return nil, err
		}
		o.ordinal = i
		people[i].Observation = o
		if _, err = ob.record(o, people[i].Windows); err != nil {
			return nil, err
		}
		if err := ob.recordApplication(o, j.Key); err != nil {
			return nil, err
		}
	}
	counts := make([]ObservedCounts, len(people))
	for i, p := range people {
		// Read the state again: the people before this one may have connected the entities to a ring.
		known, err := ob.knownEntities(p.Observation)
		if err != nil {
			return nil, err
		}
		var g *grouping
		if counts[i], g, err = ob.observed(p.Observation, p.Windows, known); err != nil {
			return nil, err
		}
		if err := ringsOf(ob.tx).regroup(g, p.Observation); err != nil {
			return nil, err
		}
		counts[i].Ring, counts[i].Member = g.count(p.Observation.NowMicros), p.Observation.ApplicantRef
	}
	for i, p := range people {
		if err := ringsOf(ob.tx).updateCount(p.Observation, &counts[i].Ring); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// errPeeked rolls back the transaction of PeekAll.
var errPeeked = errors.New("the observations were only counted")

// peekedDecision is the id of the decision in the rows that PeekAll rolls back.
const peekedDecision = "dec_peeked"

// PeekAll returns the counts that ObserveAll would return, and records nothing. If there are several people it runs
// ObserveAll and rolls the transaction back, because each person affects the counts of the others.
func (s *Scope) PeekAll(ctx context.Context, j Joint) (counts []ObservedCounts, err error) {
	if len(j.People) == 1 {
		one, err := s.Observations(ctx).Peek(j.People[0].Observation, j.People[0].Windows)
		return []ObservedCounts{one}, err
	}
	people := slices.Clone(j.People)
	for i := range people {
		people[i].Observation.DecisionID = peekedDecision
	}
	err = s.Write(ctx, func(tx *Tx) error {
		found, err := tx.Observations().ObserveAll(Joint{Key: j.Key, People: people})
		if err != nil {
			return err
		}
		counts = found
		return errPeeked
	})
	if !errors.Is(err, errPeeked) {
		return nil, err
	}
	for i := range counts {
		if strings.HasPrefix(counts[i].Ring.ID, ringIDOf(peekedDecision)) {
			counts[i].Ring.ID = "" // a ring with this id is not stored
		}
	}
	return counts, nil
}

// recordApplication links a person with the people of the application.
func (ob Observations) recordApplication(o Observation, key string) error {
	rows := [][]any{{o.ApplicantRef, kindApplication, key, o.NowMicros, int64(0), o.NowMicros, o.DecisionID}}
	return linkTable.insertReturning(ob.tx, rows, func(scan func(...any) error) error {
		var kind string
		var micros int64
		return scan(&kind, &micros)
	})
}

// updateCount replaces the count of a person's ring by the stored values, because the other people of the application
// may have enlarged the ring.
func (rg rings) updateCount(o Observation, count *RingCount) error {
	g := &grouping{rings: map[string]*ringRow{}}
	if err := rg.readRings(g, o); err != nil {
		return err
	}
	if own := g.rings[g.own]; own != nil && own.people >= count.People {
		truncated := count.Truncated
		*count = own.count(o.NowMicros)
		count.Truncated = count.Truncated || truncated
	}
	return nil
}

// joinParties sets the count of an entity to 1 if only people who applied together share it, such as a couple with one
// phone; see appliedTogether. As soon as somebody else was seen with the entity, everybody counts.
func (ob Observations) joinParties(o Observation, w Windows, c *ObservedCounts) error {
	var shared []ObservedEntity
	for _, e := range o.Entities {
		if n := c.Applicants[e.Kind]; w.Parties[e.Kind] && n > 1 && n <= maxParty {
			shared = append(shared, e)
		}
	}
	if len(shared) == 0 {
		return nil
	}
	own, err := ob.applications(o.ApplicantRef)
	if err != nil || len(own) == 0 {
		return err
	}
	for _, e := range shared {
		together, err := ob.appliedTogether(o, e, w.Micros[e.Kind], own)
		if err != nil {
			return err
		}
		if together {
			c.Applicants[e.Kind] = 1
		}
	}
	return nil
}

// applications returns the keys of the applications that a person made together with others, and when each application
// was first made.
func (ob Observations) applications(member string) (made map[string]int64, err error) {
	made = map[string]int64{}
	err = ob.tx.each(func(scan func(...any) error) error {
		var key string
		var atMicros int64
		err := scan(&key, &atMicros)
		made[key] = atMicros
		return err
	}, `SELECT entity_key, first_micros FROM fraud_links WHERE tenant_id = $1 AND environment = $2 AND member = $3
		AND kind = $4 LIMIT $5`, member, kindApplication, int64(maxPartyLinks))
	return made, err
}

// partyOf selects the people seen with an entity, when each was first seen with it, and the applications that they made
// together with others.
var partyOf = `SELECT l.member, l.first_micros, coalesce(a.entity_key, '') FROM (SELECT member, first_micros
	FROM fraud_links WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ? AND last_micros > ?
	ORDER BY last_micros DESC LIMIT ` + strconv.Itoa(maxParty+1) + `) AS l
	LEFT JOIN fraud_links a ON a.tenant_id = $1 AND a.environment = $2 AND a.member = l.member AND a.kind = '` +
	kindApplication + `'`

// sharer is a person who was seen with an entity.
type sharer struct {
	firstMicros  int64
	applications map[string]bool // made together with others
}

// appliedTogether reports whether one application names all people who were seen with an entity within the window,
// and also the person of the observation. Parameter own has the person's applications. At most one of the people
// may have been seen with the entity before that application. Otherwise people who were found to share an account
// could hide this by applying together afterwards.
func (ob Observations) appliedTogether(
	o Observation, e ObservedEntity, windowMicros int64, own map[string]int64,
) (bool, error) {
	q := &query{}
	for _, key := range []string{e.Key, e.Older} {
		if key == "" {
			continue
		}
		if len(q.args) > 0 {
			q.add(" UNION ALL SELECT * FROM (")
		} else {
			q.add("SELECT * FROM (")
		}
		q.add(partyOf+" LIMIT "+strconv.Itoa(maxPartyLinks)+") AS party", e.Kind, key, o.NowMicros-windowMicros)
	}
	rows := 0
	people := map[string]*sharer{o.ApplicantRef: {firstMicros: o.NowMicros, applications: map[string]bool{}}}
	err := ob.tx.each(func(scan func(...any) error) error {
		var member, key string
		var firstMicros int64
		err := scan(&member, &firstMicros, &key)
		p := people[member]
		if p == nil {
			p = &sharer{firstMicros: firstMicros, applications: map[string]bool{}}
			people[member] = p
		}
		p.firstMicros = min(p.firstMicros, firstMicros) // the entity may have two keys
		p.applications[key] = true
		rows++
		return err
	}, q.text.String(), q.args...)
	if err != nil || rows >= maxPartyLinks {
		return false, err
	}
	for key := range own {
		people[o.ApplicantRef].applications[key] = true
	}
	for key, atMicros := range own {
		together, before := true, 0
		for _, p := range people {
			together = together && p.applications[key]
			if p.firstMicros < atMicros {
				before++
			}
		}
		if together && before <= 1 {
			return true, nil
		}
	}
	return false, nil
}
