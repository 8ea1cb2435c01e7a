package demo

import (
	"slices"

	"verdict/internal/rule"
	"verdict/internal/signal"
)

// town is a pincode with its coordinates.
type town struct {
	pincode  string
	lat, lng float64
}

// towns lists pincodes all over India with their approximate coordinates.
var towns = []town{
	{"400001", 18.9388, 72.8354}, {"400053", 19.1364, 72.8296}, {"110001", 28.6328, 77.2197},
	{"560001", 12.9762, 77.6033}, {"560068", 12.9081, 77.6376}, {"600001", 13.0878, 80.2785},
	{"700001", 22.5697, 88.3467}, {"500001", 17.3871, 78.4805}, {"380001", 23.0258, 72.5873},
	{"411001", 18.5284, 73.8739}, {"302001", 26.9196, 75.7878}, {"226001", 26.8467, 80.9462},
	{"682001", 9.9667, 76.2422}, {"781001", 26.1862, 91.7539}, {"800001", 25.6093, 85.1376},
	{"751001", 20.2700, 85.8400}, {"160017", 30.7410, 76.7790}, {"452001", 22.7180, 75.8550},
	{"440001", 21.1500, 79.0900}, {"641001", 10.9925, 76.9614}, {"530001", 17.7000, 83.3000},
	{"834001", 23.3700, 85.3250}, {"248001", 30.3165, 78.0322}, {"180001", 32.7300, 74.8700},
	{"395003", 21.1950, 72.8300}, {"695001", 8.4950, 76.9500}, {"462001", 23.2600, 77.4100},
	{"492001", 21.2400, 81.6300},
}

// spiking is the pincode from which many applications come in a short time.
const spiking = "560068"

// pincodeRisk is the lender's own assessment of a pincode or of a prefix.
type pincodeRisk struct {
	pincode string
	risk    signal.Risk
	score   int64
	reason  string
}

// pincodeRisks returns the assessments for every environment. spikes is the
// reason for the assessment of the spiking pincode.
func pincodeRisks(spikes string) []signal.PincodeRisk {
	var list []signal.PincodeRisk
	for _, r := range append(slices.Clone(usualRisks), pincodeRisk{spiking, signal.RiskHigh, 81, spikes}) {
		list = append(list, signal.PincodeRisk{
			Pincode: r.pincode,
			Risk:    r.risk,
			Score:   rule.Int(r.score),
			Reason:  r.reason,
		})
	}
	return list
}

var usualRisks = []pincodeRisk{
	{"110", "LOW", 18, "twelve months, 3,400 loans"},
	{"121", "HIGH", 74, "first-payment defaults"},
	{"201", "MEDIUM", 52, "roll rate"},
	{"226", "MEDIUM", 47, "roll rate"},
	{"302", "LOW", 21, "roll rate"},
	{"380", "LOW", 15, "roll rate"},
	{"395003", "MEDIUM", 44, "diamond trade, seasonal"},
	{"400", "LOW", 22, "roll rate"},
	{"411", "LOW", 19, "roll rate"},
	{"440", "MEDIUM", 49, "roll rate"},
	{"452", "LOW", 30, "roll rate"},
	{"462001", "MEDIUM", 41, "roll rate"},
	{"492", "HIGH", 69, "no field agency"},
	{"500", "LOW", 24, "roll rate"},
	{"560", "LOW", 17, "roll rate"},
	{"600", "LOW", 20, "roll rate"},
	{"641", "LOW", 23, "roll rate"},
	{"682", "LOW", 16, "roll rate"},
	{"700", "MEDIUM", 38, "roll rate"},
	{"751", "MEDIUM", 46, "cyclone relief until March"},
	{"781", "HIGH", 70, "no field agency"},
	{"800", "HIGH", 77, "roll rate"},
	{"834001", "BLOCKED", 96, "ring of 2025"},
	{"834", "HIGH", 72, "roll rate"},
	{"180", "MEDIUM", 40, "no field agency"},
}
