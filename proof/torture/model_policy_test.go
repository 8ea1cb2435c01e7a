package torture

import (
	"net/http"
	"testing"
	"time"
)

// activate adds to the model an activation that began and ended at the given seconds. The parameter to is 0 if the
// activation had no answer.
func (b *bench) activate(id string, from, to int) {
	start := time.Unix(1_900_000_000, 0)
	r := &request{
		scope: b.one,
		path:  "/v1/rule-sets/" + id + "/activate",
		began: start.Add(time.Duration(from) * time.Second),
	}
	if to > 0 {
		r.done, r.status, r.ended = true, http.StatusOK, start.Add(time.Duration(to)*time.Second)
	}
	b.one.activations = append(b.one.activations, r)
}

func TestWhichPolicyMayBeActive(t *testing.T) {
	t.Parallel()
	type span struct {
		id       string
		from, to int
	}
	tests := []struct {
		name      string
		history   []span
		id        string
		at, until int
		may       bool
	}{
		{"the first", nil, "pol_first", 10, 11, true},
		{"one that was never activated", nil, "pol_x", 10, 11, false},
		{"the last", []span{{"a", 1, 2}, {"b", 3, 4}}, "b", 10, 11, true},
		{"one that was surely replaced", []span{{"a", 1, 2}, {"b", 3, 4}}, "a", 10, 11, false},
		{"one before the replacement was answered", []span{{"a", 1, 2}, {"b", 3, 10}}, "a", 5, 6, true},
		{"the winner of a race", []span{{"a", 1, 5}, {"b", 2, 4}}, "a", 10, 11, true},
		{"the other one of a race", []span{{"a", 1, 5}, {"b", 2, 4}}, "b", 10, 11, true},
		{"one without an answer", []span{{"a", 1, 0}, {"b", 3, 4}}, "a", 10, 11, true},
		{"one that began too late", []span{{"a", 12, 13}}, "a", 10, 11, false},
		{"a rollback", []span{{"a", 1, 2}, {"b", 3, 4}, {"a", 5, 6}}, "a", 10, 11, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			for _, s := range test.history {
				b.activate(s.id, s.from, s.to)
			}
			start := time.Unix(1_900_000_000, 0)
			if got := b.one.mayBeActive(test.id, start.Add(time.Duration(test.at)*time.Second),
				start.Add(time.Duration(test.until)*time.Second)); got != test.may {
				t.Errorf("%s may be active: %t", test.id, got)
			}
		})
	}
}

func TestActiveList(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"data":[]}`, `{"data":[{"id":"pol_first","status":"active"},{"id":"b","status":"active"}]}`,
		`{"data":[{"id":"b","status":"active"}]}`, `nothing`,
	} {
		b := newBench(t)
		b.m.activeList(b.one, []byte(body), b.tick(), b.tick())
		b.broken("one-active-policy", "")
	}
	b := newBench(t)
	b.m.activeList(b.one, []byte(`{"data":[{"id":"pol_first","status":"active"}]}`), b.tick(), b.tick())
	b.holds()
}
