package signal

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"verdict/internal/fault"
	"verdict/internal/wire"
)

// parse parses a valid JSON text.
func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) wire.Value {
	t.Helper()
	v, err := wire.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// written returns the JSON of a configuration or of a part of it.
func written(part interface{ Write(*wire.Writer) }) string {
	var w wire.Writer
	part.Write(&w)
	return string(w.Buf)
}

// refusals returns the pointer and code of each item of a rejection.
func refusals(err error) []string {
	var refusal *fault.Error
	if !errors.As(err, &refusal) {
		return nil
	}
	var list []string
	for _, item := range refusal.Items {
		list = append(list, item.Pointer+" "+item.Code)
	}
	return list
}

// testKey replaces the keyed hash of a tenant.
func testKey(kind, value string) string { return "hmac(" + kind + "," + value + ")" }

func TestDefaultConfigDocument(t *testing.T) {
	t.Parallel()
	const want = `{"fraud":{` +
		`"pincode_spike":{"enabled":true,"window_hours":24,"min_count":10,"ratio_to_baseline":3,"baseline_days":30,` +
		`"min_baseline_days":14,"points":20},` +
		`"ip_cluster":{"enabled":true,"window_hours":24,"distinct_applicants":5,"points":15},` +
		`"beneficiary_reuse":{"enabled":true,"window_days":90,"distinct_applicants":2,"points":50,` +
		`"allowlist_accounts":[]},` +
		`"agent_anomaly":{"enabled":true,"window_hours":24,"max_applications":20,"max_distinct_pincodes":8,` +
		`"points":15},` +
		`"device_reuse":{"enabled":true,"window_days":90,"distinct_applicants":2,"points":0,"allowlist":[]},` +
		`"mobile_reuse":{"enabled":true,"window_days":90,"distinct_applicants":2,"points":0,"allowlist":[]},` +
		`"email_reuse":{"enabled":true,"window_days":90,"distinct_applicants":2,"points":0,"allowlist":[]},` +
		`"ring":{"enabled":true,"ring_min_people":3,"points":0},` +
		`"level_cutoffs":{"medium":25,"high":50,"very_high":75},"alert_min_severity":"medium","mute_days":30},` +
		`"device":{"sim_new_days":30,"loan_apps_max":5,"app_install_min_age_days":0},` +
		`"location":{"gps_match_radius_km":null,"allowed_ip_countries":["IN"],"default_pincode_risk":"LOW"}}`
	if diff := cmp.Diff(want, written(DefaultConfig())); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{`{}`, want, `{"version":"any","updated_at":1,"updated_by":[],"fraud":null}`} {
		got, err := ReadConfig(parse(t, text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(DefaultConfig(), got, cmp.AllowUnexported(Account{}), exceptInherited); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

// exceptInherited ignores whether a setting was sent or inherited.
var exceptInherited = cmpopts.IgnoreFields(ReuseConfig{}, "Inherited")

// TestInheritedReuse checks a configuration from before there were device, mobile and email settings. These settings
// inherit "enabled", "window_days" and "distinct_applicants" of "beneficiary_reuse", with 0 points, until they are
// set.
func TestInheritedReuse(t *testing.T) {
	t.Parallel()
	old, err := ReadConfig(
		parse(t,
			`{"fraud":{"beneficiary_reuse":{"enabled":false,"window_days":30,"distinct_applicants":4,"points":60,`+
				`"allowlist_accounts":["5010001234"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := ReuseConfig{WindowDays: 30, DistinctApplicants: 4, Inherited: true}
	for _, got := range []ReuseConfig{old.Fraud.DeviceReuse, old.Fraud.MobileReuse, old.Fraud.EmailReuse} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(RingConfig{Enabled: true, MinPeople: 3}, old.Fraud.Ring); diff != "" {
		t.Error(diff)
	}
	var stored wire.Writer
	old.WriteStored(&stored)
	if strings.Contains(string(stored.Buf), "device_reuse") {
		t.Errorf("kept as %s", stored.Buf)
	}
	given, err := ReadConfig(
		parse(t,
			`{"fraud":{"beneficiary_reuse":{"window_days":30},`+
				`"device_reuse":{"points":20,"allowlist":["tablet of branch 7"]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if given, err = given.Sealed(testKey, nil); err != nil {
		t.Fatal(err)
	}
	want = ReuseConfig{Enabled: true, WindowDays: 30, DistinctApplicants: 2, Points: 20, Allowlist: []Account{
		{Kind: KindDevice, Masked: "••••ch 7", Key: "hmac(device,tablet of branch 7)"},
	}}
	if diff := cmp.Diff(want, given.Fraud.DeviceReuse, cmp.AllowUnexported(Account{})); diff != "" {
		t.Error(diff)
	}
	// An entity creates no ties if it is on an allow list or its kind is switched
	// off, or if it is an IP address or a pincode.
	o := Observe(
		sentFacts(t,
			`{"device":{"device_id":"tablet of branch 7"},`+
				`"fraud":{"applicant_ref":"A","mobile":"9820012345","ip":"49.36.1.2","pincode":"400001"}}`),
		testKey)
	if diff := cmp.Diff(map[string]int64{KindMobile: 30}, given.Fraud.Ties(o)); diff != "" {
		t.Error(diff)
	}
	if ties := old.Fraud.Ties(o); len(ties) > 0 {
		t.Errorf("switched off: %v", ties)
	}
}

// TestNewEntity checks that entities are recognised as in an application, and
// that a mistyped entity is rejected without repeating its value.
func TestNewEntity(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, value, key string }{
		{KindBeneficiaryAccount, "sbin-0000 4321", "hmac(beneficiary_account,SBIN00004321)"},
		{KindBeneficiaryAccount, "12", ""},
		{KindIP, "::ffff:49.36.1.2", "hmac(ip,49.36.1.2)"},
		{KindIP, "300.1.2.3", ""},
		{KindPincode, "400001", "hmac(pincode,400001)"},
		{KindPincode, "4000", ""},
		{KindMobile, "+91 98200 12345", "hmac(mobile,9820012345)"},
		{KindMobile, "12345", ""},
		{KindEmail, " Asha@Example.in ", "hmac(email,asha@example.in)"},
		{KindEmail, "asha", ""},
		{KindDevice, " 9774d56d ", "hmac(device,9774d56d)"},
		{KindDevice, " ", ""},
		{KindAgent, "AG-7", "hmac(agent,AG-7)"},
		{KindRing, "rng_1", ""},
		{"colour", "red", ""},
	} {
		got, problem := NewEntity(c.kind, c.value, testKey)
		if got.Key != c.key || (problem == "") != (c.key != "") ||
			strings.TrimSpace(c.value) != "" && strings.Contains(problem, c.value) {
			t.Errorf("%s %s: %+v, %q", c.kind, c.value, got, problem)
		}
	}
}

func TestReadConfigRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{`[]`, []string{" wrong_type"}},
		{`{"Fraud":{}}`, []string{"/Fraud unknown_field"}},
		{`{"fraud":[]}`, []string{"/fraud wrong_type"}},
		{`{"fraud":{"ip_clusters":{}}}`, []string{"/fraud/ip_clusters unknown_field"}},
		{`{"fraud":{"ip_cluster":{"window_hours":0}}}`, []string{"/fraud/ip_cluster/window_hours out_of_range"}},
		{`{"fraud":{"ip_cluster":{"window_hours":721}}}`, []string{"/fraud/ip_cluster/window_hours out_of_range"}},
		{`{"fraud":{"ip_cluster":{"window_hours":1.5}}}`, []string{"/fraud/ip_cluster/window_hours out_of_range"}},
		{`{"fraud":{"ip_cluster":{"distinct_applicants":-1}}}`,
			[]string{"/fraud/ip_cluster/distinct_applicants out_of_range"}},
		{`{"fraud":{"beneficiary_reuse":{"window_days":0}}}`,
			[]string{"/fraud/beneficiary_reuse/window_days out_of_range"}},
		{`{"fraud":{"agent_anomaly":{"max_applications":-1}}}`,
			[]string{"/fraud/agent_anomaly/max_applications out_of_range"}},
		{`{"fraud":{"agent_anomaly":{"points":101}}}`, []string{"/fraud/agent_anomaly/points out_of_range"}},
		{`{"fraud":{"agent_anomaly":{"enabled":"yes"}}}`, []string{"/fraud/agent_anomaly/enabled wrong_type"}},
		{`{"fraud":{"pincode_spike":{"ratio_to_baseline":0.99}}}`,
			[]string{"/fraud/pincode_spike/ratio_to_baseline out_of_range"}},
		{`{"fraud":{"pincode_spike":{"ratio_to_baseline":2.001}}}`,
			[]string{"/fraud/pincode_spike/ratio_to_baseline out_of_range"}},
		{`{"fraud":{"ring":{"ring_min_people":1,"points":101,"size":2},` +
			`"device_reuse":{"window_days":0,"allowlist":[" ",7]}}}`,
			[]string{
				"/fraud/device_reuse/window_days out_of_range", "/fraud/device_reuse/allowlist/0 out_of_range",
				"/fraud/device_reuse/allowlist/1 wrong_type", "/fraud/ring/ring_min_people out_of_range",
				"/fraud/ring/points out_of_range", "/fraud/ring/size unknown_field",
			}},
		{`{"fraud":{"pincode_spike":{"baseline_days":13}}}`,
			[]string{"/fraud/pincode_spike/min_baseline_days out_of_range"}},
		{`{"fraud":{"level_cutoffs":{"high":25}}}`, []string{"/fraud/level_cutoffs/high out_of_range"}},
		{
			`{"fraud":{"level_cutoffs":{"medium":80,"high":60,"very_high":60}}}`,
			[]string{"/fraud/level_cutoffs/high out_of_range", "/fraud/level_cutoffs/very_high out_of_range"},
		},
		{`{"fraud":{"level_cutoffs":{"very_high":101}}}`, []string{"/fraud/level_cutoffs/very_high out_of_range"}},
		{`{"fraud":{"alert_min_severity":"severe"}}`, []string{"/fraud/alert_min_severity out_of_range"}},
		{
			`{"fraud":{"beneficiary_reuse":{"allowlist_accounts":["12-3",7,"` + strings.Repeat("1", 35) + `"]}}}`,
			[]string{
				"/fraud/beneficiary_reuse/allowlist_accounts/0 out_of_range",
				"/fraud/beneficiary_reuse/allowlist_accounts/1 wrong_type",
				"/fraud/beneficiary_reuse/allowlist_accounts/2 out_of_range",
			},
		},
		{
			`{"device":{"sim_new_days":-1,"loan_apps_max":-1,"app_install_min_age_days":-1}}`,
			[]string{
				"/device/sim_new_days out_of_range", "/device/loan_apps_max out_of_range",
				"/device/app_install_min_age_days out_of_range",
			},
		},
		{`{"location":{"gps_match_radius_km":0}}`, []string{"/location/gps_match_radius_km out_of_range"}},
		{`{"location":{"gps_match_radius_km":501}}`, []string{"/location/gps_match_radius_km out_of_range"}},
		{
			`{"location":{"allowed_ip_countries":["in","IND","IN","IN",1],"default_pincode_risk":"low"}}`,
			[]string{
				"/location/allowed_ip_countries/0 out_of_range", "/location/allowed_ip_countries/1 out_of_range",
				"/location/allowed_ip_countries/3 duplicate", "/location/allowed_ip_countries/4 wrong_type",
				"/location/default_pincode_risk out_of_range",
			},
		},
	} {
		_, err := ReadConfig(parse(t, c.text))
		if diff := cmp.Diff(c.want, refusals(err)); diff != "" {
			t.Errorf("%s: %s", c.text, diff)
		}
	}
}

// TestReadConfigRepeatsNoValue checks that a rejection, which anyone may see,
// contains no account number.
func TestReadConfigRepeatsNoValue(t *testing.T) {
	t.Parallel()
	const account = "12345678901234567890123456789012345"
	_, err := ReadConfig(parse(t, `{"fraud":{"beneficiary_reuse":{"allowlist_accounts":["`+account+`"]}}}`))
	if err == nil || strings.Contains(err.Error(), account) {
		t.Errorf("got %v", err)
	}
}

// TestMerge checks the examples at the end of RFC 7386, and merges of our own
// settings.
func TestMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ current, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `null`, `null`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"fraud":{"ip_cluster":{"points":15,"window_hours":24}}}`, `{"fraud":{"ip_cluster":{"points":10}}}`,
			`{"fraud":{"ip_cluster":{"points":10,"window_hours":24}}}`},
		{`{"a":3.0}`, `{"b":1.50}`, `{"a":3.0,"b":1.50}`},
	} {
		if diff := cmp.Diff(c.want, string(Merge(parse(t, c.current), parse(t, c.patch)))); diff != "" {
			t.Errorf("%s and %s: %s", c.current, c.patch, diff)
		}
	}
}

// sealedConfig reads a configuration with the given allow list and seals it. kept are the entries of the previous
// list.
func sealedConfig(t *testing.T, list string, kept []Account) (Config, error) {
	t.Helper()
	c, err := ReadConfig(parse(t, `{"fraud":{"beneficiary_reuse":{"allowlist_accounts":`+list+`}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return c.Sealed(testKey, kept)
}

func TestAllowlistIsKeptAsKeysAndShownMasked(t *testing.T) {
	t.Parallel()
	first, err := sealedConfig(t, `["5010 0012-3456 7890","SBIN77887890","5010001234567890"]`, nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := first.Fraud.BeneficiaryReuse.AllowlistAccounts
	want := []Account{
		{Kind: KindBeneficiaryAccount, Masked: "••••7890", Key: "hmac(beneficiary_account,5010001234567890)"},
		{Kind: KindBeneficiaryAccount, Masked: "••••7890", Key: "hmac(beneficiary_account,SBIN77887890)"},
	}
	if diff := cmp.Diff(want, kept, cmp.AllowUnexported(Account{})); diff != "" {
		t.Error(diff)
	}
	if text := written(first); strings.Contains(text, "5010") || !strings.Contains(text,
		`"allowlist_accounts":["••••7890","••••7890"]`) {
		t.Errorf("shown as %s", text)
	}

	again, err := ReadConfig(parse(t, written(first)))
	if err != nil {
		t.Fatal(err)
	}
	if again, err = again.Sealed(testKey, kept); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again, cmp.AllowUnexported(Account{}), exceptInherited); diff != "" {
		t.Errorf("read and sent back: %s", diff)
	}

	for _, c := range []struct{ name, list string }{
		{"one of two that look alike", `["••••7890"]`},
		{"one that is not there", `["••••1111"]`},
	} {
		if _, err := sealedConfig(t, c.list, kept); cmp.Diff(
			[]string{"/fraud/beneficiary_reuse/allowlist_accounts/0 out_of_range"}, refusals(err)) != "" {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	emptied, err := sealedConfig(t, `[]`, kept)
	if err != nil || len(emptied.Fraud.BeneficiaryReuse.AllowlistAccounts) != 0 {
		t.Errorf("emptied: %v, %v", emptied.Fraud.BeneficiaryReuse.AllowlistAccounts, err)
	}
}

// TestAccountNumbersAreNeverWritten checks that the written configuration
// contains no account number, even before it is sealed.
func TestAccountNumbersAreNeverWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`[1-9][0-9]{5,33}`).Draw(t, "number")
		c, err := ReadConfig(
			parse(t, fmt.Sprintf(`{"fraud":{"beneficiary_reuse":{"allowlist_accounts":[%q]}}}`, number)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(written(c), number) {
			t.Fatalf("%s is shown: %s", number, written(c))
		}
	})
}

// FuzzReadConfig reads arbitrary bytes. The result must be a rejection with
// pointers, or a configuration that is the same after it is written and read.
func FuzzReadConfig(f *testing.F) {
	f.Add([]byte(written(DefaultConfig())))
	for _, seed := range []string{
		`{}`, `[]`, `{"fraud":{"pincode_spike":{"ratio_to_baseline":99.99,"baseline_days":1,"min_baseline_days":1}}}`,
		`{"fraud":{"beneficiary_reuse":{"allowlist_accounts":["12 34-ab","••••1234",""]}},"version":{}}`,
		`{"location":{"gps_match_radius_km":0.001,"allowed_ip_countries":[]},"device":{"loan_apps_max":1e3}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := wire.Parse(data)
		if err != nil {
			return
		}
		c, err := ReadConfig(v)
		if err != nil {
			if len(refusals(err)) == 0 {
				t.Fatalf("refused without saying where: %v", err)
			}
			return
		}
		again, err := ReadConfig(parse(t, written(c)))
		if err != nil {
			t.Fatalf("%s: %v", written(c), err)
		}
		if diff := cmp.Diff(c, again, cmpopts.IgnoreUnexported(Account{}), cmpopts.EquateEmpty(),
			exceptInherited); diff != "" {
			t.Fatal(diff)
		}
		merged := parse(t, string(Merge(parse(t, written(DefaultConfig())), parse(t, written(c)))))
		if got, err := ReadConfig(merged); err != nil || written(got) != written(c) {
			t.Fatalf("merged into the defaults: %v", err)
		}
	})
}

// TestConfigCheck checks that a configuration built in Go has the same faults
// as its JSON document.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Config){
		"default": func(*Config) {},
		"too small": func(c *Config) {
			c.Fraud.IPCluster = IPClusterConfig{Points: -1}
			c.Fraud.PincodeSpike.RatioHundredths = 99
			c.Fraud.Ring.MinPeople = 1
			c.Location.GPSMatchRadiusMetres = -1
		},
		"too large": func(c *Config) {
			c.Fraud.AgentAnomaly = AgentAnomalyConfig{
				WindowHours:         1e6,
				MaxApplications:     1e6,
				MaxDistinctPincodes: 1e6,
				Points:              101,
			}
			c.Fraud.BeneficiaryReuse = BeneficiaryReuseConfig{WindowDays: 366, DistinctApplicants: 1001, Points: 101}
			c.Fraud.DeviceReuse = ReuseConfig{WindowDays: 366, DistinctApplicants: 1001, Points: 101}
			c.Fraud.MuteDays = 366
			c.Device = DeviceConfig{SIMNewDays: 1e6, LoanAppsMax: 1e7, AppInstallMinAgeDays: 1e6}
			c.Location.GPSMatchRadiusMetres = 500_001
		},
		"inherited": func(c *Config) {
			c.Fraud.BeneficiaryReuse.WindowDays = 0
			c.Fraud.inherit()
		},
		"inconsistent": func(c *Config) {
			c.Fraud.PincodeSpike.MinBaselineDays = 31
			c.Fraud.LevelCutoffs = LevelCutoffs{Medium: 50, High: 50, VeryHigh: 40}
		},
		"lists": func(c *Config) {
			c.Location.AllowedIPCountries = []string{"IN", "Mars", "IN"}
			c.Location.DefaultPincodeRisk = "WILD"
			c.Fraud.EmailReuse = ReuseConfig{WindowDays: 1, DistinctApplicants: 1, Allowlist: make([]Account, 501)}
		},
		"too many countries": func(c *Config) { c.Location.AllowedIPCountries = make([]string, 251) },
	} {
		c := DefaultConfig()
		change(&c)
		var faults fault.List
		c.Check(&faults)

		var w wire.Writer
		c.WriteStored(&w)
		_, err := ReadConfig(parse(t, string(w.Buf)))
		var want []fault.Item
		var refusal *fault.Error
		if errors.As(err, &refusal) {
			want = refusal.Items
		}
		if diff := cmp.Diff(want, faults.Items()); diff != "" {
			t.Errorf("%s (-document +value):\n%s", name, diff)
		}
	}
}
