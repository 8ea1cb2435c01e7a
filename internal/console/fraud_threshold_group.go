package console

import "verdict/internal/signal"

// thresholdGroup is a card of the page with its settings.
type thresholdGroup struct {
	title, text string
	settings    []threshold
}

// thresholdGroups returns the settings of a configuration in the order of the page. Their values
// point into the configuration.
func thresholdGroups(c *signal.Config) []thresholdGroup {
	f := &c.Fraud
	return []thresholdGroup{
		pincodeSpikeGroup(f),
		addressClusterGroup(f),
		accountReuseGroup(f),
		agentAnomalyGroup(f),
		{
			title: "Shared device",
			text:  "Different applicants who use the same phone or tablet.",
			settings: reuseThresholds("device_reuse", signal.KindDevice, &f.DeviceReuse, f,
				"Devices that may be shared"),
		},
		{
			title: "Shared mobile number",
			text:  "Different applicants who give the same mobile number.",
			settings: reuseThresholds("mobile_reuse", signal.KindMobile, &f.MobileReuse, f,
				"Mobile numbers that may be shared"),
		},
		{
			title: "Shared e-mail address",
			text:  "Different applicants who give the same e-mail address.",
			settings: reuseThresholds("email_reuse", signal.KindEmail, &f.EmailReuse, f,
				"E-mail addresses that may be shared"),
		},
		ringGroup(f),
		levelGroup(f),
		deviceGroup(c),
		locationGroup(c),
	}
}

// pincodeSpikeGroup returns the settings of spikes in pincodes.
func pincodeSpikeGroup(f *signal.FraudConfig) thresholdGroup {
	return thresholdGroup{
		title: "Spike in a pincode",
		text:  "More applicants from a pincode than its history suggests.",
		settings: []threshold{
			{path: "fraud.pincode_spike.enabled", label: "Enabled", value: &f.PincodeSpike.Enabled},
			{
				path:  "fraud.pincode_spike.window_hours",
				label: "Window in hours",
				value: &f.PincodeSpike.WindowHours,
				brief: "within %s hours",
			},
			{
				path:  "fraud.pincode_spike.min_count",
				brief: "from %s applicants",
				label: "Minimum number of applicants",
				value: &f.PincodeSpike.MinCount,
			},
			{
				path:   "fraud.pincode_spike.ratio_to_baseline",
				brief:  "%s times the baseline",
				label:  "Multiple of the baseline",
				value:  &f.PincodeSpike.RatioHundredths,
				places: 2,
			},
			{
				path:  "fraud.pincode_spike.baseline_days",
				label: "Days of the baseline",
				value: &f.PincodeSpike.BaselineDays,
			},
			{
				path:  "fraud.pincode_spike.min_baseline_days",
				label: "Minimum days of history",
				value: &f.PincodeSpike.MinBaselineDays,
			},
			{path: "fraud.pincode_spike.points", label: "Points", value: &f.PincodeSpike.Points, brief: "%s points"},
		},
	}
}

// addressClusterGroup returns the settings of clusters behind internet addresses.
func addressClusterGroup(f *signal.FraudConfig) thresholdGroup {
	return thresholdGroup{
		title: "Cluster behind one address",
		text:  "Different applicants from the same internet address.",
		settings: []threshold{
			{path: "fraud.ip_cluster.enabled", label: "Enabled", value: &f.IPCluster.Enabled},
			{
				path:  "fraud.ip_cluster.window_hours",
				label: "Window in hours",
				value: &f.IPCluster.WindowHours,
				brief: "within %s hours",
			},
			{
				path:  "fraud.ip_cluster.distinct_applicants",
				brief: "from %s applicants",
				label: "Minimum number of applicants",
				value: &f.IPCluster.DistinctApplicants,
			},
			{path: "fraud.ip_cluster.points", label: "Points", value: &f.IPCluster.Points, brief: "%s points"},
		},
	}
}

// accountReuseGroup returns the settings of shared bank accounts.
func accountReuseGroup(f *signal.FraudConfig) thresholdGroup {
	return thresholdGroup{
		title: "Shared bank account",
		text:  "Different applicants who name the same account.",
		settings: []threshold{
			{path: "fraud.beneficiary_reuse.enabled", label: "Enabled", value: &f.BeneficiaryReuse.Enabled},
			{
				path:  "fraud.beneficiary_reuse.window_days",
				brief: "within %s days",
				label: "Window in days",
				value: &f.BeneficiaryReuse.WindowDays,
			},
			{
				path:  "fraud.beneficiary_reuse.distinct_applicants",
				brief: "from %s applicants",
				label: "Minimum number of applicants",
				value: &f.BeneficiaryReuse.DistinctApplicants,
			},
			{
				path:  "fraud.beneficiary_reuse.points",
				label: "Points",
				value: &f.BeneficiaryReuse.Points,
				brief: "%s points",
			},
			{
				path:   "fraud.beneficiary_reuse.allowlist_accounts",
				value:  &f.BeneficiaryReuse.AllowlistAccounts,
				entity: signal.KindBeneficiaryAccount,
				label:  "Accounts that may be shared",
				hint: "Separated by commas. Numbers are stored as keyed hashes and then shown only by their " +
					"last characters. To keep a masked number, leave it unchanged.",
			},
		},
	}
}

// agentAnomalyGroup returns the settings of agents.
func agentAnomalyGroup(f *signal.FraudConfig) thresholdGroup {
	return thresholdGroup{
		title: "Agent with too many applicants or pincodes",
		text:  "One agent with too many applicants, or with applicants from too many pincodes.",
		settings: []threshold{
			{path: "fraud.agent_anomaly.enabled", label: "Enabled", value: &f.AgentAnomaly.Enabled},
			{
				path:  "fraud.agent_anomaly.window_hours",
				brief: "within %s hours",
				label: "Window in hours",
				value: &f.AgentAnomaly.WindowHours,
			},
			{
				path:  "fraud.agent_anomaly.max_applications",
				brief: "more than %s applicants",
				label: "Maximum number of applicants",
				value: &f.AgentAnomaly.MaxApplications,
			},
			{
				path:  "fraud.agent_anomaly.max_distinct_pincodes",
				brief: "more than %s pincodes",
				label: "Maximum number of pincodes",
				value: &f.AgentAnomaly.MaxDistinctPincodes,
			},
			{path: "fraud.agent_anomaly.points", label: "Points", value: &f.AgentAnomaly.Points, brief: "%s points"},
		},
	}
}

// ringGroup returns the settings of connected groups of people.
func ringGroup(f *signal.FraudConfig) thresholdGroup {
	return thresholdGroup{
		title: "Connected group of people",
		text: "People linked by shared details, directly or through other people. An internet address alone links " +
			"nobody.",
		settings: []threshold{
			{path: "fraud.ring.enabled", label: "Enabled", value: &f.Ring.Enabled},
			{
				path:  "fraud.ring.ring_min_people",
				label: "Minimum number of people",
				value: &f.Ring.MinPeople,
				brief: "from %s people",
			},
			{path: "fraud.ring.points", label: "Points", value: &f.Ring.Points, brief: "%s points"},
		},
	}
}

// levelGroup returns the settings of levels and alerts.
func levelGroup(f *signal.FraudConfig) thresholdGroup {
	return thresholdGroup{
		title: "Levels and alerts",
		text:  "The points at which the fraud level rises, and the severity from which an alert is raised.",
		settings: []threshold{
			{
				path:  "fraud.level_cutoffs.medium",
				label: "Medium level from",
				value: &f.LevelCutoffs.Medium,
				brief: "medium from %s points",
			},
			{
				path:  "fraud.level_cutoffs.high",
				label: "High level from",
				value: &f.LevelCutoffs.High,
				brief: "high from %s",
			},
			{
				path:  "fraud.level_cutoffs.very_high",
				label: "Very high level from",
				value: &f.LevelCutoffs.VeryHigh,
				brief: "very high from %s",
			},
			{
				path:  "fraud.alert_min_severity",
				brief: "alerts from severity %s",
				value: &f.AlertMinSeverity,
				label: "Minimum severity of an alert",
			},
			{path: "fraud.mute_days", label: "Days without alerts after a false positive", value: &f.MuteDays},
		},
	}
}

// deviceGroup returns the settings of devices.
func deviceGroup(c *signal.Config) thresholdGroup {
	return thresholdGroup{
		title: "Device",
		text:  "Facts about the applicant's device.",
		settings: []threshold{
			{
				path:  "device.sim_new_days",
				label: "Days for which a SIM counts as new",
				value: &c.Device.SIMNewDays,
				brief: "a SIM is new for %s days",
			},
			{
				path:  "device.loan_apps_max",
				label: "Maximum loan apps",
				value: &c.Device.LoanAppsMax,
				brief: "at most %s loan apps",
			},
			{
				path:  "device.app_install_min_age_days",
				value: &c.Device.AppInstallMinAgeDays,
				label: "Minimum age of the app in days",
				hint: "Stored for your information. No fact is derived from it; " +
					"a rule may compare device.app_install_age_days itself.",
			},
		},
	}
}

// locationGroup returns the settings of locations.
func locationGroup(c *signal.Config) thresholdGroup {
	return thresholdGroup{
		title: "Location",
		text:  "Where an application comes from.",
		settings: []threshold{
			{
				path:   "location.gps_match_radius_km",
				value:  &c.Location.GPSMatchRadiusMetres,
				places: 3,
				label:  "Radius around a pincode in km",
				hint:   "If empty, each pincode has its own radius.",
			},
			{
				path:  "location.allowed_ip_countries",
				brief: "countries: %s",
				value: &c.Location.AllowedIPCountries,
				label: "Countries from which applications are allowed",
				hint:  "Two letters each, separated by commas. If empty, the country is not checked.",
			},
			{
				path:  "location.default_pincode_risk",
				brief: "pincodes without an entry: %s",
				value: &c.Location.DefaultPincodeRisk,
				label: "Risk of a pincode without an entry",
			},
		},
	}
}

// reuseThresholds returns the settings of an entity that is counted like bank accounts. An empty
// switch, window or number of applicants gets the setting of bank accounts. allowed is the label
// of the allow list.
func reuseThresholds(
	member, entity string, r *signal.ReuseConfig, f *signal.FraudConfig, allowed string,
) []threshold {
	at, account := "fraud."+member+".", &f.BeneficiaryReuse
	return []threshold{
		{path: at + "enabled", label: "Enabled", value: &r.Enabled, otherwise: &account.Enabled},
		{
			path:      at + "window_days",
			label:     "Window in days",
			value:     &r.WindowDays,
			otherwise: &account.WindowDays,
			brief:     "within %s days",
		},
		{
			path:      at + "distinct_applicants",
			label:     "Minimum number of applicants",
			value:     &r.DistinctApplicants,
			otherwise: &account.DistinctApplicants,
			brief:     "from %s applicants",
		},
		{path: at + "points", label: "Points", value: &r.Points, brief: "%s points"},
		{
			path:   at + "allowlist",
			label:  allowed,
			value:  &r.Allowlist,
			entity: entity,
			hint:   "Separated by commas; stored and shown like accounts.",
		},
	}
}
