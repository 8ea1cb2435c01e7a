package signal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdict/internal/field"
	"verdict/internal/rule"
	"verdict/internal/wire"
)

// sentFacts returns the raw facts of the blocks of a request.
func sentFacts(t *testing.T, request string) *rule.Facts {
	t.Helper()
	facts := rule.NewFacts(field.Catalogue())
	for block, members := range parse(t, request).Members() {
		for name, member := range members.Members() {
			v, ok := rule.ReadValue(member)
			if !ok {
				t.Fatalf("%s.%s is no scalar", block, name)
			}
			facts.Set(block+"."+name, v)
		}
	}
	return facts
}

// derivedText returns the derived facts as text, and checks that each fact is
// in the catalogue, with the right type and within its domain.
func derivedText(t *testing.T, derive func(add func(string, rule.Value))) string {
	t.Helper()
	var list []string
	derive(func(name string, v rule.Value) {
		id, known := field.Catalogue().Lookup(name)
		if !known {
			t.Errorf("%s is not in the catalogue", name)
			return
		}
		def := field.Catalogue().Field(id)
		if def.Type != v.Type() || def.BoundedBelow && v.Number() < def.Min ||
			def.BoundedAbove && v.Number() > def.Max {
			t.Errorf("%s = %s is not in its domain", name, v)
		}
		var w wire.Writer
		v.Write(&w)
		list = append(list, name+" "+string(w.Buf))
	})
	return strings.Join(list, "; ")
}

func TestDevice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ block, want string }{
		{`{}`, ``},
		{`{"model":"Pixel","os_version":"15","app_install_age_days":0,"device_id":"d"}`, ``},
		{`{"is_emulator":true}`, `device_is_emulator true`},
		{`{"is_emulator":false,"is_rooted":true}`, `device_is_emulator false; device_is_rooted true`},
		{`{"sim_age_days":0}`, `device_sim_new true`},
		{`{"sim_age_days":29.999999}`, `device_sim_new true`},
		{`{"sim_age_days":30}`, `device_sim_new false`},
		{`{"loan_apps_installed_count":5}`, `device_loan_apps_excess false`},
		{`{"loan_apps_installed_count":6}`, `device_loan_apps_excess true`},
		{`{"is_emulator":null,"sim_age_days":null}`, ``},
	} {
		got := derivedText(t, func(add func(string, rule.Value)) {
			Device(sentFacts(t, `{"device":`+c.block+`}`), DefaultConfig().Device, add)
		})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.block, diff)
		}
	}
}

func TestDeviceThresholdsAreTheTenants(t *testing.T) {
	t.Parallel()
	sent := sentFacts(t, `{"device":{"sim_age_days":6,"loan_apps_installed_count":1}}`)
	for _, c := range []struct {
		cfg  DeviceConfig
		want string
	}{
		{DeviceConfig{SIMNewDays: 0, LoanAppsMax: 0}, `device_sim_new false; device_loan_apps_excess true`},
		{DeviceConfig{SIMNewDays: 6, LoanAppsMax: 1}, `device_sim_new false; device_loan_apps_excess false`},
		{DeviceConfig{SIMNewDays: 7, LoanAppsMax: 2}, `device_sim_new true; device_loan_apps_excess false`},
	} {
		got := derivedText(t, func(add func(string, rule.Value)) { Device(sent, c.cfg, add) })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.cfg, diff)
		}
	}
}
