package load

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Plan is the order of stages: saturation in a closed loop, then an open loop
// at parts of the rate that was found, then back to a part that can be done.
type Plan struct {
	Connections []int // of the closed loop; the number that gets most done counts
	Stage       time.Duration
	Percents    []int
	Back        int           // percent of the last stage; one of Percents
	Saturation  float64       // requests a second that count as 100 %; measured when 0
	Probe       time.Duration // by which a probe must be answered
}

// Step is one stage of the open loop.
type Step struct {
	Percent int
	Memory  int64         // of the server at its end, in bytes
	Busy    time.Duration // processor time of the server
	Stolen  float64       // the part of the processors' time that the host gave to other machines
	*Result
}

// Campaign is all that was measured against one server.
type Campaign struct {
	Database   string
	Separated  bool // the load had processors of its own
	Options    Options
	Plan       Plan
	Saturation *Result
	Rate       float64 // at saturation, good answers a second
	Steps      []Step
	Back       Step
	Recovery   time.Duration // since the load went back
	Recovered  bool
	PeakMemory int64 // bytes
	LogBytes   int64
	Probes     map[string]*Histogram
	Decisions  int64    // answered, and found again at the end
	Wrong      []string // what must not be, as it was seen
}

// Run runs the plan against a server, telling of each stage when it is over.
func Run(ctx context.Context, s *Server, g *Generator, p Plan, tell func(format string, args ...any)) (*Campaign, error) {
	c := &Campaign{Options: g.options, Plan: p, Rate: p.Saturation}
	c.saturate(ctx, g, tell)
	probes := StartProbes(ctx, p.Probe, s.URL+"/livez", s.URL+"/readyz", s.Metrics)
	for _, percent := range p.Percents {
		c.Steps = append(c.Steps, c.step(ctx, s, g, percent, tell))
	}
	c.Back = c.step(ctx, s, g, p.Back, tell)
	c.recover()
	c.Probes, c.Wrong = probes.Stop()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	if _, c.PeakMemory, err = s.Memory(); err != nil {
		return nil, err
	}
	c.LogBytes = s.LogBytes()
	var wrong []string
	c.Decisions, wrong, err = g.Account(ctx, s.URL)
	c.Wrong = append(c.Wrong, wrong...)
	return c, err
}

// saturate finds the rate that the server is saturated at. More connections
// bring more, since what waits together is committed together, up to a point.
func (c *Campaign) saturate(ctx context.Context, g *Generator, tell func(string, ...any)) {
	g.Closed(ctx, c.Plan.Connections[0], c.Plan.Stage/5) // plans compiled, pages cached
	for _, connections := range c.Plan.Connections {
		r := g.Closed(ctx, connections, c.Plan.Stage)
		tell("closed, %d connections: %.0f a second, p99 %s", connections, r.Rate(), short(r.Latency.Quantile(0.99)))
		if c.Saturation == nil || r.Rate() > c.Saturation.Rate() {
			c.Saturation = r
		}
	}
	if c.Rate == 0 {
		c.Rate = c.Saturation.Rate()
	}
}

func (c *Campaign) step(ctx context.Context, s *Server, g *Generator, percent int, tell func(string, ...any)) Step {
	began := readProcessorTime()
	before, _ := s.Busy() // an error is told at the end, by what asks for the memory
	r := g.Open(ctx, c.Rate*float64(percent)/100, c.Plan.Stage)
	step := Step{Percent: percent, Result: r, Stolen: stolenSince(began)}
	step.Memory, _, _ = s.Memory()
	after, _ := s.Busy()
	step.Busy = after - before
	tell("%3d %%: offered %.0f, done %.0f, refused %d, p50 %s p99 %s (%s), refusals' p99 %s, sent late by p99 %s, %d connections, %d MiB, busy %s, stolen %.0f %%",
		percent, r.Offered, r.Rate(), r.Refused, short(r.Latency.Quantile(0.5)), short(r.Latency.Quantile(0.99)), r.slowest(), short(r.Refusal.Quantile(0.99)),
		short(r.Behind.Quantile(0.99)), r.Conns, step.Memory>>20, step.Busy, 100*step.Stolen)
	return step
}

// recover finds how long it took, after the load went back, until latency was
// what it had been at that load: within what its windows had shown then.
func (c *Campaign) recover() {
	at := slices.IndexFunc(c.Steps, func(s Step) bool { return s.Percent == c.Plan.Back })
	if at < 0 {
		return
	}
	var before time.Duration
	for i := range c.Steps[at].Windows {
		before = max(before, c.Steps[at].Windows[i].Quantile(0.99))
	}
	for i := range c.Back.Windows {
		if w := &c.Back.Windows[i]; w.Count() > 0 && w.Quantile(0.99) <= before {
			c.Recovery, c.Recovered = time.Duration(i)*window, true
			return
		}
	}
}

// Limits are what must hold past saturation.
type Limits struct {
	Goodput float64       // the part of the saturation rate that must still be done past it
	Flooded float64       // the same beyond Flooded
	Latency time.Duration // p99 of what is done past saturation; 0 when it is not looked at
	Refusal time.Duration // p99 of refusals
	Memory  int64         // bytes at the peak
	Recover time.Duration // 0 when it is not looked at
}

// Flooded is the percentage beyond which a service spends a good part of its time
// on refusing: to read a request and to write a refusal costs a fifth of a
// decision and more, nearly all of it in net/http and in the kernel.
const Flooded = 150

// saturated is the percentage from which a stage is past saturation.
const saturated = 100

// DefaultLimits are those that the service is held to.
func DefaultLimits() Limits {
	return Limits{Goodput: 0.75, Flooded: 0.65, Latency: 400 * time.Millisecond, Refusal: 500 * time.Millisecond, Memory: 512 << 20, Recover: 5 * time.Second}
}

// Judge says everything that does not hold; nothing when all does.
func (c *Campaign) Judge(l Limits) []string {
	wrong := slices.Clone(c.Wrong)
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, s := range slices.Concat(c.Steps, []Step{c.Back}) {
		r := s.Result
		if r.Wrong > 0 {
			complain("at %d %%: %d answers were neither 200 nor a refusal, the first %s", s.Percent, r.Wrong, r.FirstWrong)
		}
		if n := r.Lost + r.Unsent; n > 0 {
			complain("at %d %%: %d requests had no answer", s.Percent, n)
		}
		if r.Overtime > 0 {
			complain("at %d %%: %d answers came after the timeout", s.Percent, r.Overtime)
		}
		if r.Mute > 0 {
			complain("at %d %%: %d refusals did not say when to come back", s.Percent, r.Mute)
		}
		if got := r.Refusal.Quantile(0.99); got > l.Refusal {
			complain("at %d %%: refusals take %s", s.Percent, got)
		}
		if got := r.Latency.Quantile(0.99); l.Latency > 0 && s.Percent >= saturated && got > l.Latency {
			complain("at %d %%: what is done takes %s", s.Percent, got)
		}
		part := l.Goodput
		if s.Percent > Flooded {
			part = l.Flooded
		}
		if least := part * c.Rate; s.Percent >= saturated && r.Rate() < least {
			complain("at %d %%: %.0f good answers a second, less than %.0f", s.Percent, r.Rate(), least)
		}
	}
	if c.PeakMemory > l.Memory {
		complain("the server took %d MiB, more than %d", c.PeakMemory>>20, l.Memory>>20)
	}
	switch {
	case l.Recover == 0:
	case !c.Recovered:
		complain("latency was never again what it had been")
	case c.Recovery > l.Recover:
		complain("it took %s until latency was what it had been", c.Recovery)
	}
	return wrong
}
