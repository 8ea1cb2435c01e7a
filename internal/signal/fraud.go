package signal

import (
	"slices"

	"verdict/internal/fault"
	"verdict/internal/rule"
)

// The fraud signals, which are also the types of alerts.
const (
	PincodeSpike     = "pincode_spike"
	IPCluster        = "ip_cluster"
	BeneficiaryReuse = "beneficiary_account_reuse"
	AgentGeoAnomaly  = "agent_geo_anomaly"
	DeviceReuse      = "device_reuse"
	MobileReuse      = "mobile_reuse"
	EmailReuse       = "email_reuse"
	ConnectedRing    = "ring"
)

// Signals lists the ids of all signals, in the order they are evaluated.
func Signals() []string {
	return []string{PincodeSpike, IPCluster, BeneficiaryReuse, AgentGeoAnomaly, DeviceReuse, MobileReuse, EmailReuse, ConnectedRing}
}

// The reasons why a signal was not evaluated.
const (
	ReasonNoApplicant   = fault.CodeApplicantRefMissing
	ReasonShortBaseline = "baseline_too_short"
)

// The reasons that signals give, whose texts for the applicant do not tip off.
const (
	reasonMule = "FR_MULE"
	reasonRing = "FR_RING"
)

// Counts are what was looked up about the entities of one observation, each
// within the window of its signal. Applicants are different people, this one
// included, so a count that was looked up is at least 1 and 0 means that it
// was not.
type Counts struct {
	PincodeApplicants     int64
	IPApplicants          int64
	BeneficiaryApplicants int64
	AgentApplicants       int64
	AgentPincodes         int64 // 0 where the agent's applicants name none
	DeviceApplicants      int64
	MobileApplicants      int64
	EmailApplicants       int64

	// BaselineApplicants is how many applied from the pincode in the
	// BaselineDays before the window: at most as many days as the
	// configuration has for it, fewer while the history is younger.
	BaselineApplicants int64
	BaselineDays       int64

	Ring RingCount

	// Blocklisted and Muted are the kinds of the entities that are on the
	// block list, and of those about which no alert is wanted for now.
	Blocklisted []string
	Muted       []string
}

// RingCount is the connected group that the applicant belongs to, this one
// included. People is 0 when it was not looked up.
type RingCount struct {
	ID        string // "" for a group that is not kept yet
	People    int64
	Links     int64 // different things that tie them
	Truncated bool  // the group is larger than a ring may be
	Muted     bool
}

// Signal is one signal: an evaluated one, or one with the reason why it was
// not.
type Signal struct {
	ID           string
	NotEvaluated string // the reason; the other members are then unknown

	Triggered   bool
	Severity    Severity // low unless triggered
	Value       int64
	Threshold   int64
	WindowHours int64
	Measure     string // what Value counts, where a signal counts two things
	ReasonCode  string
	Points      int64 // 0 unless triggered
	Entity      Entity
}

// Fraud is what the fraud block and the counts behind it come to: facts for
// the rules, and an account of them for the response.
type Fraud struct {
	// Counted is false when the request names no applicant. The block list is
	// then all that is known: the score is no fact, and there is no level unless
	// something is on the list.
	Counted bool
	Score   int64
	Level   string
	Signals []Signal // in a fixed order

	// Blocklisted are the entities on the block list. They are listed among the
	// signals, and raise no alert: they are on the list because of one.
	Blocklisted []Entity

	// Device and Location are what these blocks derived, nil for a block that
	// was not sent, and AlertIDs the alerts that this request raised or added
	// to. They are the caller's to fill in; Write shows them.
	Device   *Block
	Location *Block
	AlertIDs []string

	facts []rule.NamedValue
	muted []string
}

// Block collects what a block derived, in order.
type Block struct{ facts []rule.NamedValue }

// Add is what Device and Location are given to add to.
func (b *Block) Add(name string, v rule.Value) {
	b.facts = append(b.facts, rule.NamedValue{Name: name, Value: v})
}

// maxScore is where the sum of the points ends.
const maxScore = 100

// Assess evaluates the signals of an observation. A signal that is switched
// off, whose entity was not sent or was not counted, is not evaluated: it is
// not listed, and its facts are absent. Without an applicant nothing can be
// counted: every signal is listed with that reason, and of the facts only
// fraud_blocklisted is known, which needs no person.
func Assess(o Observation, n Counts, cfg FraudConfig) Fraud {
	a := assessment{observed: o, counts: n, cfg: cfg}
	if !o.Counted() {
		a.uncounted()
		a.blocklisted()
		if len(a.fraud.Blocklisted) > 0 {
			a.fraud.Level = levelHigh
		}
		return a.fraud
	}
	a.fraud.Counted, a.fraud.muted = true, n.Muted
	a.pincodeSpike()
	a.ipCluster()
	a.beneficiary()
	a.agent()
	a.shared("device", KindDevice, DeviceReuse, n.DeviceApplicants)
	a.shared("mobile", KindMobile, MobileReuse, n.MobileApplicants)
	a.shared("email", KindEmail, EmailReuse, n.EmailApplicants)
	a.ring()
	a.blocklisted()
	for _, s := range a.fraud.Signals {
		a.fraud.Score += s.Points
	}
	a.fraud.Score = min(a.fraud.Score, maxScore)
	a.fraud.Level = a.level()
	a.fact("fraud_score", whole(a.fraud.Score))
	return a.fraud
}

// uncounted lists every signal that is switched on, with the reason why it was
// not evaluated.
func (a *assessment) uncounted() {
	on := map[string]bool{
		PincodeSpike: a.cfg.PincodeSpike.Enabled, IPCluster: a.cfg.IPCluster.Enabled,
		BeneficiaryReuse: a.cfg.BeneficiaryReuse.Enabled, AgentGeoAnomaly: a.cfg.AgentAnomaly.Enabled,
		DeviceReuse: a.cfg.DeviceReuse.Enabled, MobileReuse: a.cfg.MobileReuse.Enabled, EmailReuse: a.cfg.EmailReuse.Enabled,
		ConnectedRing: a.cfg.Ring.Enabled,
	}
	for _, id := range Signals() {
		if on[id] {
			a.fraud.Signals = append(a.fraud.Signals, Signal{ID: id, NotEvaluated: ReasonNoApplicant})
		}
	}
}

// blocklisted tells whether something that was sent is on the block list.
func (a *assessment) blocklisted() {
	if len(a.observed.Entities) == 0 {
		return
	}
	for _, e := range a.observed.Entities {
		if slices.Contains(a.counts.Blocklisted, e.Kind) {
			a.fraud.Blocklisted = append(a.fraud.Blocklisted, e)
		}
	}
	a.fact("fraud_blocklisted", rule.Bool(len(a.fraud.Blocklisted) > 0))
}

// level is the score against the cutoffs, and at least high when something is on
// the block list, or an account or a connected group gives the applicant away:
// points that a lender sets to 0 must not make an all-clear of that.
func (a *assessment) level() string {
	level := a.cfg.LevelCutoffs.level(a.fraud.Score)
	hard := len(a.fraud.Blocklisted) > 0 || slices.ContainsFunc(a.fraud.Signals, func(s Signal) bool {
		return s.Triggered && (s.ID == BeneficiaryReuse || s.ID == ConnectedRing)
	})
	if hard && level != levelVeryHigh {
		return levelHigh
	}
	return level
}

// The levels that a hard signal has at least.
const (
	levelHigh     = "high"
	levelVeryHigh = "very_high"
)

// Derive calls add for each fact that is known, in a fixed order.
func (f Fraud) Derive(add func(name string, v rule.Value)) {
	for _, fact := range f.facts {
		add(fact.Name, fact.Value)
	}
}

func (c LevelCutoffs) level(score int64) string {
	switch {
	case score >= c.VeryHigh:
		return levelVeryHigh
	case score >= c.High:
		return levelHigh
	case score >= c.Medium:
		return "medium"
	default:
		return "low"
	}
}

// assessment is one under way.
type assessment struct {
	observed Observation
	counts   Counts
	cfg      FraudConfig
	fraud    Fraud
}

func (a *assessment) fact(name string, v rule.Value) {
	a.fraud.facts = append(a.fraud.facts, rule.NamedValue{Name: name, Value: v})
}

// grave says how grave a triggered signal is: plainly, at half as much again as
// its threshold, and at twice it. A pincode that only just reaches it is one
// of the many where chance does so now and then: that is a fact for the rules,
// and not yet worth waking anybody.
var grave = map[string]struct{ plain, half, twice Severity }{
	PincodeSpike:     {SeverityLow, SeverityMedium, SeverityHigh},
	IPCluster:        {SeverityMedium, SeverityMedium, SeverityHigh},
	BeneficiaryReuse: {SeverityCritical, SeverityCritical, SeverityCritical},
	AgentGeoAnomaly:  {SeverityMedium, SeverityMedium, SeverityHigh},
	DeviceReuse:      {SeverityMedium, SeverityMedium, SeverityHigh},
	MobileReuse:      {SeverityMedium, SeverityMedium, SeverityHigh},
	EmailReuse:       {SeverityMedium, SeverityMedium, SeverityHigh},
	ConnectedRing:    {SeverityHigh, SeverityHigh, SeverityCritical},
}

// evaluated lists a signal, and gives it its severity, and its points when it
// was triggered.
func (a *assessment) evaluated(s Signal, points int64) {
	if s.Triggered {
		s.Points = points
		switch g := grave[s.ID]; {
		case s.Value >= 2*s.Threshold:
			s.Severity = g.twice
		case 2*s.Value >= 3*s.Threshold:
			s.Severity = g.half
		default:
			s.Severity = g.plain
		}
	}
	a.fraud.Signals = append(a.fraud.Signals, s)
}
