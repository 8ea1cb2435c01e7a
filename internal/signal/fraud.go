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

// Signals returns the ids of all signals, in order of evaluation.
func Signals() []string {
	return []string{
		PincodeSpike, IPCluster, BeneficiaryReuse, AgentGeoAnomaly, DeviceReuse, MobileReuse, EmailReuse, ConnectedRing,
	}
}

// The reasons why a signal was not evaluated.
const (
	ReasonNoApplicant   = fault.CodeApplicantRefMissing
	ReasonShortBaseline = "baseline_too_short"
)

// Reason codes of signals. Their texts for the applicant do not reveal that fraud is
// suspected.
const (
	reasonMule = "FR_MULE"
	reasonRing = "FR_RING"
)

// Counts holds the counts for the entities of one observation. Each count except the baseline covers the window of
// its signal. A count of applicants within a window includes this applicant, so it is at least 1 if it was looked up,
// and 0 if it was not.
type Counts struct {
	PincodeApplicants     int64
	IPApplicants          int64
	BeneficiaryApplicants int64
	AgentApplicants       int64
	AgentPincodes         int64 // 0 if the agent's applicants name no pincode
	DeviceApplicants      int64
	MobileApplicants      int64
	EmailApplicants       int64

	// BaselineApplicants is the number of applicants from the pincode in the
	// BaselineDays before the window. BaselineDays is the configured number, or
	// less while the history is shorter.
	BaselineApplicants int64
	BaselineDays       int64

	Ring RingCount

	// Blocklisted lists the kinds of the entities on the block list. Muted lists the
	// kinds of the entities about which no alert must be raised for now.
	Blocklisted []string
	Muted       []string
}

// RingCount describes the connected group that the applicant belongs to. The
// numbers include the applicant. People is 0 if the group was not looked up.
type RingCount struct {
	ID        string // "" for a group that is not stored yet
	People    int64
	Links     int64 // number of different entities that connect them
	Truncated bool  // the group is larger than a ring may be
	Muted     bool
}

// Signal is the result of one signal, or the reason why it was not evaluated.
type Signal struct {
	ID           string
	NotEvaluated string // the reason; all members except ID are then unknown

	Triggered   bool
	Severity    Severity // low unless triggered
	Value       int64
	Threshold   int64
	WindowHours int64
	Measure     string // what Value counts; set only for AgentGeoAnomaly, which counts applications or pincodes
	ReasonCode  string
	Points      int64 // 0 unless triggered
	Entity      Entity
}

// Fraud is the result of the assessment: facts for the rules, and the signals
// for the response.
type Fraud struct {
	// Counted is false if the request names no applicant. Then only the block list is
	// known: there is no fact for the score, and there is a level only if an entity
	// is on the block list.
	Counted bool
	Score   int64
	Level   string
	Signals []Signal // in a fixed order

	// Blocklisted are the entities on the block list. Write lists them among the
	// signals. They raise no alert.
	Blocklisted []Entity

	// Device and Location hold the facts derived from the device and location blocks.
	// Each is nil if the block was not sent. AlertIDs are the alerts that this
	// request raised or added to. The caller sets these three members, and Write
	// includes them.
	Device   *Block
	Location *Block
	AlertIDs []string

	// People are the assessments of the other people of the application, which Include adds.
	People []PersonFraud

	facts []rule.NamedValue
	muted []string
}

// PersonFraud is the assessment of a person other than the primary applicant.
type PersonFraud struct {
	Role string
	Fraud
}

// Include adds the assessments of the other people of the application. The block list is about the application, so the
// fact fraud_blocklisted and the level of the application include the values of all people. The other facts and the
// score of f are those of the primary applicant.
func (f *Fraud) Include(people []PersonFraud) {
	looked, blocked := false, false
	for i := range people {
		p := &people[i]
		if at := p.factAt(factBlocklisted); at >= 0 {
			looked, blocked = true, blocked || p.facts[at].Value.IsTrue()
		}
	}
	f.People = people
	at := f.factAt(factBlocklisted)
	switch {
	case at < 0 && looked:
		f.facts = append(f.facts, rule.NamedValue{Name: factBlocklisted, Value: rule.Bool(blocked)})
	case at >= 0 && blocked:
		f.facts[at].Value = rule.Bool(true)
	}
	if blocked && f.Level != levelVeryHigh {
		f.Level = levelHigh
	}
}

// factBlocklisted is the name of the fact that says whether a value of the application is on the block list.
const factBlocklisted = "fraud_blocklisted"

// factAt returns the index of a fact, or -1 if it is absent.
func (f *Fraud) factAt(name string) int {
	return slices.IndexFunc(f.facts, func(v rule.NamedValue) bool { return v.Name == name })
}

// Block collects the facts derived from a block, in order.
type Block struct{ facts []rule.NamedValue }

// Add appends a fact. It is passed to Device and Location as their add
// function.
func (b *Block) Add(name string, v rule.Value) {
	b.facts = append(b.facts, rule.NamedValue{Name: name, Value: v})
}

// maxScore is the maximum fraud score. If the sum of the points is larger, the score is maxScore.
const maxScore = 100

// Assess evaluates the signals of an observation. A signal is skipped, and its
// facts are absent, if it is disabled, or if its entity was not sent or not
// counted. A pincode spike whose baseline is too short is listed as not
// evaluated. Without an applicant nothing can be counted. Every enabled signal
// is then listed as not evaluated, and the only fact is fraud_blocklisted,
// which needs no applicant.
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
	a.fact("fraud_score", integer(a.fraud.Score))
	return a.fraud
}

// uncounted lists every enabled signal as not evaluated because there is no
// applicant.
func (a *assessment) uncounted() {
	on := map[string]bool{
		PincodeSpike:     a.cfg.PincodeSpike.Enabled,
		IPCluster:        a.cfg.IPCluster.Enabled,
		BeneficiaryReuse: a.cfg.BeneficiaryReuse.Enabled,
		AgentGeoAnomaly:  a.cfg.AgentAnomaly.Enabled,
		DeviceReuse:      a.cfg.DeviceReuse.Enabled,
		MobileReuse:      a.cfg.MobileReuse.Enabled,
		EmailReuse:       a.cfg.EmailReuse.Enabled,
		ConnectedRing:    a.cfg.Ring.Enabled,
	}
	for _, id := range Signals() {
		if on[id] {
			a.fraud.Signals = append(a.fraud.Signals, Signal{ID: id, NotEvaluated: ReasonNoApplicant})
		}
	}
}

// blocklisted adds a fact that says whether an entity of the request is on the
// block list. It adds none if the request has no entities.
func (a *assessment) blocklisted() {
	if len(a.observed.Entities) == 0 {
		return
	}
	for _, e := range a.observed.Entities {
		if slices.Contains(a.counts.Blocklisted, e.Kind) {
			a.fraud.Blocklisted = append(a.fraud.Blocklisted, e)
		}
	}
	a.fact(factBlocklisted, rule.Bool(len(a.fraud.Blocklisted) > 0))
}

// level returns the level of the score. It is at least high if an entity is on the
// block list, or if the account-reuse or ring signal triggered. A lender may set the
// points of these signals to 0, but the level must still show the risk.
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

// The two highest levels.
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

// assessment holds the state of one assessment.
type assessment struct {
	observed Observation
	counts   Counts
	cfg      FraudConfig
	fraud    Fraud
}

func (a *assessment) fact(name string, v rule.Value) {
	a.fraud.facts = append(a.fraud.facts, rule.NamedValue{Name: name, Value: v})
}

// severities holds the severities of a triggered signal: at its threshold, at 1.5
// times the threshold, and at twice the threshold. PincodeSpike has a low severity
// at its threshold, because a pincode often reaches it by chance. Rules can read
// the fact then, but by default no alert is raised.
var severities = map[string]struct{ plain, half, twice Severity }{
	PincodeSpike:     {SeverityLow, SeverityMedium, SeverityHigh},
	IPCluster:        {SeverityMedium, SeverityMedium, SeverityHigh},
	BeneficiaryReuse: {SeverityCritical, SeverityCritical, SeverityCritical},
	AgentGeoAnomaly:  {SeverityMedium, SeverityMedium, SeverityHigh},
	DeviceReuse:      {SeverityMedium, SeverityMedium, SeverityHigh},
	MobileReuse:      {SeverityMedium, SeverityMedium, SeverityHigh},
	EmailReuse:       {SeverityMedium, SeverityMedium, SeverityHigh},
	ConnectedRing:    {SeverityHigh, SeverityHigh, SeverityCritical},
}

// evaluated appends a signal and, if it triggered, sets its severity and
// points.
func (a *assessment) evaluated(s Signal, points int64) {
	if s.Triggered {
		s.Points = points
		switch g := severities[s.ID]; {
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
