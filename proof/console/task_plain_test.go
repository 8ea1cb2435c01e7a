package console_test

import (
	"fmt"
	"strings"
	"testing"

	"verdict/internal/demo/demotest"
)

// plainTasks does the essential tasks without scripts, with the keyboard on a phone and with the mouse on a desktop.
func (s *stage) plainTasks(t *testing.T) {
	for i, l := range lanes {
		if l.keys != (l.width < 1000) {
			continue
		}
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			w := s.worker(t, i, fmt.Sprintf("plain%d", i))
			w.plain = true
			w.Scripts(false)
			w.task("plain-sign-in", w.plainSignIn)
			w.task("plain-sample", w.plainSample)
			w.apply()
			w.task("plain-review", w.plainReview)
			w.task("plain-alert", w.closeAlert)
			w.task("plain-activate", w.plainActivate)
			w.task("plain-upload", w.plainUpload)
		})
	}
}

func (w *worker) plainSignIn() {
	w.Helper()
	w.signUp()
	w.Go("/console/sandbox")
	w.hand.Press("header details.me summary")
	w.follow("header form[action='/console/signout'] button")
	w.Sees("You are signed out")
	w.hand.Fill("[name=email]", w.email, "[name=password]", demotest.Password)
	w.follow("main form button")
	w.Sees("Overview")
}

func (w *worker) plainSample() {
	w.Helper()
	w.Go("/console/sandbox/decisions/new")
	w.hand.Fill("#f-score", "655")
	w.follow("main form button.primary")
	w.Sees("The sample was decided and stored.")
	w.FirstScreen(".outcome", ".headline")
}

func (w *worker) plainReview() {
	w.Helper()
	w.Go("/console/sandbox/referrals")
	w.follow(".waiting li:nth-child(2) a")
	w.Sees("T-R2")
	w.hand.Tick("#review [name=outcome][value=upheld]")
	w.hand.Fill("#review [name=reason_code]", "POLICY_UPHELD", "#review [name=note]", "Seen")
	w.follow("#review .primary")
	w.Sees("This referral is closed.")
}

func (w *worker) plainActivate() {
	w.Helper()
	w.Go("/console/sandbox/policies")
	w.follow("main .tile .big a")
	w.policy = w.At()
	w.Go(w.policy + "/edit#at-pricing_bands") // unfolds the section
	w.hand.Fill(rate, "12.25")
	w.follow(".desk button[value='save:']")
	w.hand.Fill("#activate [name=note]", "Without scripts")
	w.follow("#activate .arms")
	w.Sees("Deciding now")
	var saved bool
	if w.Ask(`document.querySelector("main").textContent.includes("12.25")`, &saved); !saved {
		w.Error("the active version does not have the typed rate")
	}
}

func (w *worker) plainUpload() {
	w.Helper()
	w.Go("/console/sandbox/backtests/new?from=file")
	w.hand.Fill("#f-outcome_column", "outcome")
	w.hand.Press("main form .fold summary")
	w.hand.Fill("#f-map", "cibil=score")
	w.Upload("#f-file", w.loans())
	w.follow("form[data-upload] .primary")
	w.Sees("Approval rate")
	if !strings.Contains(w.At(), "/backtests/bt_") {
		w.Errorf("the upload ended at %s", w.At())
	}
}
