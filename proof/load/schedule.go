package load

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Arrivals says how requests are distributed over time.
type Arrivals string

// Even arrivals have equal intervals. Poisson arrivals are those of many
// independent callers, with bursts and gaps.
const (
	Even    Arrivals = "even"
	Poisson Arrivals = "poisson"
)

// ParseArrivals parses the name of a kind of arrivals.
func ParseArrivals(text string) (Arrivals, error) {
	switch a := Arrivals(text); a {
	case Even, Poisson:
		return a, nil
	}
	return "", fmt.Errorf("arrivals are %q or %q", Even, Poisson)
}

// schedule computes when requests are due, as times since the start. The
// schedule does not depend on answers.
type schedule struct {
	arrivals Arrivals
	rate     float64 // requests per second
	random   *rand.Rand
	n        int64
	at       float64 // time since the start, in seconds
}

func newSchedule(arrivals Arrivals, rate float64, random *rand.Rand) *schedule {
	return &schedule{arrivals: arrivals, rate: rate, random: random}
}

// next returns when the next request is due.
func (s *schedule) next() time.Duration {
	if s.arrivals == Poisson {
		s.at += s.random.ExpFloat64() / s.rate
	} else {
		s.at = float64(s.n) / s.rate // not a running sum, because rounding errors would add up
	}
	s.n++
	return time.Duration(s.at * float64(time.Second))
}
