package signal

import "verdict/internal/wire"

// WriteStored writes the configuration for storage. It omits inherited members,
// so that they inherit later changes of beneficiary_reuse too.
func (c Config) WriteStored(w *wire.Writer) { c.writeAs(w, true) }

// Write writes the configuration as an object. The caller adds the version and
// the author of the last change with wire.Writer's Members.
//
// Entries of allow lists are masked, so that a configuration can be read and
// sent back without exposing account numbers.
func (c Config) Write(w *wire.Writer) { c.writeAs(w, false) }

func (c Config) writeAs(w *wire.Writer, stored bool) {
	w.Object()
	c.Fraud.write(w.Key("fraud"), stored)
	w.Key("device").Object().
		Key("sim_new_days").Int(c.Device.SIMNewDays).
		Key("loan_apps_max").Int(c.Device.LoanAppsMax).
		Key("app_install_min_age_days").Int(c.Device.AppInstallMinAgeDays).EndObject()
	c.Location.write(w.Key("location"))
	w.EndObject()
}

func (c *FraudConfig) write(w *wire.Writer, stored bool) {
	w.Object()
	w.Key("pincode_spike").Object().
		Key("enabled").Bool(c.PincodeSpike.Enabled).
		Key("window_hours").Int(c.PincodeSpike.WindowHours).
		Key("min_count").Int(c.PincodeSpike.MinCount).
		Key("ratio_to_baseline").Decimal(c.PincodeSpike.RatioHundredths, 2).
		Key("baseline_days").Int(c.PincodeSpike.BaselineDays).
		Key("min_baseline_days").Int(c.PincodeSpike.MinBaselineDays).
		Key("points").Int(c.PincodeSpike.Points).EndObject()
	w.Key("ip_cluster").Object().
		Key("enabled").Bool(c.IPCluster.Enabled).
		Key("window_hours").Int(c.IPCluster.WindowHours).
		Key("distinct_applicants").Int(c.IPCluster.DistinctApplicants).
		Key("points").Int(c.IPCluster.Points).EndObject()
	c.BeneficiaryReuse.write(w.Key("beneficiary_reuse"))
	w.Key("agent_anomaly").Object().
		Key("enabled").Bool(c.AgentAnomaly.Enabled).
		Key("window_hours").Int(c.AgentAnomaly.WindowHours).
		Key("max_applications").Int(c.AgentAnomaly.MaxApplications).
		Key("max_distinct_pincodes").Int(c.AgentAnomaly.MaxDistinctPincodes).
		Key("points").Int(c.AgentAnomaly.Points).EndObject()
	c.DeviceReuse.write(w, "device_reuse", stored)
	c.MobileReuse.write(w, "mobile_reuse", stored)
	c.EmailReuse.write(w, "email_reuse", stored)
	w.Key("ring").Object().
		Key("enabled").Bool(c.Ring.Enabled).
		Key("ring_min_people").Int(c.Ring.MinPeople).
		Key("points").Int(c.Ring.Points).EndObject()
	w.Key("level_cutoffs").Object().
		Key("medium").Int(c.LevelCutoffs.Medium).
		Key("high").Int(c.LevelCutoffs.High).
		Key("very_high").Int(c.LevelCutoffs.VeryHigh).EndObject()
	w.Key("alert_min_severity").Plain(c.AlertMinSeverity.String())
	w.Key("mute_days").Int(c.MuteDays)
	w.EndObject()
}

func (c *BeneficiaryReuseConfig) write(w *wire.Writer) {
	w.Object().
		Key("enabled").Bool(c.Enabled).
		Key("window_days").Int(c.WindowDays).
		Key("distinct_applicants").Int(c.DistinctApplicants).
		Key("points").Int(c.Points).
		Key("allowlist_accounts")
	writeMasked(w, c.AllowlistAccounts)
	w.EndObject()
}

func (c *ReuseConfig) write(w *wire.Writer, name string, stored bool) {
	if stored && c.Inherited {
		return
	}
	w.Key(name).Object().
		Key("enabled").Bool(c.Enabled).
		Key("window_days").Int(c.WindowDays).
		Key("distinct_applicants").Int(c.DistinctApplicants).
		Key("points").Int(c.Points).
		Key("allowlist")
	writeMasked(w, c.Allowlist)
	w.EndObject()
}

func writeMasked(w *wire.Writer, list []Account) {
	w.Array()
	for _, a := range list {
		w.String(a.Masked)
	}
	w.EndArray()
}

func (c *LocationConfig) write(w *wire.Writer) {
	w.Object().Key("gps_match_radius_km")
	if c.GPSMatchRadiusMetres == 0 {
		w.Null()
	} else {
		w.Decimal(int64(c.GPSMatchRadiusMetres), 3)
	}
	w.Key("allowed_ip_countries").Array()
	for _, code := range c.AllowedIPCountries {
		w.Plain(code)
	}
	w.EndArray().Key("default_pincode_risk").Plain(string(c.DefaultPincodeRisk)).EndObject()
}

// Merge applies a JSON merge patch (RFC 7386) to a document. Members of the patch
// replace those of the document, objects are merged, and arrays are replaced as a
// whole. A null removes a member, which resets a setting to its default.
func Merge(current, patch wire.Value) []byte {
	var w wire.Writer
	merge(&w, current, patch)
	return w.Buf
}

func merge(w *wire.Writer, current, patch wire.Value) {
	if patch.Kind() != wire.Object {
		w.Value(patch)
		return
	}
	// Index the patch in a map, because the client chooses its size and a linear
	// search for each member would take quadratic time.
	changes := make(map[string]wire.Value, patch.Len())
	for name, change := range patch.Members() {
		changes[name] = change
	}
	w.Object()
	for name, value := range current.Members() {
		switch change, changed := changes[name]; {
		case !changed:
			w.Name(name).Value(value)
		case change.Given():
			merge(w.Name(name), value, change)
		}
		delete(changes, name)
	}
	for name, change := range patch.Members() {
		if _, left := changes[name]; left && change.Given() {
			merge(w.Name(name), wire.Value{}, change)
		}
	}
	w.EndObject()
}
