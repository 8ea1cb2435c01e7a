package store

import "strconv"

// tally collects counts for one statement. Each count is a SELECT that reads at
// most MaxCounted index entries for each key of an entity, or a single index entry.
type tally struct {
	query   query
	answers []func(n int64)
}

func (t *tally) ask(answer func(n int64), selecting string, values ...any) {
	if len(t.answers) > 0 {
		t.query.add(" UNION ALL ")
	}
	t.query.add("SELECT " + strconv.Itoa(len(t.answers)) + ", ")
	t.query.add(selecting, values...)
	t.answers = append(t.answers, answer)
}

// recentOthers counts the members that were seen with an entity since a time, except one member. It orders by time,
// latest first, so that the index by time is used. The limit is part of the text, because SQLite plans a statement
// again each time a limit parameter is bound.
var recentOthers = `count(*) FROM (SELECT member FROM fraud_links
	WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ? AND last_micros > ? AND member <> ?
	ORDER BY last_micros DESC LIMIT ` + strconv.Itoa(MaxCounted-1) + ") AS recent"

// others counts the members that were seen with an entity since a time. Parameter "but" is a member that is not
// counted. A member is an applicant or, for kindAgentPincode, a pincode.
func (t *tally) others(answer func(n int64), kind, key, but string, sinceMicros int64) {
	t.ask(answer, recentOthers, kind, key, sinceMicros, but)
}

// recentOthersOfTwo counts like recentOthers, under two keys of one entity.
// Each half reads a limited part of the index.
var recentOthersOfTwo = func() string {
	half := `SELECT member FROM (SELECT member FROM fraud_links
	WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ? AND last_micros > ? AND member <> ?
	ORDER BY last_micros DESC LIMIT ` + strconv.Itoa(MaxCounted-1) + ") AS "
	return "count(*) FROM (" + half + "newer UNION " + half + "older) AS recent"
}()

// othersOf counts the members that were seen with an entity since a time, under its current key or its older key.
// Parameter "but" is a member that is not counted.
func (t *tally) othersOf(answer func(n int64), e ObservedEntity, but string, sinceMicros int64) {
	if e.Older == "" {
		t.others(answer, e.Kind, e.Key, but, sinceMicros)
		return
	}
	t.ask(func(n int64) { answer(min(n, MaxCounted-1)) }, recentOthersOfTwo,
		e.Kind, e.Key, sinceMicros, but, e.Kind, e.Older, sinceMicros, but)
}

// before adds the question for a pincode's running total at the beginning of an hour.
func (t *tally) before(answer func(n int64), key string, hour int64) {
	t.ask(answer, `coalesce((SELECT applicants FROM fraud_pincode_hours
		WHERE tenant_id = $1 AND environment = $2 AND entity_key = ? AND hour < ? ORDER BY hour DESC LIMIT 1), 0)`,
		key, hour)
}

func (ob Observations) count(t *tally) error {
	if len(t.answers) == 0 {
		return nil
	}
	return ob.tx.each(func(scan func(...any) error) error {
		var which, n int64
		err := scan(&which, &n)
		if err == nil {
			t.answers[which](n)
		}
		return err
	}, t.query.text.String(), t.query.args...)
}

// observed returns the counts of an observation. It counts everything except the observation itself, whether or not
// the observation was recorded. Then it adds 1 for the observation. So Peek and Observe return the same counts. The
// returned grouping is the observation's effect on the rings; it is not stored yet.
func (ob Observations) observed(
	o Observation, w Windows, known map[string]entityState,
) (ObservedCounts, *grouping, error) {
	c := ObservedCounts{Applicants: make(map[string]int64, len(o.Entities)), Blocklisted: o.blocked(known)}
	if err := ob.count(o.questions(w, known, &c)); err != nil {
		return ObservedCounts{}, nil, err
	}
	for _, e := range o.Entities {
		if known[e.Kind].mutedMicros > o.NowMicros {
			c.Muted = append(c.Muted, e.Kind)
		}
	}
	if c.Applicants[KindPincode] == MaxCounted {
		if err := ob.countBusyPincode(&c, o, w); err != nil {
			return ObservedCounts{}, nil, err
		}
	}
	if err := ob.joinParties(o, w, &c); err != nil {
		return ObservedCounts{}, nil, err
	}
	g, err := ringsOf(ob.tx).group(o, w, known, c.Applicants)
	if err != nil {
		return ObservedCounts{}, nil, err
	}
	c.Ring = g.count(o.NowMicros)
	return c, g, nil
}

// questions returns a tally that reads all counts of the observation in one
// statement.
func (o Observation) questions(w Windows, known map[string]entityState, c *ObservedCounts) *tally {
	t := &tally{}
	for _, e := range o.Entities {
		window := w.Micros[e.Kind]
		if window <= 0 {
			continue
		}
		t.othersOf(func(n int64) { c.Applicants[e.Kind] = n + 1 }, e, o.ApplicantRef, o.NowMicros-window)
		switch e.Kind {
		case KindAgent:
			o.askAgentPincodes(t, c, e.Key, o.NowMicros-window)
		case KindPincode:
			o.askBaseline(t, c, e.Key, w, known[e.Kind])
		}
	}
	return t
}

func (o Observation) askAgentPincodes(t *tally, c *ObservedCounts, agentKey string, sinceMicros int64) {
	pincode, sent := o.entity(KindPincode)
	if sent {
		c.AgentPincodes = 1
	}
	t.others(func(n int64) { c.AgentPincodes += n }, kindAgentPincode, agentKey, pincode.Key, sinceMicros)
}

// askBaseline counts the applicants in the complete hours of the days before the window. The hour in which the window
// begins does not count for the baseline.
func (o Observation) askBaseline(t *tally, c *ObservedCounts, key string, w Windows, known entityState) {
	begins := o.NowMicros - w.Micros[KindPincode]
	if known.firstMicros == 0 {
		return // the pincode was never seen before
	}
	c.BaselineDays = max(0, min(w.BaselineDays, (begins-known.firstMicros)/dayMicros))
	if c.BaselineDays == 0 {
		return
	}
	hour := begins / hourMicros
	t.before(func(n int64) { c.BaselineApplicants += n }, key, hour)
	t.before(func(n int64) { c.BaselineApplicants -= n }, key, hour-c.BaselineDays*24)
}

// countBusyPincode counts the applicants of a pincode from its hourly totals, because MaxCounted may be too low to show
// a spike above a large baseline. The count may omit applicants who were also seen before the window, and it omits the
// hour in which the window begins. So the count is never too high.
func (ob Observations) countBusyPincode(c *ObservedCounts, o Observation, w Windows) error {
	pincode, _ := o.entity(KindPincode)
	var t tally
	var sum int64
	began := (o.NowMicros - w.Micros[KindPincode]) / hourMicros
	const never = 1 << 40 // an hour that is later than all stored hours
	t.before(func(n int64) { sum += n }, pincode.Key, never)
	t.before(func(n int64) { sum -= n }, pincode.Key, began+1)
	if err := ob.count(&t); err != nil {
		return err
	}
	c.Applicants[KindPincode] = max(c.Applicants[KindPincode], sum)
	return nil
}
