// Package console is the tenant's console: pages for people, drawn on the
// server with html/template, working without scripts.
//
// It only draws and posts forms. Whoever is signed in is turned into a
// tenant.Principal, and everything is asked of the use-case rooms with it, as
// the API does with a key: who may do what, what is valid and what is written
// into the audit trail is settled there. Pages build the Go values that use cases
// take and show those that they return (ADR 22). Only the editor of a policy, whose
// working copy is a document, reads JSON.
//
// Console is the server: it routes and admits requests, knows the sessions and
// draws. The pages of each subject are a type of their own, which names the use
// cases that its pages call and lists the pages in its method routes:
//
//	signInPages     sign in and out, sign up, accept an invitation
//	accountPages    a person's own password and sessions
//	userPages       the organisation's people
//	overviewPages   where the console begins
//	decisionPages   decisions, features, reviews, referrals
//	fraudPages      alerts, block list, thresholds, pincode risk
//	runPages        what the agents did
//	scorecardPages  scorecards and their fitting
//	backtestPages   backtests and their comparison
//	policyPages     policies from draft to active
//	editorPages     the editor of a version
//	samplePages     a version tried on a sample
//	impactPages     what activating a version would change
//	keyPages        API keys
//	usagePages      what the tenant used
//	auditPages      the audit trail
//	referencePages  the description of the API
//
// # How to add a page
//
// 1. The handler, in a file named after the thing (decision.go): a method of
// its subject's pages that takes a *visit and returns an error.
//
//	func (p *decisionPages) list(v *visit) error {
//		filters := v.filters()                     // the query of the address
//		list := v.listing()                        // cursor, from and to
//		page, err := p.decisions.Decisions(v.ctx, v.caller(),
//			decisioning.DecisionFilter{Status: filters.Value("status")}, list)
//		if err != nil {
//			return err                             // 404, 403, 500, 503 in the frame
//		}
//		return v.render("decisions", "Decisions", struct {
//			Filters *form
//			Rows    []decisioning.DecisionSummary
//			Pager   pager
//		}{filters, page.Data, v.pager(page.NextCursor)})
//	}
//
// 2. Its line in routes. A new subject gets its line in Console.subjects
// (table.go) too:
//
//	func (p *decisionPages) routes() []page {
//		return []page{
//			{pattern: "GET /console/{env}/decisions", handle: p.list, scope: tenant.Read},
//			{pattern: "POST /console/{env}/decisions/{id}/review", handle: p.review, scope: tenant.Decide},
//		}
//	}
//
// {env} stands for sandbox and live; v.env says which. Other names in braces
// are read with v.id("id"). A body that is not a form has upload: true and is
// read by the handler from v.r.Body (http.NewResponseController(v.w) sets its
// deadlines). What the menu shows is listed in menu.go: an entry appears when
// there is a GET page with its path, so those of later parts are there already.
//
// 3. The template pages/decisions.html, which defines "content", and "scripts"
// if it needs a module of its own. Its dot is the view: .Data is what the
// handler gave, .Form the posted form, {{.At "/decisions"}} an address in this
// environment, {{.Live}}, {{.May "policy:write"}}, .Person. Inside range and
// with it is $.
//
//	{{define "content"}}
//	<div class="head"><h1>Decisions</h1><div class="acts">…</div></div>
//	<div class="table" role="region" aria-label="Decisions" tabindex="0"><table>…</table></div>
//	{{template "pager" .Data.Pager}}
//	{{end}}
//	{{define "scripts"}}<script type="module" src="{{asset "conditions.js"}}"></script>{{end}}
//
// The pieces (pieces/*.html): status, time, id, copyable, pager, empty, input,
// area, select, boxes, radios, confirm; each says above it what it takes. The
// functions (format.go): count, rupees, paise, moment, instant, short, words,
// sentence, badge, field, options, dict, list, figure (a chart.Picture with its table),
// asset. A picture's ID must be set where a page has several. A wire.Value can
// be used as it is: {{(.Data.Doc.Get "offer").Get "amount" | rupees}},
// {{range $i, $r := (.Data.Doc.Get "rules").Elements}}.
//
// 4. Styles go into the file of the page's part (assets/decision.css; parts in
// render.go says which pages it is for), inside its ":where(.of-decision)" and
// made of the custom properties of assets/console.css. What pages of several
// parts use goes into console.css. All stylesheets are served as one.
// There is no style attribute and no script in a page: the policy forbids
// both. A script is an ES module of its own in assets/ (no imports between
// them), and the page works without it.
//
// # Forms
//
// A form is posted to the address of its page or of its act. The handler reads
// v.form.Value("name"), Secret for a password, Values for boxes, and puts them into
// the value that the use case takes. Then:
//
//	if err != nil {
//		return v.again(err, p.decision)    // the same page with what was typed, and what was wrong beside it
//	}
//	return v.done("The review was added.", "/decisions/"+v.id("id"))
//
// A fault's JSON pointer names its field: /note is shown beside the field
// "note", and so is /note/0. done redirects (303) to a page of the same
// environment, which shows the message once. What arms or destroys something in
// live has {{template "confirm" .}} in its form and begins its handler with
// v.confirmed(); its button has the class "arms" or "danger". Other sites'
// forms never reach a handler, so there is no token to put into a form.
//
// # Tests
//
// house_test.go has the stack: newHouse(t) serves the console over SQLite,
// signUp gives a browser in which the admin of a new tenant is signed in and
// colleague one with another role; get and post return the page, want, has,
// hasNot and to look at it; decide stores a decision and who is the principal
// for use cases. page_test.go and frame_test.go visit every page and form of
// the table by themselves: drawn in both environments, no inline style or
// script, a session asked for, foreign forms refused.
package console
