package store

// FeaturedDecision is a decision with its feature vector.
type FeaturedDecision struct {
	Decision

	Features *Features // nil if the decision has none
}

// WalkPages calls fn with the scope's decisions, a page at a time, in the page's order and beginning after the page's
// AfterID. The decisions have their documents, their feature vectors and their people. One statement reads the vectors
// of a whole page, and another reads the people. WalkPages reads the people from the database even if the column plain
// of a decision names none. Like Walk, it keeps no transaction open while fn runs. If fn returns an error, WalkPages
// stops and returns the error.
func (ds DecisionReader) WalkPages(p Page, fn func([]FeaturedDecision) error) error {
	if p.Limit <= 0 {
		p.Limit = walkPage
	}
	for {
		rows, more, err := readTwo(ds.access, func(tx *Tx) ([]FeaturedDecision, bool, error) {
			return tx.Decisions().featuredPage(p)
		})
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := fn(rows); err != nil || !more {
			return err
		}
		p.AfterID = rows[len(rows)-1].ID
	}
}

// featuredPage returns a page of decisions with their feature vectors, and whether more decisions follow.
func (ds Decisions) featuredPage(p Page) (rows []FeaturedDecision, more bool, err error) {
	decisions, more, _, err := ds.list(allColumns, DecisionFilter{}, p, (*Decision).allFields)
	if err != nil || len(decisions) == 0 {
		return nil, false, err
	}
	first, last := decisions[0].ID, decisions[len(decisions)-1].ID
	vectors, err := ds.featuresBetween(min(first, last), max(first, last))
	if err != nil {
		return nil, false, err
	}
	people, err := ds.peopleBetween(min(first, last), max(first, last))
	if err != nil {
		return nil, false, err
	}
	rows = make([]FeaturedDecision, len(decisions))
	for i := range decisions {
		decisions[i].People = people[decisions[i].ID]
		rows[i] = FeaturedDecision{Decision: decisions[i], Features: vectors[decisions[i].ID]}
	}
	return rows, more, nil
}

const selectFeaturesBetween = `SELECT decision_id, as_of, hash, vector, source FROM decision_features
	WHERE tenant_id = $1 AND environment = $2 AND decision_id >= $3 AND decision_id <= $4`

// featuresBetween returns the feature vectors of decisions. The parameters are the first and the last id of these
// decisions. The key of the map is the id of the decision.
func (ds Decisions) featuresBetween(from, to string) (map[string]*Features, error) {
	found := map[string]*Features{}
	err := ds.tx.each(func(scan func(...any) error) error {
		var f Features
		err := scan(&f.DecisionID, &f.AsOf, &f.Hash, &f.Vector, &f.Source)
		found[f.DecisionID] = &f
		return err
	}, selectFeaturesBetween, from, to)
	return found, err
}

const selectPeopleBetween = `SELECT decision_id, role, person_ref, facts FROM decision_people
	WHERE tenant_id = $1 AND environment = $2 AND decision_id >= $3 AND decision_id <= $4 ORDER BY decision_id, role`

// peopleBetween returns the people of decisions, in the order of their roles. The parameters are the first and the
// last id of these decisions. The key of the map is the id of the decision.
func (ds Decisions) peopleBetween(from, to string) (map[string][]DecisionPerson, error) {
	found := map[string][]DecisionPerson{}
	err := ds.tx.each(func(scan func(...any) error) error {
		var id string
		var p DecisionPerson
		err := scan(&id, &p.Role, &p.Ref, &p.Facts)
		found[id] = append(found[id], p)
		return err
	}, selectPeopleBetween, from, to)
	return found, err
}
