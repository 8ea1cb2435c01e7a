package signal

import "verdict/internal/rule"

// Device derives facts from the raw facts of the device block, and calls add for
// each known fact. A member that was not sent adds no fact.
func Device(sent *rule.Facts, cfg DeviceConfig, add func(name string, v rule.Value)) {
	copyBool(sent, "device.is_emulator", "device_is_emulator", add)
	copyBool(sent, "device.is_rooted", "device_is_rooted", add)
	if age := sent.Get("device.sim_age_days"); age.Type() == rule.NumberType {
		add("device_sim_new", rule.Bool(age.Number() < rule.Int(cfg.SIMNewDays)))
	}
	if apps := sent.Get("device.loan_apps_installed_count"); apps.Type() == rule.NumberType {
		add("device_loan_apps_excess", rule.Bool(apps.Number() > rule.Int(cfg.LoanAppsMax)))
	}
}

func copyBool(sent *rule.Facts, from, to string, add func(string, rule.Value)) {
	if v := sent.Get(from); v.Type() == rule.BoolType {
		add(to, v)
	}
}
