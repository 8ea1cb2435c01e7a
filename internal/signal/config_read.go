package signal

import (
	"slices"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// ReadConfig reads a whole configuration. A missing or null member gets its
// default. An unknown member is refused, because a misspelt threshold must not
// silently keep its default. All faults are returned together as a *fault.Error
// that repeats no value.
//
// The entries of the allow lists contain their values until Sealed replaces the
// values by keys.
func ReadConfig(v wire.Value) (Config, error) {
	var faults fault.List
	c := DefaultConfig()
	f := configForm(v, &faults)
	f.Known("version", "updated_at", "updated_by")
	f.config(&c)
	f.Done()
	if err := faults.Err(); err != nil {
		return Config{}, err
	}
	return c, nil
}

// Check adds the faults that ReadConfig would find in the JSON document of this
// configuration.
func (c Config) Check(faults *fault.List) {
	f := configReader{faults: faults, checks: true}
	f.config(&c)
}

// configReader reads one object of a configuration; missing members keep their
// defaults. If checks is true, it reads no object and only checks the given settings,
// so that ReadConfig and Config.Check enforce the same bounds.
type configReader struct {
	wire.Form
	faults *fault.List
	checks bool
	at     string // pointer of the checked section
}

func configForm(v wire.Value, faults *fault.List) configReader {
	return configReader{Form: wire.NewForm(v, faults), faults: faults}
}

// Fail adds a fault at a member.
func (f *configReader) Fail(name, code, format string, args ...any) {
	if f.checks {
		f.faults.Add(f.at+"/"+name, code, format, args...)
		return
	}
	f.Form.Fail(name, code, format, args...)
}

func (f *configReader) config(c *Config) {
	f.section("fraud", func(f *configReader) { f.fraud(&c.Fraud) })
	f.section("device", func(f *configReader) { f.device(&c.Device) })
	f.section("location", func(f *configReader) { f.location(&c.Location) })
}

// section reads a member that is an object, if it is present.
func (f *configReader) section(name string, read func(*configReader)) {
	if f.checks {
		read(&configReader{faults: f.faults, checks: true, at: f.at + "/" + name})
		return
	}
	v := f.Get(name)
	if !v.Given() {
		return
	}
	inner := configForm(v, f.faults)
	if v.Kind() == wire.Object {
		read(&inner)
		inner.Done()
	}
}

// integer reads an integer within bounds into setting.
func (f *configReader) integer(name string, least, most int64, setting *int64) {
	f.decimal(name, 0, least, most, setting)
}

// decimal reads a number within bounds into setting, as a multiple of 10^-places.
// least and most are such multiples too.
func (f *configReader) decimal(name string, places int, least, most int64, setting *int64) {
	if f.checks {
		if *setting < least || *setting > most {
			f.Fail(name, fault.CodeOutOfRange, "must lie between %s and %s",
				wire.AppendDecimal(nil, least, places), wire.AppendDecimal(nil, most, places))
		}
		return
	}
	if n, ok := f.Decimal(name, places, least, most); ok {
		*setting = n
	}
}

// choice reads a name into setting, as its index in names.
func (f *configReader) choice(name string, setting *int, names []string) {
	if f.checks {
		if *setting < 0 || *setting >= len(names) {
			f.Fail(name, fault.CodeOutOfRange, "must be one of %s", strings.Join(names, ", "))
		}
		return
	}
	*setting = f.Choice(name, *setting, names...)
}

func (f *configReader) enabled(setting *bool) {
	if !f.checks {
		*setting = f.Bool("enabled", *setting)
	}
}

func (f *configReader) points(setting *int64) { f.integer("points", 0, maxPoints, setting) }

func (f *configReader) windowHours(setting *int64) {
	f.integer("window_hours", 1, maxWindowHours, setting)
}

func (f *configReader) fraud(c *FraudConfig) {
	f.section("pincode_spike", func(f *configReader) { f.pincodeSpike(&c.PincodeSpike) })
	f.section("ip_cluster", func(f *configReader) {
		f.enabled(&c.IPCluster.Enabled)
		f.windowHours(&c.IPCluster.WindowHours)
		f.integer("distinct_applicants", 1, maxCounted, &c.IPCluster.DistinctApplicants)
		f.points(&c.IPCluster.Points)
	})
	f.section("beneficiary_reuse", func(f *configReader) {
		f.enabled(&c.BeneficiaryReuse.Enabled)
		f.integer("window_days", 1, maxDays, &c.BeneficiaryReuse.WindowDays)
		f.integer("distinct_applicants", 1, maxCounted, &c.BeneficiaryReuse.DistinctApplicants)
		f.points(&c.BeneficiaryReuse.Points)
		f.allowlist("allowlist_accounts", KindBeneficiaryAccount, &c.BeneficiaryReuse.AllowlistAccounts)
	})
	f.section("agent_anomaly", func(f *configReader) {
		f.enabled(&c.AgentAnomaly.Enabled)
		f.windowHours(&c.AgentAnomaly.WindowHours)
		f.integer("max_applications", 0, maxCounted-1, &c.AgentAnomaly.MaxApplications)
		f.integer("max_distinct_pincodes", 0, maxCounted-1, &c.AgentAnomaly.MaxDistinctPincodes)
		f.points(&c.AgentAnomaly.Points)
	})
	for _, r := range []struct {
		name, kind string
	}{{"device_reuse", KindDevice}, {"mobile_reuse", KindMobile}, {"email_reuse", KindEmail}} {
		setting := c.reuse(r.kind)
		if f.checks && setting.Inherited {
			continue
		}
		if !f.checks {
			*setting = c.inheritedReuse()
		}
		f.section(r.name, func(f *configReader) { f.reuse(setting, r.kind) })
	}
	f.section("ring", func(f *configReader) {
		f.enabled(&c.Ring.Enabled)
		f.integer("ring_min_people", minRing, maxRing, &c.Ring.MinPeople)
		f.points(&c.Ring.Points)
	})
	f.section("level_cutoffs", func(f *configReader) { f.cutoffs(&c.LevelCutoffs) })
	severity := int(c.AlertMinSeverity)
	f.choice("alert_min_severity", &severity, severityNames)
	c.AlertMinSeverity = Severity(severity)
	f.integer("mute_days", 0, maxDays, &c.MuteDays)
}

func (f *configReader) reuse(c *ReuseConfig, kind string) {
	c.Inherited = false
	f.enabled(&c.Enabled)
	f.integer("window_days", 1, maxDays, &c.WindowDays)
	f.integer("distinct_applicants", 1, maxCounted, &c.DistinctApplicants)
	f.points(&c.Points)
	f.allowlist("allowlist", kind, &c.Allowlist)
}

func (f *configReader) pincodeSpike(c *PincodeSpikeConfig) {
	f.enabled(&c.Enabled)
	f.windowHours(&c.WindowHours)
	f.integer("min_count", 1, maxThreshold, &c.MinCount)
	f.decimal("ratio_to_baseline", 2, minRatio, maxRatio, &c.RatioHundredths)
	known := f.faults.Len()
	f.integer("baseline_days", 1, maxDays, &c.BaselineDays)
	f.integer("min_baseline_days", 0, maxDays, &c.MinBaselineDays)
	f.points(&c.Points)
	if f.faults.Len() == known && c.MinBaselineDays > c.BaselineDays {
		f.Fail("min_baseline_days", fault.CodeOutOfRange,
			`must not be above "baseline_days": the baseline would never be complete`)
	}
}

func (f *configReader) cutoffs(c *LevelCutoffs) {
	known := f.faults.Len()
	f.integer("medium", 0, maxPoints, &c.Medium)
	f.integer("high", 0, maxPoints, &c.High)
	f.integer("very_high", 0, maxPoints, &c.VeryHigh)
	if f.faults.Len() > known {
		return
	}
	if c.High <= c.Medium {
		f.Fail("high", fault.CodeOutOfRange, `must be above "medium"`)
	}
	if c.VeryHigh <= c.High {
		f.Fail("very_high", fault.CodeOutOfRange, `must be above "high"`)
	}
}

func (f *configReader) device(c *DeviceConfig) {
	f.integer("sim_new_days", 0, maxAgeDays, &c.SIMNewDays)
	f.integer("loan_apps_max", 0, maxThreshold, &c.LoanAppsMax)
	f.integer("app_install_min_age_days", 0, maxAgeDays, &c.AppInstallMinAgeDays)
}

func (f *configReader) location(c *LocationConfig) {
	if metres := int64(c.GPSMatchRadiusMetres); !f.checks || metres != 0 {
		f.decimal("gps_match_radius_km", 3, 1, maxRadius, &metres)
		c.GPSMatchRadiusMetres = int32(metres)
	}
	f.countries("allowed_ip_countries", &c.AllowedIPCountries)
	risk := slices.Index(riskNames, string(c.DefaultPincodeRisk))
	if f.choice("default_pincode_risk", &risk, riskNames); risk >= 0 {
		c.DefaultPincodeRisk = Risk(riskNames[risk])
	}
}

// countries reads a list of countries into setting, if it is present.
func (f *configReader) countries(name string, setting *[]string) {
	if f.checks {
		f.checkCountries(name, *setting)
		return
	}
	if !f.Get(name).Given() {
		return
	}
	var list []string
	for _, v := range f.Array(name, maxCountries).Elements() {
		if v.Kind() != wire.String {
			f.faults.Add(v.Pointer(), fault.CodeWrongType, "must be a string, but is %s", v.Kind())
		} else if f.country(v.Pointer(), v.Text(), list) {
			list = append(list, v.Text())
		}
	}
	*setting = list
}

func (f *configReader) checkCountries(name string, list []string) {
	if len(list) > maxCountries {
		f.Fail(name, fault.CodeTooMany, "has more than %d entries", maxCountries)
		return
	}
	for i, code := range list {
		f.country(f.at+"/"+name+"/"+strconv.Itoa(i), code, list[:i])
	}
}

// country adds a fault if the code of a country is invalid, or if before, the list of earlier codes, contains it.
// It returns true if it adds no fault.
func (f *configReader) country(pointer, code string, before []string) bool {
	switch {
	case !isCountry(code):
		f.faults.Add(pointer, fault.CodeOutOfRange, "must be a country's code of two capital letters, such as IN")
	case slices.Contains(before, code):
		f.faults.Add(pointer, fault.CodeDuplicate, "is in the list already")
	default:
		return true
	}
	return false
}

func isCountry(code string) bool {
	return len(code) == 2 && 'A' <= code[0] && code[0] <= 'Z' && 'A' <= code[1] && code[1] <= 'Z'
}
