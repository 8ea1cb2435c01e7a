// Package console is the tenant's console: pages for people, rendered on the
// server with html/template. They work without scripts.
//
// The package only renders pages and reads forms. It turns the person who is signed in into a tenant.Principal and
// calls the use cases with it, as the API does with a key. The use cases check permissions and validity and write the
// audit trail. Pages build the Go values that use cases take and show the values that use cases return (ADR 22). JSON
// is read only for policies, whose pages work on documents, and for a pasted sample request.
//
// Console is the server: it routes and admits requests, finds the session and
// renders pages. The pages of each subject are the methods of one type. The
// type names the use cases that its pages call, and its method routes lists the
// pages:
//
//	signInPages     sign in and out, sign up, accept an invitation
//	signOnPages     sign in through identity providers, link accounts with them
//	accountPages    a person's own password and sessions
//	factorPages     a person's second factor, the organisation's rule about it
//	userPages       the organisation's people
//	overviewPages   the start page
//	decisionPages   decisions, features, reviews, referrals
//	searchPages     the search box of every page
//	fraudPages      alerts, block list, thresholds, pincode risk
//	runPages        the runs of the agents
//	scorecardPages  scorecards and their fitting
//	backtestPages   backtests and their comparison
//	batchPages      batches that run as jobs
//	policyPages     policies from draft to active
//	editorPages     the editor of a version, with its working copy
//	samplePages     decide a sample application with a version, or store it in the sandbox
//	changePages     what changes for whom if a version is activated
//	impactPages     measure what activating a version would change
//	keyPages        API keys
//	listPages       lists of values
//	tablePages      lookup tables
//	offerPages      key facts statements, letters, the lender profile
//	webhookPages    webhooks and their deliveries
//	privacyPages    erasures, legal holds, retention periods
//	usagePages      the tenant's usage and quota
//	auditPages      the audit trail
//	referencePages  the description of the API
//
// # How to add a page
//
// 1. The handler, in a file named after the object that the page shows
// (decision.go): a method of its subject's pages that takes a *visit and
// returns an error.
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
// {env} matches sandbox and live; v.env is the environment of the request. Other names in braces are read with
// v.id("id"). A page that receives a file has upload: true, and its handler reads the body with newUpload, which also
// extends the deadlines. The entries of the menu are listed in menu.go. An entry appears if a GET page has its path.
//
// 3. The template pages/decisions.html, which defines "content", and "scripts"
// if it needs a module of its own. Its dot is the view: .Data is the value that
// the handler passed to render, .Form the posted form, {{.At "/decisions"}} an
// address in this environment, {{.Live}}, {{.May "policy:write"}}, .Person.
// Inside range and with, the view is $.
//
//	{{define "content"}}
//	<div class="head"><h1>Decisions</h1><div class="acts">…</div></div>
//	<div class="table" role="region" aria-label="Decisions" tabindex="0"><table>…</table></div>
//	{{template "pager" .Data.Pager}}
//	{{end}}
//	{{define "scripts"}}<script type="module" src="{{asset "condition.js"}}"></script>{{end}}
//
// The main pieces (pieces/*.html): status, time, id, copyable, pager, empty, input, area, select, boxes, radios,
// confirm; the comment above each piece lists its parameters. The functions (format.go): count, hours, rupees, paise,
// moment, instant, short, words, sentence, badge, gradeTone, field, options, dict, list, figure (a chart.Picture with
// its table), asset. If a page has several pictures, each picture needs an ID. A wire.Value can be used as it is:
// {{(.Data.Doc.Get "offer").Get "amount" | rupees}}, {{range $i, $r := (.Data.Doc.Get "rules").Elements}}.
//
// 4. Styles go into the file of the page's part (assets/decision.css; the
// variable parts in render.go lists the pages of each part), inside its
// ":where(.of-decision)", and use the custom properties of assets/console.css.
// Styles for pages of several parts go into console.css. All stylesheets are
// served as one. A page has no style attribute and no inline script, because
// the Content-Security-Policy forbids both. A script is an ES module of its own
// in assets/ (without imports of other modules), and the page works without it.
//
// # Forms
//
// A form is posted to the address of its page or of its action. The handler reads
// v.form.Value("name"), Secret for a password, Values for checkboxes, and puts them
// into the value that the use case takes. Then:
//
//	if err != nil {
//		return v.redraw(err, p.decision)    // the same page with the typed values and the faults beside them
//	}
//	return v.done("The review was added.", "/decisions/"+v.id("id"))
//
// A fault's JSON pointer names its field: a fault at /note or /note/0 is shown
// beside the field "note". done redirects (303) to a page of the same
// environment, which shows the message once. A form that activates or deletes
// something in live contains {{template "confirm" .}}, its handler first calls
// v.confirmed(), and its button has the class "arms" or "danger". Cross-origin
// forms are refused before any handler runs, so forms contain no CSRF token.
//
// # Tests
//
// house_test.go sets up the stack. newHouse(t) serves the console over SQLite.
// signUp returns a browser in which the admin of a new tenant is signed in;
// colleague returns one for a person with another role. get and post return the
// page; want, has, hasNot and to check it. decide stores a decision, and who is
// the principal for use cases. page_test.go and frame_test.go visit every page
// and form of the route table automatically. They check that each page renders
// in both environments, has no inline style or script, requires a session, and
// refuses cross-origin forms.
package console
