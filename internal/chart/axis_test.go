package chart

import "testing"

// TestShareEndsAt100Percent checks that the axis of a share never shows a tick above
// 100 %, whether all values are equal or not, and that an axis without a highest possible value is widened as before.
func TestShareEndsAt100Percent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		from, to float64
		most     float64
		end      float64
	}{
		{"all approved", 1, 1, 1, 1},
		{"nearly all approved", 0.97, 0.97, 1, 1},
		{"some approved", 0.35, 0.95, 1, 1},
		{"few approved", 0.01, 0.013, 1, 0.014},
		{"none approved", 0, 0, 1, 0.006},
		{"no limit", 1, 1, 0, 1.5},
		{"data above the limit", 1.2, 1.2, 1, 1.2},
	} {
		s := Axis{Unit: Percent, Most: c.most}.fit(span{from: c.from, to: c.to, any: true}, 2, true)
		if last := s.ticks[len(s.ticks)-1]; s.to < c.to || last > c.end+1e-9 || s.to > c.end+1e-9 {
			t.Errorf("%s: the axis ends at %v and its last tick is %v, not at most %v", c.name, s.to, last, c.end)
		}
	}
}
