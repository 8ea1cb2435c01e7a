package console_test

import (
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdict/internal/console"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/wire"
)

// stepOf returns the number of the step that the page shows.
func (d *desk) stepOf() int64 {
	d.Helper()
	n, err := strconv.ParseInt(d.form.Get("step"), 10, 64)
	if err != nil {
		d.Fatalf("the page has the step %q", d.form.Get("step"))
	}
	return n
}

// keep stores the typed values, as the script does, and returns the number of the step.
func (d *desk) keep(focus string) string {
	d.Helper()
	d.form.Set("focus", focus)
	got := d.send(d.path+"/keep", d.form).want(http.StatusOK)
	step := strings.TrimSuffix(strings.TrimPrefix(got.body, `{"step":`), "}")
	d.form.Set("step", step)
	return step
}

// TestEditIsResumed checks that an edit is shown again whenever its author opens the editor, even after signing in
// again or in another browser, and that discarding the edit removes it.
func TestEditIsResumed(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "?open=knockouts/3")
	d.form.Set("row.message", "Typed on Monday")
	d.press("close:")
	b.clock.advance(13 * time.Hour) // the session ends
	other := b.newBrowser()
	other.email, other.password = b.email, b.password
	other.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	again := other.reopen(id, "")
	again.page.has("Typed on Monday", "You continue the edit that you began")
	again.page.has("Discard all changes")
	other.get("/console/sandbox/policies/" + id).want(http.StatusOK).has("Continue your edit").hasNot("Typed on Monday")

	again.press("discard:").page.to("/console/sandbox/policies/" + id)
	other.reopen(id, "").page.hasNot("Typed on Monday", "You continue", "Discard all changes")
	other.get("/console/sandbox/policies/" + id).want(http.StatusOK).hasNot("Continue your edit")
}

// TestEditIsItsAuthors checks that only the author sees an edit, and only in its environment. Colleagues and other
// tenants do not see it.
func TestEditIsItsAuthors(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b := h.signUp()
	colleague := b.colleague(tenant.RoleRisk)
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "?open=knockouts/3")
	d.form.Set("row.message", "Typed by its author")
	d.press("close:").page.want(http.StatusOK).has("Typed by its author")
	mine := withoutFragment(d.at[0])
	colleague.get(mine).want(http.StatusOK).has("not in your working copy", "as it is stored").hasNot("Typed by")
	colleague.get(d.path).want(http.StatusOK).hasNot("Typed by", "not in your working copy")
	h.signUp().get(mine).want(http.StatusNotFound)
	b.get(strings.Replace(mine, "sandbox", "live", 1)).want(http.StatusNotFound)
	for _, strange := range []string{"-1", "99", "x", "18446744073709551616", "1e3"} {
		b.get(d.path+"?step="+strange).want(http.StatusOK).has("not in your working copy", "Typed by its author")
	}
}

// TestEditWarnsOfOthers checks that two people who edit the same policy are told about each other and about a version
// that was saved in the meantime. Neither of them sees the other's changes.
func TestEditWarnsOfOthers(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	colleague := b.colleague(tenant.RoleRisk)
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "?open=knockouts/3")
	d.form.Set("row.message", "Typed by the first")
	d.press("close:").page.hasNot("editing this policy too")
	// With scripts, the page takes the parts with the attribute data-live from the page of the step that it has stored.
	live := func() string {
		return b.between("/console/sandbox/policies/"+id+"/edit?step="+d.form.Get("step"), `data-live="others"`,
			`<p class="lead">`)
	}
	if strings.Contains(live(), "editing this policy too") {
		t.Error("the page warns of somebody before anybody else edits")
	}
	second := colleague.edit(id, "?open=knockouts/4")
	second.page.has(b.email + " is editing this policy too").hasNot("Typed by the first")
	second.form.Set("row.message", "Typed by the second")
	second.press("close:")
	if !strings.Contains(live(), colleague.email+" is editing this policy too") {
		t.Error("the warning reaches only a page that is loaded again")
	}
	b.reopen(id, "").page.has(colleague.email+" is editing this policy too").
		has("The same version").hasNot("Typed by the second", "was saved after you began")
	second.saved()
	if !strings.Contains(live(), "Version 3 was saved after you began") {
		t.Error("a newer version is named only on a page that is loaded again")
	}
	b.reopen(id, "").page.has("Version 3 was saved after you began").hasNot("editing this policy too")
	b.clock.advance(25 * time.Hour)
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	colleague.post("/console/signin", "email", colleague.email, "password", colleague.password)
	colleague.edit(id, "").page.hasNot("editing this policy too")
}

// TestEditIsUndone checks that each change can be undone and repeated, that steps which change nothing are skipped, and
// that values typed without pressing a button are not lost.
func TestEditIsUndone(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "")
	texts := []string{d.form.Get("document")}
	for _, act := range []string{"down:knockouts/0", "remove:knockouts/2", "remove:factors/1"} {
		d.press(act).press("check:").press("open:knockouts/0").press("cancel:")
		texts = append(texts, d.form.Get("document"))
	}
	for i := len(texts) - 2; i >= 0; i-- {
		if d.press("undo:"); d.form.Get("document") != texts[i] {
			t.Fatalf("undoing change %d gives another document", i+1)
		}
	}
	d.page.has(`id="undo-step" name="act" value="undo:" data-idle`).hasNot(`value="redo:" data-idle`)
	if d.press("undo:"); d.form.Get("document") != texts[0] {
		t.Error("undoing nothing changes the document")
	}
	for i := 1; i < len(texts); i++ {
		if d.press("redo:"); d.form.Get("document") != texts[i] {
			t.Fatalf("repeating change %d gives another document", i)
		}
	}

	d.form.Set("limit_step", "7000") // a typed value that no button has stored yet
	if d.press("undo:"); d.form.Get("document") != texts[3] {
		t.Error("undoing what was typed gives another document")
	}
	if d.press("redo:"); d.form.Get("limit_step") != "7000" {
		t.Errorf("what was typed before undoing is lost: %s", d.form.Get("limit_step"))
	}
}

// TestEditKeepsWhatIsTyped checks that the script stores typed values, that several values typed into one field become
// one step, and that equal steps are not stored twice.
func TestEditKeepsWhatIsTyped(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "?open=knockouts/3")
	var steps []string
	for _, typed := range []struct{ field, text string }{
		{"row.message", "T"}, {"row.message", "Typed"}, {"row.message", "Typed"}, {"row.reason_code", "LOW_INCOME"},
	} {
		d.form.Set(typed.field, typed.text)
		steps = append(steps, d.keep("f-"+typed.field))
	}
	if strings.Join(steps, " ") != "1 1 1 2" {
		t.Errorf("the steps are %v", steps)
	}
	again := b.reopen(id, "")
	again.page.has("Typed", `data-begin="f-row.reason_code"`, "Edit this knockout")
	if again.form.Get("row.reason_code") != "LOW_INCOME" || again.form.Get("row.message") != "Typed" {
		t.Errorf("the line has %v", again.form)
	}
	again.press("undo:")
	if again.form.Get("row.reason_code") == "LOW_INCOME" || again.form.Get("row.message") != "Typed" {
		t.Errorf("after undoing, the line has %v", again.form)
	}
	// Cancel restores the line as it was before anything was typed.
	whole := b.edit(id, "").form.Get("document")
	d = b.reopen(id, "?open=knockouts/3")
	d.form.Set("row.message", "Not meant")
	d.keep("f-row.message")
	if got := b.reopen(id, "").press("cancel:").form.Get("document"); got != whole {
		t.Error("cancelling a line that was typed into changes the document")
	}
	b.post(d.path+"/keep", "document", "{").want(http.StatusBadRequest)
}

// TestEditInTwoTabs checks that changes in one tab are not lost when the person continues in another tab that shows an
// earlier step.
func TestEditInTwoTabs(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	first, second := b.edit(id, "?open=knockouts/3"), b.reopen(id, "?open=knockouts/4")
	first.form.Set("row.message", "Typed in the first tab")
	first.press("close:")
	second.form.Set("row.message", "Typed in the second tab")
	second.press("close:").page.has("Later changes", "?step="+first.form.Get("step")).hasNot("Typed in the first tab")
	b.get(withoutFragment(first.at[0])).want(http.StatusOK).has("Typed in the first tab")
}

// TestEditIsBounded checks that a working copy has at most 200 steps, and that it expires.
func TestEditIsBounded(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "")
	for range 105 {
		d.press("down:knockouts/0")
		d.press("up:knockouts/1")
	}
	if d.stepOf() != 210 {
		t.Fatalf("the last step is %d", d.stepOf())
	}
	b.get(d.path + "?step=10").want(http.StatusOK).has("not in your working copy")
	b.get(d.path + "?step=11").want(http.StatusOK).hasNot("not in your working copy")
	// The steps before step 11 are deleted, so its change cannot be undone.
	b.get(d.path + "?step=11").has(`value="undo:" data-idle`)
	b.get(d.path + "?step=12").hasNot(`value="undo:" data-idle`)

	b.clock.advance(13 * 24 * time.Hour)
	b.service.Edits.Purge(t.Context())
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	b.reopen(id, "").page.has("You continue the edit")
	b.clock.advance(2 * 24 * time.Hour)
	b.service.Edits.Purge(t.Context())
	b.post("/console/signin", "email", b.email, "password", b.password).want(http.StatusSeeOther)
	b.reopen(id, "").page.hasNot("You continue the edit")
}

// TestEditsMakeRoom checks that a person has at most 20 working copies: a further one replaces the oldest.
func TestEditsMakeRoom(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	var ids []string
	for range 22 {
		ids = append(ids, b.draft(tenant.Sandbox, stricter))
		b.reopen(ids[len(ids)-1], "").press("down:factors/0")
	}
	mine, err := b.service.Edits.Mine(t.Context(), b.who(tenant.Sandbox))
	if err != nil || len(mine) != 20 || mine[0].RuleSetID != ids[21] || mine[19].RuleSetID != ids[2] {
		t.Errorf("%d working copies, %v", len(mine), err)
	}
}

// TestEditBeyondTheStorage checks that an edit is not lost if the environment has no storage left: the page contains
// the edit and says that it is not stored.
func TestEditBeyondTheStorage(t *testing.T) {
	t.Parallel()
	plans, err := tenant.DefaultPricePlans().WithStorage("free=1MiB")
	if err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, storetest.MigratedSQLite(t), store.Options{})
	b := houseOf(t, db, console.Options{}, usecase.Options{Plans: plans}).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "")
	noise := rand.New(rand.NewPCG(1, 2))
	for range 14 { // texts that cannot be compressed
		line := make([]byte, 180_000)
		for i := range line {
			line[i] = byte('a' + noise.IntN(26))
		}
		if d.page.status != http.StatusOK {
			break
		}
		d.form.Set("row.message", string(line))
		d.press("open:knockouts/3")
	}
	d.page.want(http.StatusConflict).has("These changes are not stored", "data-unsaved",
		"Save a draft before you leave")
}

// TestEditMovesALine checks that a line can be moved to any place of its section, and that other places are ignored.
func TestEditMovesALine(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "")
	order := func() (ids []string) {
		for _, k := range parse(t, d.form.Get("document")).Get("knockouts").Elements() {
			ids = append(ids, k.Get("id").Text())
		}
		return ids
	}
	before := order()
	d.press("move:knockouts/3/0")
	if after := order(); after[0] != before[3] || after[1] != before[0] || after[4] != before[4] {
		t.Errorf("%v became %v", before, after)
	}
	d.page.has(`data-begin="open-knockouts-0"`)
	for _, strange := range []string{
		"knockouts/0", "knockouts/0/999", "knockouts/0/-1", "nowhere/0/1", "knockouts/x/0", "",
	} {
		d.press("move:" + strange)
	}
	if d.press("move:knockouts/0/3"); !slices.Equal(order(), before) {
		t.Errorf("%v became %v", before, order())
	}
}

// TestEditGrid checks that the pricing bands can be edited as a grid, that a fault is shown in its cell, and that
// members which the grid does not show stay.
func TestEditGrid(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "")
	d.form.Set("grid.1.interest_rate", "13.75")
	d.form.Set("grid.1.max_limit", "₹8,00,000")
	saved := d.saved()
	band := b.stored(tenant.Sandbox, saved).Get("pricing_bands").Elements()
	before := b.stored(tenant.Sandbox, id).Get("pricing_bands").Elements()
	for i, now := range band {
		if i == 1 && (now.Get("interest_rate").Text() != "13.75" || now.Get("max_limit").Text() != "800000") {
			t.Errorf("the band has %s and %s", now.Get("interest_rate").Text(), now.Get("max_limit").Text())
		}
	}
	for i, was := range before {
		if i == 0 && was.Get("gst_pct").Text() == "" {
			t.Error("the band has no GST")
		}
	}
	d = b.edit(id, "")
	d.page.has(`name="grid.0.foir_cap" value="`, ` %" aria-label="FOIR cap of `)
	d.form.Set("grid.0.foir_cap", "47.5 %")
	d.form.Set("grid.1.foir_cap", "0.42")
	d.press("check:").page.has(`name="grid.0.foir_cap" value="47.5 %"`, `name="grid.1.foir_cap" value="42 %"`)
	typed, err := wire.Parse([]byte(d.form.Get("document")))
	if err != nil {
		t.Fatal(err)
	}
	for i, now := range typed.Get("pricing_bands").Elements() {
		if got := now.Get("foir_cap").Text(); i == 0 && got != "0.475" || i == 1 && got != "0.42" {
			t.Errorf("the cap of band %d is %s", i, got)
		}
	}
	d.form.Set("grid.0.foir_cap", "seven")
	d.press("check:").page.has(`name="grid.0.foir_cap" value="seven"`, `aria-invalid="true"`)
}

// TestEditEffect checks that the page describes the effect of an edit on recent applications in words, and that it
// shows no effect for a draft with faults.
func TestEditEffect(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	at := "/console/sandbox/policies/" + id + "/edit/effect"
	b.get(at).want(http.StatusOK).has("Nothing was decided with this policy")
	for _, ref := range []string{"A-1", "A-2", "A-3"} {
		b.decide(tenant.Sandbox, ref)
	}
	b.clock.advance(time.Second)
	b.get(at).want(http.StatusOK).has("No application is decided differently", "latest 3 applications")
	d := b.edit(id, "?open=knockouts/3")
	d.form.Set("row.condition_ast", `{"op":"lt","field":"monthly_income","value":90000}`)
	d.press("close:").page.has(`data-effect="` + at + `"`)
	b.get(at+"?step="+d.form.Get("step")).want(http.StatusOK).
		has("3 fewer approved", "3 more declined", "approved in total", "KO_MIN_INCOME hits 3 more",
			"Back to the editor")
	d.press("open:knockouts/3")
	d.form.Set("row.condition_ast", `{"op":"lt","field":"nothing","value":1}`)
	d.press("close:")
	b.get(at).want(http.StatusOK).has("The draft has faults").hasNot("approved in total")
	viewer := b.colleague(tenant.RoleViewer)
	viewer.get(at).want(http.StatusForbidden)
}

// TestEditEffectOfMany checks that the effect of an edit on many applications states the counts, the approved amount
// with its sign in lakh, and the rule, for an edit that declines and for one that approves more.
func TestEditEffectOfMany(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	const many = 60
	for i := range many {
		b.decide(tenant.Sandbox, fmt.Sprintf("A-%d", i))
	}
	b.clock.advance(time.Second)
	at := "/console/sandbox/policies/" + id + "/edit/effect"
	d := b.edit(id, "?open=knockouts/3")
	d.form.Set("row.condition_ast", `{"op":"lt","field":"monthly_income","value":90000}`)
	d.press("close:")
	shown := b.get(at+"?step="+d.form.Get("step")).want(http.StatusOK).
		has("latest 60 applications", "60 fewer approved", "60 more declined", "KO_MIN_INCOME hits 60 more")
	amount := regexp.MustCompile(`([+−])(₹[0-9.,]+ (?:L|Cr)) approved in total`)
	less := amount.FindStringSubmatch(html.UnescapeString(shown.body))

	stricter := d.saved()
	d = b.edit(stricter, "?open=knockouts/3")
	d.form.Set("row.condition_ast", `{"op":"lt","field":"monthly_income","value":15000}`)
	d.press("close:")
	shown = b.get("/console/sandbox/policies/"+stricter+"/edit/effect?step="+d.form.Get("step")).want(http.StatusOK).
		has("60 more approved", "60 fewer declined", "KO_MIN_INCOME hits 60 fewer")
	more := amount.FindStringSubmatch(html.UnescapeString(shown.body))
	if len(less) == 0 || len(more) == 0 || less[1] != "−" || more[1] != "+" || less[2] != more[2] {
		t.Errorf("the amounts are %q and %q", less, more)
	}
}

// TestLongActs checks that a browser cannot store long texts as the names of its actions, because these names are not
// counted as storage.
func TestLongActs(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "?open=knockouts/3")
	d.press("check:" + strings.Repeat("é", 50_000))
	d.form.Set("row.message", "Typed")
	d.keep(strings.Repeat("x", 50_000))
	for number := int64(1); number <= 2; number++ {
		step, err := b.service.Edits.Step(t.Context(), b.who(tenant.Sandbox), id, number)
		if err != nil || step.Number != number || len(step.Act) > 200 {
			t.Errorf("step %d of %d has an act of %d bytes: %v", number, step.Number, len(step.Act), err)
		}
	}
}

// TestLargeEdit checks that an edit that is too large to be opened again is not stored, so that the editor still opens.
func TestLargeEdit(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "")
	d.form.Set("document", `{"name":"large","required_fields":[`+strings.Repeat("1,", 170_000)+`1]}`)
	d.form.Set("act", "json:")
	b.send(d.path, d.form).want(http.StatusConflict).has("too large to be kept")
	b.get(d.path).want(http.StatusOK)
}
