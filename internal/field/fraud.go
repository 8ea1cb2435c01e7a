package field

import "verdict/internal/rule"

// fraudSection returns the facts derived from the fraud block and the tenant's
// own counters and block list. The mobile number and the e-mail address each
// have the same two fields as the device and the beneficiary account, because
// they are counted in the same way.
func fraudSection() section {
	return section{
		group: "fraud", title: "Fraud", supply: rule.FromEvaluate, late: true,
		intro: "These fields are computed from the `fraud` block and from the tenant's other applications, and are " +
			"absent if the block is not sent. Without an `applicant_ref` nothing is counted, and only " +
			"`fraud_blocklisted` has a value. Counts include this applicant. People who applied together count as " +
			"one for an account, a device, a mobile number or an e-mail address that only they share.",
		fields: []entry{
			number("fraud_score", "points",
				"Sum of the points of the fraud signals that were triggered, at most 100; higher is riskier.").
				within(0, 100).reason("FR_RING"),
			boolean("fraud_pincode_spike",
				"The number of applicants from the pincode is far above its usual level; absent if its history is "+
					"too short.").
				reason("FR_RING"),
			boolean("fraud_ip_cluster",
				"The number of different applicants who share the IP address reaches the tenant's threshold.").
				reason("FR_RING"),
			boolean("fraud_beneficiary_reuse",
				"The number of different applicants who named the beneficiary account reaches the tenant's threshold.").
				reason("FR_MULE"),
			count("fraud_beneficiary_applicants", "Number of different applicants who named the beneficiary account.").
				reason("FR_MULE"),
			boolean("fraud_agent_anomaly",
				"The agent brought too many applicants, or applicants from too many pincodes.").reason(
				"FR_RING"),
			count("fraud_agent_pincodes", "Number of different pincodes of the agent's applicants.").reason(
				"FR_RING"),
			boolean("fraud_device_reuse",
				"The number of different applicants who used the phone reaches the tenant's threshold.").
				reason("FR_RING"),
			count("fraud_device_applicants", "Number of different applicants who used the phone.").reason("FR_RING"),
			boolean("fraud_mobile_reuse",
				"The number of different applicants who gave the mobile number reaches the tenant's threshold.").
				reason("FR_RING"),
			count("fraud_mobile_applicants", "Number of different applicants who gave the mobile number.").reason(
				"FR_RING"),
			boolean("fraud_email_reuse",
				"The number of different applicants who gave the e-mail address reaches the tenant's threshold.").
				reason("FR_RING"),
			count("fraud_email_applicants", "Number of different applicants who gave the e-mail address.").reason(
				"FR_RING"),
			boolean("fraud_blocklisted",
				"A value in the application is on the tenant's block list; it may belong to any person of the "+
					"application.").
				reason("FR_RING"),
			count("fraud_ring_size", "Number of people in the connected group, who share accounts, devices, mobile "+
				"numbers or e-mail addresses.").
				reason("FR_RING"),
			count("fraud_ring_links",
				"Number of accounts, devices, mobile numbers and e-mail addresses that the connected group shares.").
				reason("FR_RING"),
			boolean("fraud_ring_truncated",
				"The connected group is incomplete because of its maximum size, 200 people.").reason("FR_RING"),
		},
	}
}

func rawFraudSection() section {
	return section{
		group: "fraud.*", title: "Raw: fraud", supply: rule.FromEvaluate,
		intro: "These fields are the members of the `fraud` block, as they were sent.",
		fields: []entry{
			text("fraud.applicant_ref", "The caller's reference for the person, the same across applications.").
				reason("FR_RING"),
			text("fraud.pincode", "Pincode of the applicant.").reason("LOC_PINCODE"),
			text("fraud.ip", "IP address the application came from.").reason("FR_RING"),
			text("fraud.beneficiary_account", "Account to which the loan is to be paid.").reason("FR_MULE"),
			text("fraud.agent_id", "Agent who brought the application.").reason("FR_RING"),
			text("fraud.mobile", "Mobile number of the applicant.").reason("FR_RING"),
			text("fraud.email", "E-mail address of the applicant.").reason("FR_RING"),
		},
	}
}
