package signal

// Config is a tenant's fraud, device and location thresholds in one
// environment. It changes which facts are derived and nothing else: what a
// fact does to a decision is the policy's to say.
type Config struct {
	Fraud    FraudConfig
	Device   DeviceConfig
	Location LocationConfig
}

// FraudConfig is how the fraud signals are counted, weighed and told.
type FraudConfig struct {
	PincodeSpike     PincodeSpikeConfig
	IPCluster        IPClusterConfig
	BeneficiaryReuse BeneficiaryReuseConfig
	AgentAnomaly     AgentAnomalyConfig
	DeviceReuse      ReuseConfig
	MobileReuse      ReuseConfig
	EmailReuse       ReuseConfig
	Ring             RingConfig
	LevelCutoffs     LevelCutoffs
	AlertMinSeverity Severity
	// MuteDays is how long an entity stays silent after an alert about it was
	// closed as a false positive.
	MuteDays int64
}

// PincodeSpikeConfig compares a pincode with its own past: the applicants of
// the window with what the baseline leads one to expect in as many hours.
type PincodeSpikeConfig struct {
	Enabled         bool
	WindowHours     int64
	MinCount        int64
	RatioHundredths int64 // ratio_to_baseline
	BaselineDays    int64
	MinBaselineDays int64
	Points          int64
}

// IPClusterConfig is from how many different applicants an address is a
// cluster.
type IPClusterConfig struct {
	Enabled            bool
	WindowHours        int64
	DistinctApplicants int64
	Points             int64
}

// BeneficiaryReuseConfig is from how many different applicants an account is
// reused.
type BeneficiaryReuseConfig struct {
	Enabled            bool
	WindowDays         int64
	DistinctApplicants int64
	Points             int64
	AllowlistAccounts  []Account
}

// ReuseConfig is from how many different applicants a device, a mobile number
// or an e-mail address is reused.
type ReuseConfig struct {
	Enabled            bool
	WindowDays         int64
	DistinctApplicants int64
	Points             int64
	Allowlist          []Account
	// Inherited is true when the document does not have the member. The switch,
	// the window and the number are then those of beneficiary_reuse, and there
	// are no points, so a configuration older than the member derives the facts
	// and the score that it always did.
	Inherited bool
}

// RingConfig is from how many people on a connected group is a ring.
type RingConfig struct {
	Enabled   bool
	MinPeople int64
	Points    int64
}

// inherit fills the settings of the members that the document does not have.
func (c *FraudConfig) inherit() {
	for _, r := range []*ReuseConfig{&c.DeviceReuse, &c.MobileReuse, &c.EmailReuse} {
		if r.Inherited {
			*r = c.inheritedReuse()
		}
	}
}

func (c *FraudConfig) inheritedReuse() ReuseConfig {
	b := c.BeneficiaryReuse
	return ReuseConfig{
		Enabled:            b.Enabled,
		WindowDays:         b.WindowDays,
		DistinctApplicants: b.DistinctApplicants,
		Inherited:          true,
	}
}

// reuse returns the settings of a kind that people share: nil for other kinds.
func (c *FraudConfig) reuse(kind string) *ReuseConfig {
	switch kind {
	case KindDevice:
		return &c.DeviceReuse
	case KindMobile:
		return &c.MobileReuse
	case KindEmail:
		return &c.EmailReuse
	default:
		return nil
	}
}

// Ties returns the kinds of an observation's entities that tie people into a
// ring, with the days within which they do. An address, a pincode or an agent
// ties nobody, nor does a kind that is switched off or an entity that is on its
// allow list.
func (c *FraudConfig) Ties(o Observation) map[string]int64 {
	days := map[string]int64{}
	for _, e := range o.Entities {
		r := c.reuse(e.Kind)
		if e.Kind == KindBeneficiaryAccount {
			b := c.BeneficiaryReuse
			r = &ReuseConfig{Enabled: b.Enabled, WindowDays: b.WindowDays, Allowlist: b.AllowlistAccounts}
		}
		if r != nil && r.Enabled && !listed(r.Allowlist, e) {
			days[e.Kind] = r.WindowDays
		}
	}
	return days
}

// ringWindowDays is the longest window within which something ties people.
func (c *FraudConfig) ringWindowDays() int64 {
	days := int64(0)
	if c.BeneficiaryReuse.Enabled {
		days = c.BeneficiaryReuse.WindowDays
	}
	for _, r := range []ReuseConfig{c.DeviceReuse, c.MobileReuse, c.EmailReuse} {
		if r.Enabled {
			days = max(days, r.WindowDays)
		}
	}
	return days
}

// AgentAnomalyConfig is how many applicants, and from how many different
// pincodes, an agent may bring.
type AgentAnomalyConfig struct {
	Enabled             bool
	WindowHours         int64
	MaxApplications     int64
	MaxDistinctPincodes int64
	Points              int64
}

// LevelCutoffs are the scores from which a level is reached.
type LevelCutoffs struct {
	Medium, High, VeryHigh int64
}

// DeviceConfig is the thresholds of the device block.
type DeviceConfig struct {
	SIMNewDays           int64
	LoanAppsMax          int64
	AppInstallMinAgeDays int64
}

// LocationConfig is the thresholds of the location block.
type LocationConfig struct {
	// GPSMatchRadiusMetres replaces the radius that each pincode has of its
	// own; 0 leaves it.
	GPSMatchRadiusMetres int32
	// AllowedIPCountries is empty when the tenant makes no difference between
	// countries; location_ip_allowed is then absent.
	AllowedIPCountries []string
	DefaultPincodeRisk Risk
}

// Severity is how grave a signal is.
type Severity uint8

// The severities, from the least.
const (
	SeverityLow Severity = iota
	SeverityMedium
	SeverityHigh
	SeverityCritical
)

var severityNames = []string{"low", "medium", "high", "critical"}

// String is the severity's name in documents.
func (s Severity) String() string { return severityNames[s] }

// The bounds of a configuration. A window is bounded because what is counted
// in it must be kept that long.
const (
	maxWindowHours = 30 * 24
	maxDays        = 365
	maxAgeDays     = 100 * 365
	maxThreshold   = 1_000_000
	// maxCounted is as far as applicants are counted: above it a threshold
	// would never be reached, and the signal be silent for ever.
	maxCounted   = 1_000
	maxPoints    = 100
	minRatio     = 1_00    // 1.00
	maxRatio     = 100_00  // 100.00
	maxRadius    = 500_000 // metres
	maxAllowlist = 500
	minRing      = 2
	maxRing      = 200 // a ring does not grow further
	maxCountries = 250
)

// DefaultConfig is what a tenant starts with.
func DefaultConfig() Config {
	c := Config{
		Fraud: FraudConfig{
			PincodeSpike: PincodeSpikeConfig{
				Enabled: true, WindowHours: 24, MinCount: 10, RatioHundredths: 300,
				BaselineDays: 30, MinBaselineDays: 14, Points: 20,
			},
			IPCluster:        IPClusterConfig{Enabled: true, WindowHours: 24, DistinctApplicants: 5, Points: 15},
			BeneficiaryReuse: BeneficiaryReuseConfig{Enabled: true, WindowDays: 90, DistinctApplicants: 2, Points: 50},
			AgentAnomaly: AgentAnomalyConfig{
				Enabled: true, WindowHours: 24, MaxApplications: 20, MaxDistinctPincodes: 8, Points: 15,
			},
			DeviceReuse:      ReuseConfig{Inherited: true},
			MobileReuse:      ReuseConfig{Inherited: true},
			EmailReuse:       ReuseConfig{Inherited: true},
			Ring:             RingConfig{Enabled: true, MinPeople: 3},
			LevelCutoffs:     LevelCutoffs{Medium: 25, High: 50, VeryHigh: 75},
			AlertMinSeverity: SeverityMedium,
			MuteDays:         30,
		},
		Device: DeviceConfig{SIMNewDays: 30, LoanAppsMax: 5},
		Location: LocationConfig{
			AllowedIPCountries: []string{"IN"},
			DefaultPincodeRisk: RiskLow,
		},
	}
	c.Fraud.inherit()
	return c
}
