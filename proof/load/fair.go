package load

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"time"
)

// FairPlan sets how fairness is measured: how long each attack lasts, and how many
// connections the neighbour and the attackers have.
type FairPlan struct {
	Stage       time.Duration
	Neighbour   int // connections of the neighbour
	Attackers   int // connections of an attack that floods
	Slow        int // connections of an attack that sends slowly
	Idle        int // connections of an attack that sends nothing, and of the largest floods
	ProbeWithin time.Duration
	Limits      FairLimits // an attack that misses them is measured again; see settled
	// Launch starts an attack. If Launch is nil, this process attacks, and the attackers
	// and the neighbour compete for processor time.
	Launch Launch
}

// Launch starts an attack. end stops the attack and returns the numbers of its answers.
type Launch func(context.Context, *Crowd) (end func() (Answers, error), err error)

// FairLimits holds the guarantees to a neighbour during an attack.
type FairLimits struct {
	Rate   float64       // minimum share of its undisturbed rate that the neighbour must keep
	P99    time.Duration // maximum p99 of the neighbour's answers
	Memory int64         // maximum memory of the server, in bytes
}

// DefaultFairLimits returns the limits that the service must meet.
func DefaultFairLimits() FairLimits {
	return FairLimits{Rate: 0.5, P99: time.Second, Memory: 768 << 20}
}

// These are the source addresses of the neighbour and the probes. All addresses of
// 127.0.0.0/8 belong to this machine.
const (
	neighbourAddress = "127.0.9.1"
	probeAddress     = "127.0.9.2"
)

// Disturbed is the result of one attack, as the neighbour saw it.
type Disturbed struct {
	Attack      Attack
	Undisturbed float64 // answers per second, the mean of the rates immediately before and after
	Stolen      float64 // share of the processor time that the host gave to other machines
	Sent        Answers // answers to the attack
	Probe       time.Duration
	Memory      int64 // peak memory of the server so far, in bytes
	Wrong       []string
	*Result
}

// Part returns the share of its undisturbed rate that the neighbour kept.
func (d *Disturbed) Part() float64 {
	if d.Undisturbed == 0 {
		return 0
	}
	return d.Rate() / d.Undisturbed
}

// Judge returns every limit that was not met.
func (d *Disturbed) Judge(l FairLimits) []string {
	wrong := append([]string(nil), d.Wrong...)
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if part := d.Part(); part < l.Rate {
		complain("the neighbour keeps %.0f %% of its rate", 100*part)
	}
	if p99 := d.Latency.Quantile(0.99); p99 > l.P99 {
		complain("its p99 is %s", short(p99))
	}
	if n := d.failures(); n > 0 {
		complain("%d of its requests failed", n)
	}
	if l.Memory > 0 && d.Memory > l.Memory {
		complain("the server held %d MiB", d.Memory>>20)
	}
	return wrong
}

// Fair measures how the service treats a neighbour during each attack. The neighbour is a
// tenant that sends decisions over a few connections. Each connection sends the next
// request after the last was answered, so every delay lowers the neighbour's rate.
func Fair(
	ctx context.Context, s *Server, neighbour string, attacks []Attack, p FairPlan, tell func(string, ...any),
) ([]*Disturbed, error) {
	g := New(Target{Addr: s.Addr(), Keys: []string{neighbour}, From: neighbourAddress},
		Options{Mix: Mix{1, 0, 0, 0}, Seed: 1, Timeout: 30 * time.Second})
	g.Closed(ctx, p.Neighbour, p.Stage/2) // warm up: compile policies and fill caches
	launch := p.Launch
	if launch == nil {
		launch = runHere
	}
	var all []*Disturbed
	before := g.Closed(ctx, p.Neighbour, p.Stage)
	for _, a := range attacks {
		var tries []*Disturbed
		stage := p.Stage
		for !p.settled(tries) && ctx.Err() == nil {
			d, err := p.disturb(ctx, s, g, launch, a, stage)
			if err != nil {
				return all, err
			}
			// The undisturbed rate changes with the speed of the machine, so take the mean
			// of the rates immediately before and after the attack.
			after := g.Closed(ctx, p.Neighbour, p.Stage)
			d.Undisturbed = (before.Rate() + after.Rate()) / 2
			before = after
			tell("%s: %.0f of %.0f a second (%.0f %%), p99 %s, %d failed, %d attacks answered, %d accepted, "+
				"probe %s, %d MiB, stolen %.0f %%",
				a.Name, d.Rate(), d.Undisturbed, 100*d.Part(), short(d.Latency.Quantile(0.99)),
				d.failures(), d.Sent.All, d.Sent.Accepted, short(d.Probe), d.Memory>>20, 100*d.Stolen)
			if d.unanswered() && stage < longestStage*p.Stage {
				// The expensive part of the requests may not have begun yet, so only a longer measurement counts.
				stage *= 2
				if d.failures() == 0 && len(d.Wrong) == 0 {
					continue
				}
			}
			tries = append(tries, d)
		}
		if len(tries) > 0 {
			all = append(all, typical(tries))
		}
		if err := ctx.Err(); err != nil {
			return all, err
		}
	}
	return all, nil
}

const (
	// stolenAtMost limits the share of the processor time that the host gives to other
	// machines during a measurement. Above it, the measurement says little.
	stolenAtMost = 0.05
	// CalmTries is the number of calm measurements that is enough for a median. An autovacuum
	// of PostgreSQL takes some seconds, so it can disturb two or three measurements of a second.
	CalmTries = 5
	FairTries = 9 // FairTries is the maximum number of measurements of an attack
	// longestStage is the maximum factor by which the measurement of an attack that gets no answer is lengthened.
	longestStage = 16
)

// calm reports whether the host left the machine alone during the measurement.
func (d *Disturbed) calm() bool { return d.Stolen <= stolenAtMost }

// unanswered reports whether an attack that sends whole requests got no answer.
func (d *Disturbed) unanswered() bool {
	return d.Sent.All == 0 && (d.Attack.Style == Flood || d.Attack.Style == Mass)
}

// failures returns the number of the neighbour's requests that failed.
func (d *Disturbed) failures() int64 { return d.Refused + d.Lost + d.Result.Wrong }

// settled reports whether an attack needs no further measurement. That is the case if the first measurement was
// calm and met the limits, or if there are enough measurements for a median. It is also the case if a request
// failed or another violation was found, because a repetition would not excuse that.
func (p FairPlan) settled(tries []*Disturbed) bool {
	calm := 0
	for _, d := range tries {
		if d.failures() > 0 || len(d.Wrong) > 0 {
			return true
		}
		if d.calm() {
			calm++
		}
	}
	switch {
	case len(tries) == 0:
		return false
	case len(tries) == 1:
		return calm == 1 && len(tries[0].Judge(p.Limits)) == 0
	}
	return calm >= CalmTries || len(tries) >= FairTries
}

// typical returns the measurement that counts: the first with a failed request or another
// violation, or else the one with the median share of the rate. The median is taken over
// the calm measurements, or over all if none was calm.
func typical(tries []*Disturbed) *Disturbed {
	var counted []*Disturbed
	for _, d := range tries {
		if d.failures() > 0 || len(d.Wrong) > 0 {
			return d
		}
		if d.calm() {
			counted = append(counted, d)
		}
	}
	if counted == nil {
		counted = slices.Clone(tries)
	}
	slices.SortFunc(counted, func(a, b *Disturbed) int { return cmp.Compare(a.Part(), b.Part()) })
	return counted[(len(counted)-1)/2]
}

// disturb attacks the server for the time stage, while the neighbour sends requests.
func (p FairPlan) disturb(
	ctx context.Context, s *Server, g *Generator, launch Launch, a Attack, stage time.Duration,
) (*Disturbed, error) {
	d := &Disturbed{Attack: a}
	probes := StartProbesFrom(ctx, probeAddress, p.ProbeWithin, s.URL+"/livez", s.URL+"/readyz")
	end, err := launch(ctx, p.crowd(a, s.Addr()))
	if err != nil {
		return nil, fmt.Errorf("launch %s: %w", a.Name, err)
	}
	began := readProcessorTime()
	d.Result = g.Closed(ctx, p.Neighbour, stage)
	d.Stolen = stolenSince(began)
	if d.Sent, err = end(); err != nil {
		return nil, fmt.Errorf("end %s: %w", a.Name, err)
	}
	var latency map[string]*Histogram
	latency, d.Wrong = probes.Stop()
	for _, h := range latency {
		d.Probe = max(d.Probe, h.Max())
	}
	_, d.Memory, err = s.Memory()
	return d, err
}

// FairTable returns the results as rows of a table: a heading, then one row for each
// attack.
func FairTable(all []*Disturbed) [][]string {
	rows := [][]string{{
		"attack", "lasted", "undisturbed a second", "disturbed", "kept", "p50", "p99", "failed", "attacks answered",
		"accepted", "slowest probe", "MiB at most so far", "stolen",
	}}
	for _, d := range all {
		rows = append(rows, []string{
			d.Attack.Name,
			short(d.Lasted),
			fmt.Sprintf("%.0f", d.Undisturbed),
			fmt.Sprintf("%.0f", d.Rate()),
			fmt.Sprintf("%.0f %%", 100*d.Part()),
			short(d.Latency.Quantile(0.5)),
			short(d.Latency.Quantile(0.99)),
			fmt.Sprint(d.failures()),
			fmt.Sprint(d.Sent.All),
			fmt.Sprint(d.Sent.Accepted),
			short(d.Probe),
			fmt.Sprint(d.Memory >> 20),
			fmt.Sprintf("%.0f %%", 100*d.Stolen),
		})
	}
	return rows
}

// dialer returns a dialer that connects from the given address of this machine, or from any address if it is empty.
func dialer(from string, deadline time.Time) *net.Dialer {
	d := &net.Dialer{Deadline: deadline}
	if from != "" {
		d.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	return d
}
