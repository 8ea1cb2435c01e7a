package load

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Plan describes the stages of a campaign. A closed loop finds the saturation rate. An
// open loop then sends at percentages of that rate. The last stage returns to a
// percentage that the server can handle.
type Plan struct {
	Connections []int // numbers of connections to try in the closed loop; the highest rate counts
	Stage       time.Duration
	Percents    []int
	Back        int           // percentage of the last stage; one of Percents
	Saturation  float64       // requests per second that count as 100 %; measured if 0
	Probe       time.Duration // timeout of a probe
}

// Step is one stage of the open loop.
type Step struct {
	Percent int
	Memory  int64         // memory of the server at the end of the stage, in bytes
	Busy    time.Duration // processor time that the server used
	Stolen  float64       // share of the processor time that the host gave to other machines
	// Saturated is the saturation rate at the time of the stage.
	Saturated float64
	*Result
}

// Campaign is the result of a plan on one server.
type Campaign struct {
	Database   string
	Separated  bool // whether the load and the server used different processors
	Options    Options
	Plan       Plan
	Saturation *Result
	Rate       float64 // good answers per second at saturation
	Steps      []Step
	Back       Step
	Recovery   time.Duration // time from the start of the last stage until latency was normal
	Recovered  bool
	PeakMemory int64 // in bytes
	LogBytes   int64
	Probes     map[string]*Histogram
	Decisions  int64    // number of answered decisions
	Wrong      []string // violations found during the campaign
}

// Share returns the rate of good answers as a share of the saturation rate.
func (s *Step) Share() float64 { return s.Rate() / s.Saturated }

// Run runs the plan against a server and calls tell after each stage.
//
// The speed of a shared machine changes within seconds, by a factor of up to two, without
// the machine seeing that processor time was taken from it. So the saturation rate is
// measured again before and after each stage past saturation, and the stage is compared
// with the mean of both.
func Run(
	ctx context.Context, s *Server, g *Generator, p Plan, tell func(format string, args ...any),
) (*Campaign, error) {
	c := &Campaign{Options: g.options, Plan: p, Rate: p.Saturation}
	c.saturate(ctx, g, tell)
	probes := StartProbes(ctx, p.Probe, s.URL+"/livez", s.URL+"/readyz", s.Metrics)
	for _, percent := range p.Percents {
		if percent < saturated || p.Saturation > 0 {
			c.Steps = append(c.Steps, c.step(ctx, s, g, percent, c.Rate, tell))
			continue
		}
		before := c.again(ctx, g, tell)
		step := c.step(ctx, s, g, percent, before, tell)
		step.Saturated = (before + c.again(ctx, g, tell)) / 2
		tell("%3d %%: %.0f %% of the saturation rate, which was %.0f", percent, 100*step.Share(), step.Saturated)
		c.Steps = append(c.Steps, step)
	}
	c.Back = c.step(ctx, s, g, p.Back, c.Rate, tell)
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

// saturate finds the saturation rate of the server. Up to a point, more connections give
// a higher rate, because the server commits waiting writes together.
func (c *Campaign) saturate(ctx context.Context, g *Generator, tell func(string, ...any)) {
	g.Closed(ctx, c.Plan.Connections[0], c.Plan.Stage/5) // warm up: compile policies and fill caches
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

// again measures the saturation rate for half a stage.
func (c *Campaign) again(ctx context.Context, g *Generator, tell func(string, ...any)) float64 {
	r := g.Closed(ctx, c.Saturation.Conns, c.Plan.Stage/2)
	tell("closed, %d connections: %.0f a second", r.Conns, r.Rate())
	return r.Rate()
}

// step runs a stage at a percentage of the saturation rate.
func (c *Campaign) step(
	ctx context.Context, s *Server, g *Generator, percent int, saturation float64, tell func(string, ...any),
) Step {
	began := readProcessorTime()
	before, _ := s.Busy() // if this fails, reading the memory at the end fails too and returns the error
	r := g.Open(ctx, saturation*float64(percent)/100, c.Plan.Stage)
	step := Step{Percent: percent, Result: r, Stolen: stolenSince(began), Saturated: saturation}
	step.Memory, _, _ = s.Memory()
	after, _ := s.Busy()
	step.Busy = after - before
	tell("%3d %%: offered %.0f, done %.0f, refused %d, p50 %s p99 %s (%s), refusals' p99 %s, "+
		"sent late by p99 %s, %d connections, %d MiB, busy %s, stolen %.0f %%",
		percent, r.Offered, r.Rate(), r.Refused,
		short(r.Latency.Quantile(0.5)), short(r.Latency.Quantile(0.99)), r.slowest(), short(r.Refusal.Quantile(0.99)),
		short(r.Behind.Quantile(0.99)), r.Conns, step.Memory>>20, step.Busy, 100*step.Stolen)
	return step
}

// recover measures how long latency took to return to normal in the last stage. Latency
// is normal when the p99 of a window is no higher than in the slowest window of the
// earlier stage with the same load.
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

// Limits holds the limits that the service must meet past saturation.
type Limits struct {
	Goodput float64       // minimum rate of good answers, as a share of the saturation rate
	Flooded float64       // minimum rate for loads above the constant Flooded, as a share of the saturation rate
	Latency time.Duration // maximum p99 of good answers; 0 means no limit
	Refusal time.Duration // maximum p99 of refusals
	Memory  int64         // maximum peak, in bytes
	Recover time.Duration // maximum recovery time; 0 means no limit
}

// Flooded is the percentage of the saturation rate beyond which a service spends much of
// its time on refusals. Reading a request and writing a refusal costs at least a fifth of
// a decision, nearly all of it in net/http and the kernel.
const Flooded = 150

// saturated is the percentage at which a stage counts as past saturation.
const saturated = 100

// DefaultLimits returns the limits that the service must meet.
func DefaultLimits() Limits {
	return Limits{
		Goodput: 0.75,
		Flooded: 0.65,
		Latency: 400 * time.Millisecond,
		Refusal: 500 * time.Millisecond,
		Memory:  512 << 20,
		Recover: 5 * time.Second,
	}
}

// Judge returns every limit that was not met.
func (c *Campaign) Judge(l Limits) []string {
	wrong := slices.Clone(c.Wrong)
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, s := range slices.Concat(c.Steps, []Step{c.Back}) {
		r := s.Result
		if r.Wrong > 0 {
			complain("at %d %%: %d answers were neither 200 nor a refusal, the first %s",
				s.Percent, r.Wrong, r.FirstWrong)
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
		if s.Percent >= saturated && s.Share() < part {
			complain("at %d %%: %.0f good answers a second, less than %.0f", s.Percent, r.Rate(), part*s.Saturated)
		}
	}
	if c.PeakMemory > l.Memory {
		complain("the server took %d MiB, more than %d", c.PeakMemory>>20, l.Memory>>20)
	}
	switch {
	case l.Recover == 0:
	case !c.Recovered:
		complain("latency was never again normal")
	case c.Recovery > l.Recover:
		complain("it took %s until latency was normal again", c.Recovery)
	}
	return wrong
}
