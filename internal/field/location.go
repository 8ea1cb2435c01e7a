package field

import "verdict/internal/rule"

// locationSection returns the facts derived from the location block.
func locationSection() section {
	return section{
		group: "location", title: "Location", supply: rule.FromEvaluate,
		intro: "These fields are computed from the `location` block, the tenant's thresholds and the tenant's " +
			"pincode risks, and are absent if the block is not sent.",
		fields: []entry{
			boolean("location_gps_pincode_match", "The phone's position is in the declared pincode.").reason(
				"LOC_MISMATCH"),
			text("location_ip_country", "Two-letter code of the country the IP address belongs to.").reason(
				"LOC_MISMATCH"),
			boolean("location_ip_allowed", "The IP address belongs to a country the tenant allows.").reason(
				"LOC_MISMATCH"),
			choice("location_pincode_risk", "Risk class of the declared pincode.",
				"LOW", "MEDIUM", "HIGH", "BLOCKED").reason("LOC_PINCODE"),
			number("location_pincode_risk_score", "points", "Risk score of the declared pincode; higher is riskier.").
				within(0, 100).reason("LOC_PINCODE"),
			boolean("location_permission_denied", "The applicant refused to share the phone's position.").reason(
				"LOC_MISMATCH"),
		},
	}
}

func rawLocationSection() section {
	return section{
		group: "location.*", title: "Raw: location", supply: rule.FromEvaluate,
		intro: "These fields are the members of the `location` block, as they were sent.",
		fields: []entry{
			number("location.lat", "degrees", "Latitude of the phone.").within(-90, 90).reason("LOC_MISMATCH"),
			number("location.lng", "degrees", "Longitude of the phone.").within(-180, 180).reason("LOC_MISMATCH"),
			text("location.ip", "IP address the application came from.").reason("LOC_MISMATCH"),
			text("location.declared_pincode", "Pincode that the applicant declared.").reason("LOC_PINCODE"),
			boolean("location.permission_denied", "The caller reports that the position was not shared.").reason(
				"LOC_MISMATCH"),
		},
	}
}
