package store

import "strconv"

// tally collects what one statement is to count. Each question is one SELECT
// that reads at most MaxCounted entries of an index, or one.
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

// recentOthers has the latest come first, so that the index by time is the one to
// read. The limit stands in the text: SQLite plans a statement anew whenever a
// limit that is a parameter is bound.
var recentOthers = `count(*) FROM (SELECT member FROM fraud_links
	WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ? AND last_micros > ? AND member <> ?
	ORDER BY last_micros DESC LIMIT ` + strconv.Itoa(MaxCounted-1) + ") AS recent"

// others asks how many members but one were seen with an entity since a moment.
func (t *tally) others(answer func(n int64), kind, key, but string, sinceMicros int64) {
	t.ask(answer, recentOthers, kind, key, sinceMicros, but)
}

// recentOthersOfTwo counts like recentOthers, under two keys of one entity. Each
// half reads a bounded part of the index.
var recentOthersOfTwo = func() string {
	half := `SELECT member FROM (SELECT member FROM fraud_links
	WHERE tenant_id = $1 AND environment = $2 AND kind = ? AND entity_key = ? AND last_micros > ? AND member <> ?
	ORDER BY last_micros DESC LIMIT ` + strconv.Itoa(MaxCounted-1) + ") AS "
	return "count(*) FROM (" + half + "newer UNION " + half + "older) AS recent"
}()

// othersOf asks how many members but one were seen with an entity since a moment,
// under its older key too.
func (t *tally) othersOf(answer func(n int64), e ObservedEntity, but string, sinceMicros int64) {
	if e.Older == "" {
		t.others(answer, e.Kind, e.Key, but, sinceMicros)
		return
	}
	t.ask(func(n int64) { answer(min(n, MaxCounted-1)) }, recentOthersOfTwo,
		e.Kind, e.Key, sinceMicros, but, e.Kind, e.Older, sinceMicros, but)
}

// before asks for a pincode's running total at the beginning of an hour.
func (t *tally) before(answer func(n int64), key string, hour int64) {
	t.ask(answer, `coalesce((SELECT applicants FROM fraud_pincode_hours
		WHERE tenant_id = $1 AND environment = $2 AND entity_key = ? AND hour < ? ORDER BY hour DESC LIMIT 1), 0)`, key, hour)
}

func (ob Observations) take(t *tally) error {
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

// observed counts everything but the observation itself, whether that was
// recorded or not, and adds it: so Peek foretells what Observe will say. The
// grouping is what the observation means for the rings; it is not stored yet.
func (ob Observations) observed(
	o Observation, w Windows, known map[string]entityState,
) (ObservedCounts, *grouping, error) {
	c := ObservedCounts{Applicants: make(map[string]int64, len(o.Entities)), Blocklisted: o.blocked(known)}
	if err := ob.take(o.questions(w, known, &c)); err != nil {
		return ObservedCounts{}, nil, err
	}
	for _, e := range o.Entities {
		if known[e.Kind].mutedMicros > o.NowMicros {
			c.Muted = append(c.Muted, e.Kind)
		}
	}
	if c.Applicants[KindPincode] == MaxCounted {
		if err := ob.countOn(&c, o, w); err != nil {
			return ObservedCounts{}, nil, err
		}
	}
	g, err := ob.tx.rings().group(o, w, known, c.Applicants)
	if err != nil {
		return ObservedCounts{}, nil, err
	}
	c.Ring = g.count(o.NowMicros)
	return c, g, nil
}

// questions are all that there is to count, in one statement.
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

// askBaseline asks for the whole hours of the days before the window. The hour
// in which the window begins belongs to neither.
func (o Observation) askBaseline(t *tally, c *ObservedCounts, key string, w Windows, known entityState) {
	begins := o.NowMicros - w.Micros[KindPincode]
	if known.firstMicros == 0 {
		return // never seen before
	}
	c.BaselineDays = max(0, min(w.BaselineDays, (begins-known.firstMicros)/dayMicros))
	if c.BaselineDays == 0 {
		return
	}
	hour := begins / hourMicros
	t.before(func(n int64) { c.BaselineApplicants += n }, key, hour)
	t.before(func(n int64) { c.BaselineApplicants -= n }, key, hour-c.BaselineDays*24)
}

// countOn counts a busy pincode by its hours: a large baseline must not put
// the spike beyond what can be counted. Those who came before the window and
// again within it are not in this count, nor is the hour in which it begins, so
// it is never too high.
func (ob Observations) countOn(c *ObservedCounts, o Observation, w Windows) error {
	pincode, _ := o.entity(KindPincode)
	var t tally
	var sum int64
	began := (o.NowMicros - w.Micros[KindPincode]) / hourMicros
	const never = 1 << 40 // hours
	t.before(func(n int64) { sum += n }, pincode.Key, never)
	t.before(func(n int64) { sum -= n }, pincode.Key, began+1)
	if err := ob.take(&t); err != nil {
		return err
	}
	c.Applicants[KindPincode] = max(c.Applicants[KindPincode], sum)
	return nil
}
