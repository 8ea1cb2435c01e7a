package console

import (
	"slices"
	"strconv"
	"strings"

	"verdict/internal/document"
	"verdict/internal/frauddesk"
	"verdict/internal/study"
	"verdict/internal/wire"
)

// thresholdKind is how a threshold is typed and written.
type thresholdKind int

const (
	numberThreshold thresholdKind = iota
	switchThreshold
	choiceThreshold
	listThreshold
)

// threshold is one setting of the fraud configuration. Its path is where it
// stands there, and the name of its field.
type threshold struct {
	path, label, hint string
	kind              thresholdKind
	choices           []string
}

// thresholdGroup is what is set together.
type thresholdGroup struct {
	title, text string
	settings    []threshold
}

// thresholdGroups are the settings as the page shows them: in the order of the
// document, so that they can be written as they come.
var thresholdGroups = []thresholdGroup{
	{"Spike in a pincode", "More applicants from a pincode than its history suggests.", []threshold{
		{path: "fraud.pincode_spike.enabled", label: "Watched", kind: switchThreshold},
		{path: "fraud.pincode_spike.window_hours", label: "Window in hours"},
		{path: "fraud.pincode_spike.min_count", label: "Minimum number of applicants"},
		{path: "fraud.pincode_spike.ratio_to_baseline", label: "Multiple of the baseline"},
		{path: "fraud.pincode_spike.baseline_days", label: "Days of the baseline"},
		{path: "fraud.pincode_spike.min_baseline_days", label: "Minimum days of history"},
		{path: "fraud.pincode_spike.points", label: "Points"},
	}},
	{"Cluster behind one address", "Different applicants from the same internet address.", []threshold{
		{path: "fraud.ip_cluster.enabled", label: "Watched", kind: switchThreshold},
		{path: "fraud.ip_cluster.window_hours", label: "Window in hours"},
		{path: "fraud.ip_cluster.distinct_applicants", label: "Different applicants"},
		{path: "fraud.ip_cluster.points", label: "Points"},
	}},
	{
		title: "Shared bank account",
		text:  "Different applicants who name the same account.",
		settings: []threshold{
			{path: "fraud.beneficiary_reuse.enabled", label: "Watched", kind: switchThreshold},
			{path: "fraud.beneficiary_reuse.window_days", label: "Window in days"},
			{path: "fraud.beneficiary_reuse.distinct_applicants", label: "Different applicants"},
			{path: "fraud.beneficiary_reuse.points", label: "Points"},
			{
				path:  "fraud.beneficiary_reuse.allowlist_accounts",
				label: "Accounts that may be shared",
				kind:  listThreshold,
				hint: "Separated by commas. Numbers are stored as keyed hashes and then shown only by their last characters. " +
					"To keep a masked number, leave it unchanged.",
			},
		},
	},
	{
		title: "Agent with too many applicants or pincodes",
		text:  "One agent with too many applicants, or from too many pincodes.",
		settings: []threshold{
			{path: "fraud.agent_anomaly.enabled", label: "Watched", kind: switchThreshold},
			{path: "fraud.agent_anomaly.window_hours", label: "Window in hours"},
			{path: "fraud.agent_anomaly.max_applications", label: "Most applicants"},
			{path: "fraud.agent_anomaly.max_distinct_pincodes", label: "Most pincodes"},
			{path: "fraud.agent_anomaly.points", label: "Points"},
		},
	},
	{
		title:    "Shared device",
		text:     "Different applicants who use the same phone or tablet.",
		settings: reuseThresholds("device_reuse", "Devices that may be shared"),
	},
	{
		title:    "Shared mobile number",
		text:     "Different applicants who give the same mobile number.",
		settings: reuseThresholds("mobile_reuse", "Mobile numbers that may be shared"),
	},
	{
		title:    "Shared e-mail address",
		text:     "Different applicants who give the same e-mail address.",
		settings: reuseThresholds("email_reuse", "E-mail addresses that may be shared"),
	},
	{
		title: "Connected group of people",
		text:  "People linked by what they share, however long the chain. An internet address alone links nobody.",
		settings: []threshold{
			{path: "fraud.ring.enabled", label: "Watched", kind: switchThreshold},
			{path: "fraud.ring.ring_min_people", label: "Minimum number of people"},
			{path: "fraud.ring.points", label: "Points"},
		},
	},
	{
		title: "Levels and alerts",
		text:  "The points at which the fraud level rises, and the severity from which an alert is raised.",
		settings: []threshold{
			{path: "fraud.level_cutoffs.medium", label: "Medium from"},
			{path: "fraud.level_cutoffs.high", label: "High from"},
			{path: "fraud.level_cutoffs.very_high", label: "Very high from"},
			{
				path:    "fraud.alert_min_severity",
				label:   "Alerts from severity",
				kind:    choiceThreshold,
				choices: []string{"low", "medium", "high", "critical"},
			},
			{path: "fraud.mute_days", label: "Days without alerts after a false positive"},
		},
	},
	{
		title: "Device",
		text:  "Signals from the applicant's device.",
		settings: []threshold{
			{path: "device.sim_new_days", label: "Days for which a SIM counts as new"},
			{path: "device.loan_apps_max", label: "Maximum loan apps"},
			{
				path:  "device.app_install_min_age_days",
				label: "Minimum age of the app in days",
				hint: "Stored for your information. No fact is derived from it; " +
					"a rule may compare device.app_install_age_days itself.",
			},
		},
	},
	{
		title: "Location",
		text:  "Where an application comes from.",
		settings: []threshold{
			{
				path:  "location.gps_match_radius_km",
				label: "Radius around a pincode in km",
				hint:  "If empty, each pincode has its own radius.",
			},
			{
				path:  "location.allowed_ip_countries",
				label: "Countries from which applications are allowed",
				kind:  listThreshold,
				hint:  "Two letters each, separated by commas. If empty, the country is not checked.",
			},
			{
				path:    "location.default_pincode_risk",
				label:   "Risk of a pincode without an entry",
				kind:    choiceThreshold,
				choices: []string{"LOW", "MEDIUM", "HIGH", "BLOCKED"},
			},
		},
	},
}

// reuseThresholds are the settings of something that is counted like the bank
// account.
func reuseThresholds(member, allowed string) []threshold {
	at := "fraud." + member + "."
	return []threshold{
		{path: at + "enabled", label: "Watched", kind: switchThreshold},
		{path: at + "window_days", label: "Window in days"},
		{path: at + "distinct_applicants", label: "Different applicants"},
		{path: at + "points", label: "Points"},
		{
			path:  at + "allowlist",
			label: allowed,
			kind:  listThreshold,
			hint:  "Separated by commas; stored and shown like accounts.",
		},
	}
}

// thresholdField is a setting as it is drawn.
type thresholdField struct {
	Name, Label, Hint, Value, Default string
	Changed                           bool // from what every tenant starts with
	Long                              bool
	Options                           []option
}

type shownGroup struct {
	Title, Text string
	Fields      []thresholdField
}

// thresholds shows the fraud configuration with the defaults beside it.
func (p *fraudPages) thresholds(v *visit) error {
	config, err := p.fraud.Config(v.ctx, v.caller())
	if err != nil {
		return err
	}

	now, err := configDocument(config)
	if err != nil {
		return err
	}

	usual, err := configDocument(frauddesk.DefaultConfig())
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	data := struct {
		Version   int64
		UpdatedAt wire.Value
		UpdatedBy string
		Groups    []shownGroup
	}{Version: config.Version, UpdatedAt: now.Get("updated_at"), UpdatedBy: now.Get("updated_by").Text()}
	if name := names[data.UpdatedBy]; name != "" {
		data.UpdatedBy = name
	}

	for _, g := range thresholdGroups {
		shown := shownGroup{Title: g.title, Text: g.text}
		for _, s := range g.settings {
			shown.Fields = append(shown.Fields, s.shown(now, usual))
		}
		data.Groups = append(data.Groups, shown)
	}

	return v.render("fraud_thresholds", "Thresholds", data)
}

func configDocument(config frauddesk.Config) (wire.Value, error) {
	var w wire.Writer
	document.WriteConfig(&w, config)
	return wire.Parse(w.Buf)
}

func (s threshold) shown(now, usual wire.Value) thresholdField {
	f := thresholdField{
		Name:    s.path,
		Label:   s.label,
		Hint:    s.hint,
		Value:   settingText(now, s.path),
		Default: settingText(usual, s.path),
		Long:    s.kind == listThreshold,
	}
	f.Changed = f.Value != f.Default
	switch s.kind {
	case switchThreshold:
		f.Options = []option{{Value: "true", Label: "On"}, {Value: "false", Label: "Off"}}
		f.Default = map[string]string{"true": "on", "false": "off"}[f.Default]
	case choiceThreshold:
		for _, choice := range s.choices {
			f.Options = append(f.Options, option{Value: choice, Label: choice})
		}
	default: // typed as they are
	}

	f.Hint = strings.TrimSpace(f.Hint + " Default: " + orNone(f.Default) + ".")
	if f.Changed {
		f.Hint += " Now: " + orNone(settingText(now, s.path)) + "."
	}

	return f
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// settingText is a setting as it is typed.
func settingText(document wire.Value, path string) string {
	at := document
	for name := range strings.SplitSeq(path, ".") {
		at = at.Get(name)
	}
	switch at.Kind() {
	case wire.Bool:
		return strconv.FormatBool(at.IsTrue())
	case wire.Array:
		var list []string
		for _, one := range at.Elements() {
			list = append(list, one.Text())
		}
		return strings.Join(list, ", ")
	default:
		return at.Text()
	}
}

// setThresholds keeps all settings at once, unless somebody else has changed
// them since the page was drawn.
func (p *fraudPages) setThresholds(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.again(err, p.thresholds)
	}

	expected, err := strconv.ParseInt(v.form.Value("version"), 10, 64)
	if err != nil || expected < 0 {
		expected = 0 // a form of ours has it; any other is taken for an old one
	}

	patch, err := thresholdPatch(v.form)
	if err == nil {
		change, invalid := document.ReadConfigPatch(patch)
		if err = invalid; err == nil {
			_, err = p.fraud.ChangeConfig(v.ctx, v.caller(), change, expected)
		}
	}
	if err != nil {
		return v.again(pointed(err, thresholdPointer), p.thresholds)
	}

	return v.done("The thresholds were saved. They apply from the next application on.", "/fraud/thresholds")
}

// thresholdPointer is the pointer of the field that a pointer into the
// configuration is about.
func thresholdPointer(pointer string) string {
	path := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	for _, g := range thresholdGroups {
		for _, s := range g.settings {
			if path == s.path || strings.HasPrefix(path, s.path+".") {
				return "/" + s.path
			}
		}
	}
	return pointer
}

// thresholdPatch writes the settings of the form as the document has them. What
// was left empty goes back to its default.
func thresholdPatch(f *form) (wire.Value, error) {
	var w wire.Writer
	w.Object()
	var open []string
	for _, g := range thresholdGroups {
		for _, s := range g.settings {
			parts := strings.Split(s.path, ".")
			inside := parts[:len(parts)-1]
			shared := 0
			for shared < len(open) && shared < len(inside) && open[shared] == inside[shared] {
				shared++
			}

			for range open[shared:] {
				w.EndObject()
			}

			for _, name := range inside[shared:] {
				w.Key(name).Object()
			}

			open = slices.Clone(inside)
			s.write(w.Key(parts[len(parts)-1]), f.Value(s.path))
		}
	}

	for range open {
		w.EndObject()
	}

	w.EndObject()
	return wire.Parse(w.Buf)
}

func (s threshold) write(w *wire.Writer, text string) {
	switch {
	case s.kind == listThreshold:
		w.Array()
		for one := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == '\n' || r == '\r' }) {
			if one = strings.TrimSpace(one); one != "" {
				w.String(strings.ToValidUTF8(one, "\uFFFD"))
			}
		}
		w.EndArray()
	case text == "":
		w.Null()
	case s.kind == switchThreshold:
		w.Bool(text == "true")
	case s.kind == choiceThreshold:
		w.String(strings.ToValidUTF8(text, "\uFFFD"))
	default:
		study.WriteNumber(w, text)
	}
}
