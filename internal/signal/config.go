package signal

import "slices"

// Config holds a tenant's fraud, device and location thresholds in one environment. It controls which facts are
// derived and which alerts are raised; policies decide how the facts affect a decision.
type Config struct {
	Fraud    FraudConfig
	Device   DeviceConfig
	Location LocationConfig
}

// FraudConfig controls how fraud signals are counted, weighted and reported.
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
	// MuteDays is the number of days after an alert about an entity was closed as a false positive. During these
	// days no new alert about the entity is raised.
	MuteDays int64
}

// PincodeSpikeConfig compares the number of applicants from a pincode in the
// window with the number expected from the pincode's own baseline.
type PincodeSpikeConfig struct {
	Enabled         bool
	WindowHours     int64
	MinCount        int64
	RatioHundredths int64 // the member ratio_to_baseline, in hundredths
	BaselineDays    int64
	MinBaselineDays int64
	Points          int64
}

// IPClusterConfig sets how many different applicants with one IP address are a cluster.
type IPClusterConfig struct {
	Enabled            bool
	WindowHours        int64
	DistinctApplicants int64
	Points             int64
}

// BeneficiaryReuseConfig sets how many different applicants must have the same account for it to count as reused.
type BeneficiaryReuseConfig struct {
	Enabled            bool
	WindowDays         int64
	DistinctApplicants int64
	Points             int64
	AllowlistAccounts  []Account
}

// ReuseConfig sets how many different applicants must have the same device, mobile number or e-mail address for it to
// count as reused.
type ReuseConfig struct {
	Enabled            bool
	WindowDays         int64
	DistinctApplicants int64
	Points             int64
	Allowlist          []Account
	// Inherited is true if the document lacks the member. Enabled, WindowDays and
	// DistinctApplicants are then those of beneficiary_reuse, and Points is 0. So a
	// configuration older than the member derives the same facts and the same score
	// as before.
	Inherited bool
}

// RingConfig sets how many people a connected group must have to be a ring.
type RingConfig struct {
	Enabled   bool
	MinPeople int64
	Points    int64
}

// inherit gives inherited members the settings of beneficiary_reuse.
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

// reuse returns the settings for devices, mobile numbers or e-mail addresses, or nil for other kinds.
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

// Ties returns the kinds of an observation's entities that connect people into a
// ring, with the window in days. IP addresses, pincodes and agents connect
// nobody. Disabled kinds and entities on an allow list connect nobody either.
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

// ringWindowDays returns the longest window of the enabled kinds that connect
// people.
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

// AgentAnomalyConfig limits how many applicants an agent may bring, and from
// how many different pincodes.
type AgentAnomalyConfig struct {
	Enabled             bool
	WindowHours         int64
	MaxApplications     int64
	MaxDistinctPincodes int64
	Points              int64
}

// LevelCutoffs holds the lowest score of each level above low.
type LevelCutoffs struct {
	Medium, High, VeryHigh int64
}

// DeviceConfig holds the thresholds of the device block.
type DeviceConfig struct {
	SIMNewDays           int64
	LoanAppsMax          int64
	AppInstallMinAgeDays int64
}

// LocationConfig holds the thresholds of the location block.
type LocationConfig struct {
	// GPSMatchRadiusMetres replaces the radius of each pincode; 0 means that each
	// pincode's own radius is used.
	GPSMatchRadiusMetres int32
	// AllowedIPCountries is empty when the tenant does not distinguish between
	// countries; location_ip_allowed is then absent.
	AllowedIPCountries []string
	DefaultPincodeRisk Risk
}

// Severity is the severity of a signal.
type Severity uint8

// The severities, in ascending order.
const (
	SeverityLow Severity = iota
	SeverityMedium
	SeverityHigh
	SeverityCritical
)

var severityNames = []string{"low", "medium", "high", "critical"}

// String returns the severity's name in documents.
func (s Severity) String() string { return severityNames[s] }

// Severities returns the names of the severities, in ascending order.
func Severities() []string { return slices.Clone(severityNames) }

// SeverityOf returns the severity with the given name, and false if there is none.
func SeverityOf(name string) (Severity, bool) {
	i := slices.Index(severityNames, name)
	return Severity(max(i, 0)), i >= 0
}

// Limits of a configuration. Windows are limited because records must be stored for
// as long as they are counted.
const (
	maxWindowHours = 30 * 24
	maxDays        = 365
	maxAgeDays     = 100 * 365
	maxThreshold   = 1_000_000
	// maxCounted is the number of applicants at which counting stops. A threshold
	// above it could never be reached, so the signal would never trigger.
	maxCounted   = 1_000
	maxPoints    = 100
	minRatio     = 1_00    // 1.00
	maxRatio     = 100_00  // 100.00
	maxRadius    = 500_000 // metres
	maxAllowlist = 500
	minRing      = 2
	maxRing      = 200 // the maximum size of a ring
	maxCountries = 250
)

// DefaultConfig returns the configuration of a new tenant.
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
