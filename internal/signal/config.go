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
// reused. The same window and number hold for a shared phone, mobile number
// and e-mail address, which are counted like the account and give no points.
type BeneficiaryReuseConfig struct {
	Enabled            bool
	WindowDays         int64
	DistinctApplicants int64
	Points             int64
	AllowlistAccounts  []Account
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
	maxCountries = 250
)

// DefaultConfig is what a tenant starts with.
func DefaultConfig() Config {
	return Config{
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
}
