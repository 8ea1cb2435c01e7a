package signal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"verdict/internal/rule"
	"verdict/internal/wire"
)

// everything is a request with one entity of each kind.
const everything = `{"fraud":{"applicant_ref":"A-1","pincode":"400001","ip":"49.36.1.2",` +
	`"beneficiary_account":"501000004321","agent_id":"AG-7","mobile":"+91 98200 12345","email":"Asha@Example.in"},` +
	`"device":{"device_id":"9774d56d682e549c"}}`

func TestObserve(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, request string
		want          Observation
	}{
		{"everything", everything, Observation{"A-1", []Entity{
			{Kind: KindPincode, Key: "hmac(pincode,400001)", Display: "400001"},
			{Kind: KindIP, Key: "hmac(ip,49.36.1.2)", Display: "••••.1.2"},
			{Kind: KindBeneficiaryAccount, Key: "hmac(beneficiary_account,501000004321)", Display: "••••4321"},
			{Kind: KindAgent, Key: "hmac(agent,AG-7)", Display: "AG-7"},
			{Kind: KindDevice, Key: "hmac(device,9774d56d682e549c)", Display: "••••549c"},
			{Kind: KindMobile, Key: "hmac(mobile,9820012345)", Display: "••••2345"},
			{Kind: KindEmail, Key: "hmac(email,asha@example.in)", Display: "••••e.in"},
		}}},
		{"no applicant", `{"fraud":{"ip":"49.36.1.2"}}`,
			Observation{"", []Entity{{Kind: KindIP, Key: "hmac(ip,49.36.1.2)", Display: "••••.1.2"}}}},
		{"a blank applicant", `{"fraud":{"applicant_ref":" "}}`, Observation{}},
		{"an applicant alone", `{"fraud":{"applicant_ref":"A-1"}}`, Observation{ApplicantRef: "A-1"}},
		{
			"blanks",
			`{"fraud":{"applicant_ref":"A-1","beneficiary_account":" - ","agent_id":" ","mobile":"none","email":""}}`,
			Observation{ApplicantRef: "A-1"},
		},
		{"one account in two spellings", `{"fraud":{"applicant_ref":"A-1","beneficiary_account":"sbin-0000 4321"}}`,
			Observation{"A-1", []Entity{
				{Kind: KindBeneficiaryAccount, Key: "hmac(beneficiary_account,SBIN00004321)", Display: "••••4321"},
			}}},
		{"a short account", `{"fraud":{"applicant_ref":"A-1","beneficiary_account":"12345"}}`,
			Observation{"A-1", []Entity{
				{Kind: KindBeneficiaryAccount, Key: "hmac(beneficiary_account,12345)", Display: "••••45"},
			}}},
		{"an IPv4 address in IPv6 clothes", `{"fraud":{"applicant_ref":"A-1","ip":"::ffff:49.36.1.2"}}`,
			Observation{"A-1", []Entity{
				{Kind: KindIP, Key: "hmac(ip,49.36.1.2)", Display: "••••.1.2"},
			}}},
		{"an IPv6 address is its network", `{"fraud":{"applicant_ref":"A-1","ip":"2405:201:6:7:aaaa::1"}}`,
			Observation{"A-1", []Entity{
				{Kind: KindIP, Key: "hmac(ip,2405:201:6:7::/64)", Display: "••••0007"},
			}}},
	} {
		if diff := cmp.Diff(c.want, Observe(sentFacts(t, c.request), testKey)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestThresholds checks each threshold just below and at its limit.
func TestThresholds(t *testing.T) {
	t.Parallel()
	observed := Observe(sentFacts(t, everything), testKey)
	enough := Counts{BaselineApplicants: 30, BaselineDays: 30} // one applicant a day
	with := func(change func(*Counts)) Counts {
		n := enough
		change(&n)
		return n
	}
	for _, c := range []struct {
		name      string
		counts    Counts
		signal    string
		triggered bool
		severity  Severity
	}{
		{"9 of at least 10", with(func(n *Counts) { n.PincodeApplicants = 9 }), PincodeSpike, false, SeverityLow},
		{"10 of at least 10", with(func(n *Counts) { n.PincodeApplicants = 10 }), PincodeSpike, true, SeverityLow},
		{"half as much again", with(func(n *Counts) { n.PincodeApplicants = 15 }), PincodeSpike, true, SeverityMedium},
		{"twice that", with(func(n *Counts) { n.PincodeApplicants = 20 }), PincodeSpike, true, SeverityHigh},
		{"just under three times 10 a day", with(func(n *Counts) {
			n.PincodeApplicants, n.BaselineApplicants = 29,
				300
		}), PincodeSpike, false, SeverityLow},
		{"three times 10 a day", with(func(n *Counts) {
			n.PincodeApplicants, n.BaselineApplicants = 30,
				300
		}), PincodeSpike, true, SeverityLow},
		{"three times a little more than 10 a day", with(func(n *Counts) {
			n.PincodeApplicants, n.BaselineApplicants = 30,
				301
		}), PincodeSpike, false, SeverityLow},
		{"fourteen days of history",
			Counts{PincodeApplicants: 10, BaselineApplicants: 14, BaselineDays: 14}, PincodeSpike, true, SeverityLow},
		{"nobody before", Counts{PincodeApplicants: 10, BaselineDays: 30}, PincodeSpike, true, SeverityLow},
		{"4 of 5 behind an address", Counts{IPApplicants: 4}, IPCluster, false, SeverityLow},
		{"5 of 5 behind an address", Counts{IPApplicants: 5}, IPCluster, true, SeverityMedium},
		{"10 of 5 behind an address", Counts{IPApplicants: 10}, IPCluster, true, SeverityHigh},
		{"alone on an account", Counts{BeneficiaryApplicants: 1}, BeneficiaryReuse, false, SeverityLow},
		{"two on an account", Counts{BeneficiaryApplicants: 2}, BeneficiaryReuse, true, SeverityCritical},
		{"20 by an agent", Counts{AgentApplicants: 20, AgentPincodes: 8}, AgentGeoAnomaly, false, SeverityLow},
		{"21 by an agent", Counts{AgentApplicants: 21, AgentPincodes: 1}, AgentGeoAnomaly, true, SeverityMedium},
		{"9 pincodes of an agent", Counts{AgentApplicants: 9, AgentPincodes: 9}, AgentGeoAnomaly, true, SeverityMedium},
		{"41 by an agent from 9 pincodes",
			Counts{AgentApplicants: 41, AgentPincodes: 9}, AgentGeoAnomaly, true, SeverityHigh},
		{"16 pincodes of an agent", Counts{AgentApplicants: 16, AgentPincodes: 16}, AgentGeoAnomaly, true,
			SeverityHigh},
	} {
		f := Assess(observed, c.counts, DefaultConfig().Fraud)
		if len(f.Signals) != 1 {
			t.Errorf("%s: %d signals", c.name, len(f.Signals))
			continue
		}
		s := f.Signals[0]
		if s.ID != c.signal || s.Triggered != c.triggered || s.Severity != c.severity || (s.Points > 0) != c.triggered {
			t.Errorf("%s: got %+v", c.name, s)
		}
	}
}

func TestSpikeWindowsScaleTheBaseline(t *testing.T) {
	t.Parallel()
	observed := Observe(sentFacts(t, everything), testKey)
	cfg := DefaultConfig().Fraud
	cfg.PincodeSpike.MinCount = 1
	for _, c := range []struct{ windowHours, baseline, days, ratio, want int64 }{
		{24, 300, 30, 300, 30},
		{48, 300, 30, 300, 60},
		{6, 300, 30, 300, 8}, // 7.5 rounds up to 8
		{24, 301, 30, 300, 31},
		{24, 1, 30, 300, 1},
		{24, 140, 14, 150, 15},
		{maxWindowHours, 1 << 62, 1, maxRatio, 3_000_000_000_000},
	} {
		cfg.PincodeSpike.WindowHours, cfg.PincodeSpike.RatioHundredths = c.windowHours, c.ratio
		cfg.PincodeSpike.MinBaselineDays = min(c.days, 14)
		f := Assess(observed, Counts{PincodeApplicants: 1, BaselineApplicants: c.baseline, BaselineDays: c.days}, cfg)
		if got := f.Signals[0].Threshold; got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

// TestNotEvaluatedIsAbsent checks that a fact is absent, and not false, if its signal is switched off. The same must
// hold for a pincode spike without a baseline.
func TestNotEvaluatedIsAbsent(t *testing.T) {
	t.Parallel()
	all := Counts{
		PincodeApplicants: 50, BaselineApplicants: 1, BaselineDays: 30, IPApplicants: 50, BeneficiaryApplicants: 50,
		AgentApplicants: 50, AgentPincodes: 50, DeviceApplicants: 50, MobileApplicants: 50, EmailApplicants: 50,
		Ring: RingCount{People: 50, Links: 4, Truncated: true},
	}
	for _, c := range []struct {
		name   string
		change func(*Counts, *FraudConfig)
		gone   []string
	}{
		{"nothing changed", func(*Counts, *FraudConfig) {}, nil},
		{"too young a history", func(n *Counts, _ *FraudConfig) { n.BaselineDays = 13 },
			[]string{"fraud_pincode_spike"}},
		{"no history", func(n *Counts, _ *FraudConfig) { n.BaselineDays = 0 }, []string{"fraud_pincode_spike"}},
		{"spikes off", func(_ *Counts, c *FraudConfig) { c.PincodeSpike.Enabled = false },
			[]string{"fraud_pincode_spike"}},
		{"clusters off", func(_ *Counts, c *FraudConfig) { c.IPCluster.Enabled = false }, []string{"fraud_ip_cluster"}},
		{"agents off", func(_ *Counts, c *FraudConfig) { c.AgentAnomaly.Enabled = false },
			[]string{"fraud_agent_anomaly", "fraud_agent_pincodes"}},
		{"reuse off, and what follows it", func(_ *Counts, c *FraudConfig) {
			c.BeneficiaryReuse.Enabled = false
			c.inherit()
		}, []string{
			"fraud_beneficiary_reuse", "fraud_beneficiary_applicants", "fraud_device_reuse", "fraud_device_applicants",
			"fraud_mobile_reuse", "fraud_mobile_applicants", "fraud_email_reuse", "fraud_email_applicants",
		}},
		{"mobile numbers off", func(_ *Counts, c *FraudConfig) { c.MobileReuse.Enabled = false },
			[]string{"fraud_mobile_reuse", "fraud_mobile_applicants"}},
		{"rings off", func(_ *Counts, c *FraudConfig) { c.Ring.Enabled = false },
			[]string{"fraud_ring_size", "fraud_ring_links", "fraud_ring_truncated"}},
		{"the phone not counted", func(n *Counts, _ *FraudConfig) { n.DeviceApplicants = 0 },
			[]string{"fraud_device_reuse", "fraud_device_applicants"}},
	} {
		want := map[string]bool{}
		for _, name := range []string{
			"fraud_pincode_spike", "fraud_ip_cluster", "fraud_beneficiary_reuse", "fraud_beneficiary_applicants",
			"fraud_agent_anomaly", "fraud_agent_pincodes", "fraud_device_reuse", "fraud_device_applicants",
			"fraud_mobile_reuse", "fraud_mobile_applicants", "fraud_email_reuse", "fraud_email_applicants",
			"fraud_blocklisted", "fraud_score", "fraud_ring_size", "fraud_ring_links", "fraud_ring_truncated",
		} {
			want[name] = true
		}
		for _, name := range c.gone {
			delete(want, name)
		}
		n, cfg := all, DefaultConfig().Fraud
		c.change(&n, &cfg)
		got := map[string]bool{}
		Assess(Observe(sentFacts(t, everything), testKey), n, cfg).Derive(
			func(name string, _ rule.Value) { got[name] = true })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	for score, want := range map[int64]string{
		0: "low", 24: "low", 25: "medium", 49: "medium", 50: "high", 74: "high", 75: "very_high", 100: "very_high",
	} {
		if got := DefaultConfig().Fraud.LevelCutoffs.level(score); got != want {
			t.Errorf("%d: got %s", score, got)
		}
	}
}

func TestAlerts(t *testing.T) {
	t.Parallel()
	counts := Counts{
		IPApplicants:          6,
		BeneficiaryApplicants: 2,
		AgentApplicants:       41,
		PincodeApplicants:     9,
		BaselineDays:          30,
	}
	observed := Observe(sentFacts(t, everything), testKey)
	ip := AlertWant{IPCluster, SeverityMedium, observed.Entities[1], 6, 5, 24}
	mule := AlertWant{BeneficiaryReuse, SeverityCritical, observed.Entities[2], 2, 2, 2160}
	agent := AlertWant{AgentGeoAnomaly, SeverityHigh, observed.Entities[3], 41, 20, 24}
	for _, c := range []struct {
		name   string
		change func(*Counts, *FraudConfig)
		want   []AlertWant
	}{
		{"as it is", func(*Counts, *FraudConfig) {}, []AlertWant{ip, mule, agent}},
		{"from high", func(_ *Counts, c *FraudConfig) { c.AlertMinSeverity = SeverityHigh }, []AlertWant{mule, agent}},
		{"critical alone", func(_ *Counts, c *FraudConfig) { c.AlertMinSeverity = SeverityCritical },
			[]AlertWant{mule}},
		{"a muted account", func(n *Counts, _ *FraudConfig) { n.Muted = []string{KindBeneficiaryAccount} },
			[]AlertWant{ip, agent}},
		{"an allowed account", func(_ *Counts, c *FraudConfig) {
			c.BeneficiaryReuse.AllowlistAccounts = []Account{{Key: observed.Entities[2].Key}}
		}, []AlertWant{ip, agent}},
		{"what is shared besides", func(n *Counts, _ *FraudConfig) {
			*n = Counts{
				DeviceApplicants: 2,
				MobileApplicants: 4,
				EmailApplicants:  1,
				Ring:             RingCount{ID: "rng_1", People: 6, Links: 3},
			}
		}, []AlertWant{
			{DeviceReuse, SeverityMedium, observed.Entities[4], 2, 2, 2160},
			{MobileReuse, SeverityHigh, observed.Entities[5], 4, 2, 2160},
			{ConnectedRing, SeverityCritical, Entity{Kind: KindRing, Key: "rng_1", Display: "rng_1"}, 6, 3, 2160},
		}},
		{"an allowed phone and a muted ring", func(n *Counts, c *FraudConfig) {
			*n = Counts{DeviceApplicants: 9, Ring: RingCount{ID: "rng_1", People: 3, Muted: true}}
			c.DeviceReuse.Allowlist = []Account{{Key: observed.Entities[4].Key}}
		}, nil},
		{"a pair", func(n *Counts, _ *FraudConfig) { *n = Counts{Ring: RingCount{ID: "rng_1", People: 2, Links: 1}} },
			nil},
		{"nobody else", func(n *Counts, _ *FraudConfig) { *n = Counts{IPApplicants: 1, BeneficiaryApplicants: 1} },
			nil},
	} {
		n, cfg := counts, DefaultConfig().Fraud
		c.change(&n, &cfg)
		if diff := cmp.Diff(c.want, Assess(observed, n, cfg).Alerts(cfg)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// drawCounts generates counts around the thresholds and at the limits.
func drawCounts(t *rapid.T) Counts {
	draw := func(name string) int64 {
		return rapid.SampledFrom([]int64{0, 1, 2, 4, 5, 8, 9, 10, 20, 21, 1 << 40}).Draw(t, name)
	}
	kinds := rapid.SliceOfN(rapid.SampledFrom([]string{KindIP, KindPincode, KindBeneficiaryAccount, KindEmail}), 0, 2)
	return Counts{
		PincodeApplicants: draw("pincode"), IPApplicants: draw("ip"), BeneficiaryApplicants: draw("account"),
		AgentApplicants: draw("agent"), AgentPincodes: draw("agent pincodes"), DeviceApplicants: draw("device"),
		MobileApplicants: draw("mobile"), EmailApplicants: draw("email"), BaselineApplicants: draw("baseline"),
		Ring:         RingCount{ID: "rng_1", People: min(draw("people"), 200), Links: draw("links")},
		BaselineDays: draw("days"), Blocklisted: kinds.Draw(t, "blocked"), Muted: kinds.Draw(t, "muted"),
	}
}

// TestFraudProperties checks that a member that was not sent gives no fact, whatever the counts are. Derived facts
// must be in the catalogue and in their domains. The score must be the sum of the points up to 100. The response must
// contain no account number or address.
func TestFraudProperties(t *testing.T) {
	t.Parallel()
	needs := map[string]string{
		"fraud_pincode_spike": "pincode", "fraud_ip_cluster": "ip", "fraud_beneficiary_reuse": "beneficiary_account",
		"fraud_beneficiary_applicants": "beneficiary_account", "fraud_agent_anomaly": "agent_id",
		"fraud_agent_pincodes": "agent_id", "fraud_mobile_reuse": "mobile", "fraud_mobile_applicants": "mobile",
		"fraud_email_reuse": "email", "fraud_email_applicants": "email",
	}
	rapid.Check(t, func(rt *rapid.T) {
		facts := sentFacts(t, everything)
		for _, name := range []string{"applicant_ref", "pincode", "ip", "beneficiary_account", "agent_id", "mobile",
			"email"} {
			if rapid.Bool().Draw(rt, "without "+name) {
				facts.Set("fraud."+name, rule.Value{})
			}
		}
		f := Assess(Observe(facts, testKey), drawCounts(rt), DefaultConfig().Fraud)
		derived := 0
		f.Derive(func(name string, _ rule.Value) {
			derived++
			if block, ok := needs[name]; ok && facts.Get("fraud."+block).Type() == rule.Absent {
				rt.Fatalf("%s without %s", name, block)
			}
		})
		derivedText(t, f.Derive)
		named := facts.Get("fraud.applicant_ref").Type() != rule.Absent
		if named != f.Counted || derived == 0 || !named && (derived > 1 || f.Score > 0) {
			rt.Fatalf("%d facts, applicant named: %v", derived, named)
		}
		sum := int64(0)
		for _, s := range f.Signals {
			sum += s.Points
		}
		if f.Score != min(sum, 100) {
			rt.Fatalf("score %d of %d points", f.Score, sum)
		}
		for _, secret := range []string{"501000004321", "49.36.1.2", "9820012345", "asha"} {
			if strings.Contains(strings.ToLower(written(f)), secret) {
				rt.Fatalf("%s is in %s", secret, written(f))
			}
		}
	})
}

// TestHardSignalsAreNotLow checks that a signal for which the default policy
// declines is never reported with the level low, whatever points the lender
// assigns. An entity on the block list must be listed among the signals.
func TestHardSignalsAreNotLow(t *testing.T) {
	t.Parallel()
	cfg := DefaultConfig().Fraud
	cfg.BeneficiaryReuse.Points, cfg.Ring.Points = 0, 0
	observed := Observe(sentFacts(t, everything), testKey)
	nobody := observed
	nobody.ApplicantRef = ""
	for _, c := range []struct {
		name     string
		observed Observation
		counts   Counts
		level    string
		listed   bool
	}{
		{"nothing", observed, Counts{BeneficiaryApplicants: 1, Ring: RingCount{People: 1}}, "low", false},
		{"on the block list", observed, Counts{Blocklisted: []string{KindBeneficiaryAccount}}, "high", true},
		{"on the block list, without an applicant",
			nobody, Counts{Blocklisted: []string{KindBeneficiaryAccount}}, "high", true},
		{"not on it, without an applicant", nobody, Counts{}, "", false},
		{"in a ring", observed, Counts{Ring: RingCount{ID: "rng_1", People: 6, Links: 2}}, "high", false},
		{"a mule's account", observed, Counts{BeneficiaryApplicants: 2}, "high", false},
		{"a shared phone", observed, Counts{DeviceApplicants: 2}, "low", false},
	} {
		f := Assess(c.observed, c.counts, cfg)
		if f.Level != c.level {
			t.Errorf("%s: level %q, want %q", c.name, f.Level, c.level)
		}
		var w wire.Writer
		f.Write(&w)
		if listed := strings.Contains(string(w.Buf),
			`"id":"blocklist","triggered":true,"severity":"critical"`); listed != c.listed {
			t.Errorf("%s: %s", c.name, w.Buf)
		}
		if c.listed && (!strings.Contains(string(w.Buf), "acct_••••4321") || len(f.Alerts(cfg)) > 0) {
			t.Errorf("%s: %s, alerts %v", c.name, w.Buf, f.Alerts(cfg))
		}
	}
}
