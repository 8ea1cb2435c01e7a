package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"verdict/internal/tenant"
	"verdict/internal/wire"
)

// desk is the editor of a policy in a browser.
type desk struct {
	*browser
	path string
	form url.Values
	page *answer
	at   []string // the addresses of the steps so far
}

// edit discards the working copy, if there is one, and opens the editor.
func (b *browser) edit(id, query string) *desk {
	b.Helper()
	b.post("/console/sandbox/policies/"+id+"/edit", "act", "discard:").want(http.StatusSeeOther)
	return b.reopen(id, query)
}

// reopen opens the editor, which shows the working copy if there is one.
func (b *browser) reopen(id, query string) *desk {
	b.Helper()
	d := &desk{browser: b, path: "/console/sandbox/policies/" + id + "/edit"}
	d.page = b.get(d.path + query).want(http.StatusOK)
	d.form = fieldsOf(d.page.body, "/edit")
	return d
}

// press sends the form with a button. If the answer redirects to the next step
// of the edit, press reads that page.
func (d *desk) press(act string) *desk {
	d.Helper()
	d.form.Set("act", act)
	d.page = d.send(d.path, d.form)
	if at := d.page.header.Get("Location"); strings.HasPrefix(at, d.path+"?step=") {
		d.at = append(d.at, at)
		d.page = d.get(withoutFragment(at))
	}
	if d.page.status == http.StatusOK || d.page.status == http.StatusUnprocessableEntity {
		d.form = fieldsOf(d.page.body, "/edit")
	}
	return d
}

// withoutFragment returns an address as a browser requests it.
func withoutFragment(at string) string {
	at, _, _ = strings.Cut(at, "#")
	return at
}

// saved presses the save button and returns the id of the new draft.
func (d *desk) saved() string {
	d.Helper()
	d.press("save:")
	location := d.page.want(http.StatusSeeOther).header.Get("Location")
	_, id, _ := strings.Cut(location, "/policies/")
	return id
}

// TestEditorChangesNothingByItself checks that a version that is opened and
// saved without changes keeps its checksum.
func TestEditorChangesNothingByItself(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	before := b.stored(tenant.Sandbox, id)
	for _, open := range []string{
		"", "?open=knockouts/1", "?open=factors/6", "?open=factors/4", "?open=pricing_bands/7", "?open=adjustments/2",
		"?open=conditions/2",
	} {
		d := b.edit(id, open)
		set, err := b.service.Policies.RuleSet(t.Context(), b.who(tenant.Sandbox), d.saved())
		if err != nil {
			t.Fatal(err)
		}
		first, err := b.service.Policies.RuleSet(t.Context(), b.who(tenant.Sandbox), id)
		if err != nil || first.Checksum != set.Checksum {
			t.Errorf("opened with %q it has changed:\n%s\n%s", open, first.Document, set.Document)
		}
	}
	if before.Get("name").Text() == "" {
		t.Error("the first version has lost its name")
	}
}

func TestEditorEditsARule(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "").press("open:knockouts/3")
	d.page.has("Edit this knockout", `value="KO_MIN_INCOME"`, "In words: ")
	d.form.Set("row.condition_ast", `{"op":"and","args":[{"op":"lt","field":"monthly_income","value":18000},`+
		`{"op":"not","arg":{"op":"in","field":"employment_type","values":["RETIRED"]}}]}`)
	d.form.Set("row.message", "Earns {monthly_income}, below {threshold}")
	d.form.Set("row.action", "refer")
	d.press("close:")
	d.page.has("monthly_income &lt; ₹18,000 and not (employment_type in (&#34;RETIRED&#34;))").
		hasNot("Edit this knockout")
	saved := d.saved()
	rule := first(b.stored(tenant.Sandbox, saved).Get("knockouts"), "id", "KO_MIN_INCOME")
	if rule.Get("action").Text() != "refer" ||
		rule.Get("message").Text() != "Earns {monthly_income}, below {threshold}" {
		t.Errorf("the rule is not what was typed: %s", rule.Get("action").Text())
	}
	b.get("/console/sandbox/policies/"+saved).want(http.StatusOK).has("Saved as version 3", "Draft")
}

func TestEditorAddsMovesAndRemoves(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "").press("add:knockouts")
	d.page.want(http.StatusOK).has("New knockout").hasNot("a unique name")
	d.form.Set("row.id", "KO_NEW")
	d.form.Set("row.condition_ast", `{"op":"gt","field":"foir","value":0.55}`)
	d.press("close:").press("remove:knockouts/0").press("down:knockouts/0")
	saved := b.stored(tenant.Sandbox, d.saved()).Get("knockouts")
	var ids []string
	for _, k := range saved.Elements() {
		ids = append(ids, k.Get("id").Text())
	}
	if all := strings.Join(ids, " "); !strings.HasPrefix(all, "KO_EMPLOYMENT KO_AGE_RANGE KO_MIN_INCOME") ||
		!strings.Contains(all, "KO_NEW") || strings.Contains(all, "KO_MIN_BUREAU_SCORE") {
		t.Errorf("the rules are %s", all)
	}
}

func TestEditorTellsFaultsBesideTheirFields(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "?open=knockouts/3")
	d.form.Set("row.condition_ast", `{"op":"lt","field":"monthly_incom"`)
	d.form.Set("row.reason_code", "low income")
	d.form.Set("limit_step", "a thousand")
	d.press("save:")
	d.page.want(http.StatusOK).
		has("The policy cannot be saved yet", `id="e-row.condition_ast"`, `id="e-row.reason_code"`, `id="e-limit_step"`,
			`value="low income"`, `value="a thousand"`, "monthly_incom", `href="#at-knockouts-3"`)
	d.form.Set("row.condition_ast", `{"op":"lt","field":"monthly_incom","value":1}`)
	d.press("check:").page.has("monthly_income")
	d.form.Set("row.condition_ast", `{"op":"lt","field":"monthly_income","value":1}`)
	d.form.Set("row.reason_code", "INC_LOW")
	d.form.Set("limit_step", "₹5,000")
	d.press("check:").page.want(http.StatusOK).has("The policy can be saved")
	if step := b.stored(tenant.Sandbox, d.saved()).Get("limit_step").Text(); step != "5000" {
		t.Errorf("the step is %s", step)
	}
}

func TestEditorEditsBinsAndBands(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "?open=factors/1")
	d.form["bin.points"][0] = "21"
	d.form["bin.lt"][4], d.form["bin.gte"][5], d.form["bin.points"][5] = "0.7", "0.7", "-40"
	d.press("close:").press("open:pricing_bands/0")
	d.form.Set("row.interest_rate", "12.25")
	d.form.Set("row.tenures_allowed", "12, 24, 60")
	d.press("close:")
	doc := b.stored(tenant.Sandbox, d.saved())
	foir := first(doc.Get("scorecard").Get("factors"), "factor", "foir").Get("bins")
	band := first(doc.Get("pricing_bands"), "id", "PB_A_PLUS")
	if foir.Len() != 6 || first(foir, "points", "21").Get("lt").Text() != "0.2" ||
		first(foir, "points", "-40").Get("gte").Text() != "0.7" {
		t.Error("the bins are not what was typed")
	}
	if band.Get("interest_rate").Text() != "12.25" || band.Get("tenures_allowed").Len() != 3 {
		t.Error("the band is not what was typed")
	}
	d = b.edit(b.active(tenant.Sandbox), "?open=factors/1")
	d.form["bin.points"][1] = ""
	d.form["bin.gte"][2] = "0.4"
	d.press("save:").page.want(http.StatusOK).has("the points of this bin")
}

func TestEditorTakesTheJSON(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "")
	whole := d.form.Get("document")
	d.form.Set("document", strings.Replace(whole, `"offer_validity_days": 3`, `"offer_validity_days": 9`, 1))
	d.press("json:")
	if d.form.Get("offer_validity_days") != "9" {
		t.Errorf("the field has %q", d.form.Get("offer_validity_days"))
	}
	for _, broken := range []string{`{"a":`, `[]`, ``, `{"a":1,"a":2}`} {
		d.form.Set("document", broken)
		d.press("save:").page.want(http.StatusUnprocessableEntity).has("cannot be read", "Start again")
	}
	for _, strange := range []string{
		`{}`,
		`{"knockouts":7,"scorecard":"x","pricing_bands":[1,null,[]],"inputs":{"a":1}}`,
		`{"knockouts":[3],"scorecard":{"factors":[{"bins":[1]}]}}`,
	} {
		d.form.Set("document", strange)
		for _, act := range []string{
			"json:", "check:", "add:knockouts", "open:knockouts/0", "open:factors/0", "add:factors",
			"remove:pricing_bands/1", "up:nowhere/9", "open:knockouts/-1",
		} {
			d.form.Set("document", strange)
			d.press(act).page.want(http.StatusOK)
		}
	}
}

func TestConditionIsChecked(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	const path = "/console/sandbox/policies/condition"
	b.post(path, "condition", `{"op":"lt","field":"foir","value":0.5}`).
		want(http.StatusOK).has(`"text":"foir < 50 %"`, `"faults":[]`)
	b.post(path, "condition", `{"op":"lt","field":"foirr","value":0.5}`).
		want(http.StatusOK).has(`"pointer":"/field"`, "foir").hasNot(`"text"`)
	b.post(path, "condition", `{"op":"lt","field":"foir_effective","value":0.5}`).has("semantics 2").hasNot(`"text"`)
	b.post(path, "condition", `{"op":"lt","field":"foir_effective","value":0.5}`, "semantics", "2").
		has(`"text":"foir_effective < 50 %"`)
	b.post(path, "condition", `{"op":`).want(http.StatusOK).has(`"faults":[{`)
	b.post(path, "condition", `{"op":"lt","field":"final_score","value":690}`).has(`"faults":[{`)
	b.post(path, "condition", `{"op":"lt","field":"final_score","value":690}`, "stage", "2").has(`"text"`)
	b.post(path, "condition", `{"op":"eq","field":"applicant.vip","value":true}`,
		"inputs", `[{"name":"applicant.vip","type":"boolean"}]`).has(`"text"`)
	b.get("/console/sandbox/policies/fields?q=dpd").want(http.StatusOK).has(`"name":"`, "dpd")
	absence := "/console/sandbox/policies/fields/absence?key="
	b.get(absence + "default").want(http.StatusOK).has(`{"applications":0,"absent":{`)
	b.apply(tenant.Sandbox, referred("A-1"))
	b.apply(tenant.Sandbox, declined("A-2"))
	b.get(absence+"default").want(http.StatusOK).
		has(`{"applications":2,"absent":{`, `"bureau_score":0`, `"age":2`).hasNot(`"final_score"`, `"device.device_id"`)
	b.get(absence + "another").want(http.StatusOK).has(`{"applications":0,`)
	request := b.form(path, "condition", "{}")
	request.Header.Set("Origin", "https://elsewhere.example")
	b.do(request).want(http.StatusForbidden)
}

// first returns the first element of a list in which the given member has the given text.
func first(list wire.Value, member, text string) wire.Value {
	for _, v := range list.Elements() {
		if v.Get(member).Text() == text {
			return v
		}
	}
	return wire.Value{}
}

// TestEditorEditsSpecialValues checks that values typed for a bin of a numeric
// field are stored as special values, and are kept when the draft is opened and
// saved again.
func TestEditorEditsSpecialValues(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "").press("open:factors/0")
	cells := d.form["bin.in"]
	if len(cells) == 0 || len(cells) != len(d.form["bin.points"]) {
		t.Fatalf("%d cells of values, %d of points", len(cells), len(d.form["bin.points"]))
	}
	spare := len(cells) - 3
	d.form["bin.in"][spare], d.form["bin.points"][spare] = "666, 777.5", "3"
	saved := d.press("close:").saved()
	again := b.edit(saved, "?open=factors/0")
	again.page.has("666, 777.5")
	for _, id := range []string{saved, again.saved()} {
		var last wire.Value
		for _, f := range b.stored(tenant.Sandbox, id).Get("scorecard").Get("factors").Elements() {
			for _, last = range f.Get("bins").Elements() {
				continue // find the last bin
			}
			break
		}
		var special []string
		for _, n := range last.Get("special").Elements() {
			special = append(special, n.Text())
		}
		if strings.Join(special, " ") != "666 777.5" || last.Get("points").Text() != "3" {
			t.Errorf("the last bin has the special values %v and %s points", special, last.Get("points").Text())
		}
	}
	b.get("/console/sandbox/policies/" + saved).want(http.StatusOK).has("special: 666, 777.5")
}
