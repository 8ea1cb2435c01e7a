package console

import (
	"fmt"
	"strconv"
	"strings"

	"verdict/internal/fault"
	"verdict/internal/signal"
)

// threshold is one setting of the fraud configuration. path is its place in the document and also
// the name of its form field.
type threshold struct {
	path, label, hint string

	// brief is the phrase about the setting in the summary of its group; %s stands for the value. If it is empty, the
	// summary does not mention the setting.
	brief string

	// value points at the setting: *bool, *int64, *int32, *signal.Severity, *signal.Risk, *[]string or
	// *[]signal.Account. The field "otherwise" points at the value to use if the form field is empty. If it is nil,
	// an empty form field means the default.
	value, otherwise any
	places           int    // decimals of a number
	entity           string // kind of the entities in an allow list
}

// thresholdField is a setting with the texts that the page shows.
type thresholdField struct {
	Name, Label, Hint, Value, Default string
	Changed                           bool // whether the value differs from the default
	Long                              bool
	Options                           []option
}

// shownGroup is a section of the page. It is closed at first, so its summary says what is set.
type shownGroup struct {
	Title, Text string
	State       string // "On" or "Off"; "" if the group cannot be switched off
	Brief       string // the main settings in words
	Changed     int    // number of settings that differ from their defaults
	Open        bool   // whether a field of the group has a fault
	Fields      []thresholdField
}

// thresholds renders the fraud configuration with the default beside each setting.
func (p *fraudPages) thresholds(v *visit) error {
	config, err := p.fraud.Config(v.ctx, v.caller())
	if err != nil {
		return err
	}

	names, err := p.people.names(v)
	if err != nil {
		return err
	}

	data := struct {
		Version   int64
		UpdatedAt int64
		UpdatedBy string
		Groups    []shownGroup
	}{Version: config.Version, UpdatedAt: config.UpdatedMicros, UpdatedBy: config.UpdatedBy}
	if name := names[data.UpdatedBy]; name != "" {
		data.UpdatedBy = name
	}

	initial := signal.DefaultConfig()
	usual := thresholdGroups(&initial)
	for i, g := range thresholdGroups(&config.Values) {
		data.Groups = append(data.Groups, g.shown(v.form, usual[i].settings))
	}

	return v.render("fraud_thresholds", "Thresholds", data)
}

// shown returns the section of the group. usual are the same settings with their defaults.
func (g thresholdGroup) shown(f *form, usual []threshold) shownGroup {
	shown := shownGroup{Title: g.title, Text: g.text}
	var said []string
	for i, s := range g.settings {
		field := s.shown(usual[i].text())
		shown.Fields = append(shown.Fields, field)
		shown.Open = shown.Open || f.Fault(field.Name) != ""
		if field.Changed {
			shown.Changed++
		}
		if on, is := s.value.(*bool); is {
			shown.State = map[bool]string{true: "On", false: "Off"}[*on]
		}
		if s.brief != "" && field.Value != "" {
			said = append(said, fmt.Sprintf(s.brief, field.Value))
		}
	}
	if shown.State != "Off" {
		shown.Brief = strings.Join(said, " · ")
	}
	return shown
}

// shown returns the form field of the setting. usual is the text of its default.
func (s threshold) shown(usual string) thresholdField {
	f := thresholdField{
		Name:    s.path,
		Label:   s.label,
		Hint:    s.hint,
		Value:   s.text(),
		Default: usual,
	}
	f.Changed = f.Value != f.Default
	switch s.value.(type) {
	case *bool:
		f.Options = []option{{Value: "true", Label: "On"}, {Value: "false", Label: "Off"}}
		f.Default = map[string]string{"true": "on", "false": "off"}[f.Default]
	case *[]string, *[]signal.Account:
		f.Long = true
	}
	for _, choice := range s.choices() {
		f.Options = append(f.Options, option{Value: choice, Label: choice})
	}

	f.Hint = strings.TrimSpace(f.Hint + " Default: " + orNone(f.Default) + ".")
	if f.Changed {
		f.Hint += " Now: " + orNone(f.Value) + "."
	}

	return f
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// setThresholds saves all settings together. It refuses if somebody else has changed them since
// the page was rendered.
func (p *fraudPages) setThresholds(v *visit) error {
	if err := v.confirmed(); err != nil {
		return v.redraw(err, p.thresholds)
	}

	expected, err := strconv.ParseInt(v.form.Value("version"), 10, 64)
	if err != nil || expected < 0 {
		expected = 0 // version 0 means the defaults, which have no stored version
	}

	_, err = p.fraud.ChangeConfig(v.ctx, v.caller(), func(signal.Config) (signal.Config, error) {
		return typedThresholds(v.form)
	}, expected)
	if err != nil {
		return v.redraw(mapPointers(err, thresholdPointer), p.thresholds)
	}

	return v.done("The thresholds were saved. They apply from the next application on.", "/fraud/thresholds")
}

// typedThresholds reads the configuration from the form, which contains all settings. An empty list stays empty. Any
// other empty field gets the value to which threshold.otherwise points, or the default if that pointer is nil.
func typedThresholds(f *form) (signal.Config, error) {
	var faults fault.List
	c := signal.DefaultConfig()
	for _, g := range thresholdGroups(&c) {
		for _, s := range g.settings {
			s.set(&faults, f.Value(s.path))
		}
	}
	for _, r := range []*signal.ReuseConfig{&c.Fraud.DeviceReuse, &c.Fraud.MobileReuse, &c.Fraud.EmailReuse} {
		r.Inherited = false // the form states the settings explicitly
	}

	c.Check(&faults)
	return c, faults.Err()
}

// thresholdPointer converts a JSON pointer of the configuration to the pointer of the form field.
func thresholdPointer(pointer string) string {
	path := strings.ReplaceAll(strings.TrimPrefix(pointer, "/"), "/", ".")
	for _, g := range thresholdGroups(new(signal.Config)) {
		for _, s := range g.settings {
			if path == s.path || strings.HasPrefix(path, s.path+".") {
				return "/" + s.path
			}
		}
	}
	return pointer
}
