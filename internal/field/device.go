package field

import "verdict/internal/rule"

// deviceSection returns the facts derived from the device block.
func deviceSection() section {
	return section{
		group: "device", title: "Device", supply: rule.FromEvaluate,
		intro: "These fields are computed from the `device` block and the tenant's thresholds, and are absent if the " +
			"block is not sent.",
		fields: []entry{
			boolean("device_is_emulator", "The application came from an emulated phone.").reason("FR_EMULATOR"),
			boolean("device_is_rooted", "The phone's protections have been removed.").reason("DEV_ROOTED"),
			boolean("device_sim_new", "The SIM card is younger than the tenant's threshold.").reason("FR_RING"),
			boolean("device_loan_apps_excess", "More loan apps are installed than the tenant's threshold allows.").
				reason("FR_RING"),
		},
	}
}

func rawDeviceSection() section {
	return section{
		group: "device.*", title: "Raw: device", supply: rule.FromEvaluate,
		intro: "These fields are the members of the `device` block, as they were sent.",
		fields: []entry{
			text("device.model", "Model of the phone."),
			text("device.os_version", "Version of the phone's operating system."),
			boolean("device.is_rooted", "The caller reports the phone as rooted.").reason("DEV_ROOTED"),
			boolean("device.is_emulator", "The caller reports the phone as an emulator.").reason("FR_EMULATOR"),
			number("device.sim_age_days", "days", "Age of the SIM card in the phone.").atLeast(0).reason("FR_RING"),
			count("device.loan_apps_installed_count", "Number of loan apps installed on the phone.").reason("FR_RING"),
			number("device.app_install_age_days", "days", "Days since the lender's app was installed.").
				atLeast(0).reason("FR_RING"),
			text("device.device_id", "Identifier of the phone.").reason("FR_RING"),
		},
	}
}
