package application

import (
	"slices"
	"testing"
)

// TestNativeLayoutIsTold checks that there is a warning about data in a bureau's
// own layout that was not read.
func TestNativeLayoutIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ bureau, report, want string }{
		"two scores": {
			"experian", `{"scoreData":{"score":742},"INProfileResponse":{"SCORE":{"BureauScore":"610"}}}`,
			"/report/experian/INProfileResponse/SCORE/BureauScore sent_twice",
		},
		"one score twice": {"experian",
			`{"scoreData":{"score":742},"INProfileResponse":{"SCORE":{"BureauScore":"742"}}}`, ""},
		"one score with a point": {"experian",
			`{"scoreData":{"score":742.0},"INProfileResponse":{"SCORE":{"BureauScore":"742"}}}`, ""},
		"misspelt accounts": {
			"experian",
			`{"INProfileResponse":{"SCORE":{"BureauScore":"742"},"CAIS_Acount":{"CAIS_Account_DETAILS":[{}]}}}`,
			"/report/experian/INProfileResponse/CAIS_Acount unknown_field",
		},
		"misspelt enquiries": {
			"crif", `{"INDV-REPORT":{"SCORES":[{"SCORE-VALUE":"742"}],"RESPONSES":[],
				"ENQUIRY-HISTORY":[{"INQUIRY-DATE":"01-10-2026"}]}}`,
			"/report/crif/INDV-REPORT/ENQUIRY-HISTORY unknown_field",
		},
		"summaries": {
			"equifax",
			`{"CIRReportData":{"ScoreDetails":[{"Type":"ERS","Value":"742"}],
				"RetailAccountsSummary":{"NoOfAccounts":"0"},
				"EnquirySummary":{"Past30Days":"0"},"OtherKeyIndicators":{"a":1},"RecentActivities":{"a":1}}}`, "",
		},
		"no accounts": {
			"cibil",
			`{"consumerCreditData":[{"scores":[{"score":"00742"}],"names":[{"name":"A"}],"addresses":[{"a":1}],
				"ids":[{"a":1}],
				"telephones":[{"a":1}],"emails":[{"a":1}],"employment":[{"a":1}]}]}`, "",
		},
	} {
		app := accept(t, `{"bureau":"`+c.bureau+`","report":{"`+c.bureau+`":`+c.report+`}}`, Options{Today: today})
		got := lines(app.Warnings)
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// TestSuitFactIsNeverMissed checks that bureau_suit_or_wilful is true if a suit or a wilful default is reported, in
// whatever words.
func TestSuitFactIsNeverMissed(t *testing.T) {
	t.Parallel()
	for told, want := range map[string]string{
		`"suitFiled":"Y"`: "true", `"suitFiled":"foo"`: "true", `"wilfulDefault":"W"`: "true",
		`"wilfulDefault":"foo"`: "true", `"suitFiled":"N"`: "false", `"suitFiled":false`: "false",
	} {
		app := accept(t, evaluation(`,"accounts":[{"accountType":"personal_loan",`+told+`}]`, ""),
			Options{Today: today})
		facts := canonicalFacts(app)
		if facts["bureau_suit_or_wilful"] != want || facts["bureau_own_suit_or_wilful"] != want {
			t.Errorf("%s: %v, want %s", told, facts, want)
		}
	}
}
