package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"verdict/internal/tenant"
)

// TestEditorStepsAreAddresses checks that every step of an edit has its own
// address, which can be requested again, so that the browser's back button
// posts nothing.
func TestEditorStepsAreAddresses(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "").press("open:knockouts/3")
	d.form.Set("row.message", "Typed first")
	d.press("close:").press("open:knockouts/3")
	d.form.Set("row.message", "Typed second")
	d.form.Set("row.reason_code", "low income")
	d.press("save:")
	if len(d.at) != 4 {
		t.Fatalf("%d of 4 steps have an address of their own: the others are answered to a form", len(d.at))
	}
	for i, want := range []string{"Edit this knockout", "Typed first", "Typed first", "cannot be saved yet"} {
		b.get(withoutFragment(d.at[i])).want(http.StatusOK).has(want)
	}
	b.get(withoutFragment(d.at[1])).hasNot("Typed second")
}

func TestEditorUndoesARemoval(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	for _, section := range []string{"knockouts", "adjustments", "factors", "pricing_bands", "conditions"} {
		first := b.edit(b.active(tenant.Sandbox), "")
		before := first.form.Get("document")
		for _, at := range []string{"/0", "/1"} {
			d := b.edit(b.active(tenant.Sandbox), "").press("remove:" + section + at)
			d.page.want(http.StatusOK).has("was removed", ">Undo<")
			if d.form.Get("document") == before {
				t.Errorf("%s%s is not removed", section, at)
			}
			d.form.Set("limit_step", "7000") // a later change is kept
			d.press("check:").press("restore:").page.want(http.StatusOK).hasNot("was removed").has(`value="7000"`)
			d.form.Set("limit_step", first.form.Get("limit_step"))
			if got := d.press("check:").form.Get("document"); got != before {
				t.Errorf("%s%s is not back where it was:\n%s", section, at, got)
			}
		}
	}
}

func TestEditorCancels(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	id := b.active(tenant.Sandbox)
	whole := b.edit(id, "").form.Get("document")
	for _, steps := range []string{"cancel:", "check: cancel:", "check: check: cancel:"} {
		d := b.edit(id, "?open=knockouts/3")
		d.page.has(">Cancel<")
		d.form.Set("row.message", "Not meant")
		for _, act := range strings.Fields(steps) {
			d.press(act)
		}
		d.page.want(http.StatusOK).hasNot("Edit this knockout", ">Cancel<")
		if got := d.form.Get("document"); got != whole {
			t.Errorf("after %s the document is another:\n%s", steps, got)
		}
	}
	d := b.edit(id, "").press("add:knockouts")
	d.form.Set("row.id", "KO_NOT_MEANT")
	d.press("check:").page.has("KO_NOT_MEANT")
	if d.press("cancel:"); d.form.Get("document") != whole {
		t.Error("a line that was added and cancelled stays")
	}
}

// TestEditorSaysWhatWasAnalysed checks that the editor does not report "no
// findings" for a policy that was not analysed.
func TestEditorSaysWhatWasAnalysed(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	// The default policy has notes, so an empty list of findings would mean
	// that the analysis has not run.
	d := b.edit(b.active(tenant.Sandbox), "").press("add:knockouts")
	d.page.want(http.StatusOK).has("not analysed").hasNot("nothing to object to", "no findings")
	d.form.Set("row.id", "KO_NEW")
	d.press("check:").page.has("The policy cannot be saved yet").
		hasNot("nothing to object to", "no findings", "found nothing")
}

// TestEditorResumesAfterSignIn checks that an edit sent after the session has
// ended is shown again when its author signs in, and to nobody else.
func TestEditorResumesAfterSignIn(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	colleague := b.colleague(tenant.RoleRisk)
	id := b.active(tenant.Sandbox)
	for _, act := range []string{"save:", "check:", "close:"} {
		d := b.edit(id, "?open=knockouts/3")
		d.form.Set("row.message", "Typed before the session ended")
		b.clock.advance(13 * time.Hour)
		d.form.Set("act", act)
		asked := b.send(d.path, d.form).
			want(http.StatusUnauthorized).has("Your session has ended", `name="kept"`).hasNot("Typed before")
		kept := fieldsOf(asked.body, "/console/signin")
		wrong := b.post("/console/signin", "email", b.email, "password", "not this one", "kept", kept.Get("kept"),
			"route", kept.Get("route")).
			want(http.StatusUnauthorized).has(kept.Get("kept"))
		kept = fieldsOf(wrong.body, "/console/signin")
		kept.Set("email", b.email)
		kept.Set("password", b.password)
		at := b.send("/console/signin", kept).want(http.StatusSeeOther).header.Get("Location")
		if !strings.HasPrefix(at, d.path+"?step=") {
			t.Fatalf("%s: signing in leads to %s", act, at)
		}
		b.get(withoutFragment(at)).
			want(http.StatusOK).has("Typed before the session ended",
			"Your edit is unchanged and not saved as a draft yet")

		// A colleague signs in with the form that the sign-in page has kept, and does not see the edit.
		kept.Set("email", colleague.email)
		kept.Set("password", colleague.password)
		other := b.newBrowser()
		at = other.send("/console/signin", kept).want(http.StatusSeeOther).header.Get("Location")
		if at != "/console" {
			t.Errorf("a colleague is led to %s", at)
		}
		other.get("/console/sandbox").want(http.StatusOK).has("belongs to another person").hasNot("Typed before")
	}
	if sets := b.stored(tenant.Sandbox, id); sets.Get("name").Text() == "" {
		t.Error("the version has lost its name")
	}
	b.get("/console/sandbox/policies").want(http.StatusOK).hasNot("version 3")
}

// TestEditorResumesAfterSigningOutElsewhere checks that an edit is not lost if
// its author has signed out in another tab of the same browser before sending
// it.
func TestEditorResumesAfterSigningOutElsewhere(t *testing.T) {
	t.Parallel()
	b := newHouse(t).signUp()
	d := b.edit(b.active(tenant.Sandbox), "?open=knockouts/3")
	d.form.Set("row.message", "Typed before signing out")
	d.form.Set("act", "close:")
	b.post("/console/signout").want(http.StatusSeeOther)
	if b.token() != "" {
		t.Fatal("the browser still has a session")
	}
	kept := fieldsOf(b.send(d.path, d.form).
		want(http.StatusUnauthorized).has("Your session has ended").body, "/console/signin")
	kept.Set("email", b.email)
	kept.Set("password", b.password)
	at := b.send("/console/signin", kept).want(http.StatusSeeOther).header.Get("Location")
	b.get(withoutFragment(at)).
		want(http.StatusOK).has("Typed before signing out", "Your edit is unchanged and not saved as a draft yet")
}

// TestKeptFormsLeadNowhereElse checks that a form kept by the sign-in page can
// be sent on only to the editor, and that the editor still checks the user's
// rights.
func TestKeptFormsLeadNowhereElse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	b, stranger := h.signUp(), h.signUp()
	viewer := b.colleague(tenant.RoleViewer)
	ids := map[*browser]string{stranger: stranger.who(tenant.Sandbox).UserID, viewer: viewer.who(tenant.Sandbox).UserID}
	id := b.active(tenant.Sandbox)
	d := b.edit(id, "")
	d.form.Set("act", "check:")
	b.clock.advance(13 * time.Hour)
	kept := fieldsOf(b.send(d.path, d.form).want(http.StatusUnauthorized).body, "/console/signin")
	for _, route := range []string{
		"", "/console/sandbox/policies/" + id + "/activate", "/console/nowhere/policies/" + id + "/edit",
		"//evil.example", d.path + "/x",
	} {
		kept.Set("route", route)
		kept.Set("email", b.email)
		kept.Set("password", b.password)
		h.newBrowser().send("/console/signin", kept).to("/console")
	}
	kept.Set("route", d.path)
	for _, damaged := range []string{"x", "AAAA", strings.Repeat("A", 100_000)} {
		kept.Set("kept", damaged)
		h.newBrowser().send("/console/signin", kept).to("/console")
	}
	for _, other := range []*browser{stranger, viewer} { // a form is sent as the user who signs in
		d.form.Set("author", ids[other])
		again := b.send(d.path, d.form).want(http.StatusUnauthorized)
		form := fieldsOf(again.body, "/console/signin")
		form.Set("email", other.email)
		form.Set("password", other.password)
		got := h.newBrowser().send("/console/signin", form)
		if got.status != http.StatusNotFound && got.status != http.StatusForbidden {
			t.Errorf("%s is answered with %d to %s", other.email, got.status, got.header.Get("Location"))
		}
	}
}
