package console_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"verdict/internal/backtest"
)

// find finds decisions by the beginning of a reference, sorts and saves filters, and downloads a list.
func (w *worker) find() {
	w.Helper()
	const list = "/console/sandbox/decisions"
	const apply = "form.filters .go .primary"
	w.Go(list)
	if w.hand.Keys() {
		w.Type("/")
		w.Holds(on(w, "#search", "#f-q"))
	}
	w.hand.Fill("#f-q", "T-D")
	w.follow(apply)
	w.listed("with the prefix T-D", "T-D3", "T-D2", "T-D1")

	w.Go(list)
	w.hand.Choose("#f-status", "REFERRED")
	w.hand.Press("form.filters .more summary")
	w.hand.Choose("#f-sort", "oldest")
	w.follow(apply)
	w.listed("referred, the oldest first", "T-R0", "T-R1", "T-R2", "T-R3")
	if w.hand.Keys() {
		w.Type("j")
		w.Type("j")
		w.Holds("main .picks tbody tr:nth-child(2) th a")
		w.Reach("main .picks tbody tr:last-child th a") // past all controls of the list
	}
	w.hand.Press(".saved summary")
	w.hand.Fill(".saved [name=name]", "Referred")
	w.follow(".saved .panel .primary")
	w.Sees("The filter was saved")
	w.follow(".saved li a")
	if at := w.At(); at != list+"?sort=oldest&status=REFERRED" {
		w.Errorf("the saved filter leads to %s", at)
	}
	file := w.Downloads(func() { w.hand.Press("main a[download]") })
	if lines := strings.Split(strings.TrimSpace(file), "\n"); len(lines) != 5 || !strings.Contains(lines[1], "T-R0") {
		w.Errorf("the file of 4 decisions is\n%s", file)
	}
	w.follow("[aria-label='Delete the filter Referred']")
	w.Sees("The filter was deleted")
}

// listed checks the references of the list of decisions. It ignores the order of a list that is filtered by a prefix.
func (w *worker) listed(what string, want ...string) {
	w.Helper()
	var got []string
	w.Ask(`[...document.querySelectorAll("main .picks tbody th a")].map(e => e.textContent)`, &got)
	if strings.Contains(what, "prefix") {
		slices.Sort(got)
		slices.Sort(want)
	}
	if !slices.Equal(got, want) {
		w.Errorf("%s: the list has %q, want %q", what, got, want)
	}
}

// several takes, releases and reviews several referrals together.
func (w *worker) several() {
	w.Helper()
	tick := func(rows ...int) {
		w.Helper()
		for _, row := range rows {
			w.hand.Tick(fmt.Sprintf(".waiting li:nth-child(%d) [name=decision]", row))
		}
		if n := w.count(".waiting [name=decision]:checked"); n != len(rows) {
			w.Errorf("%d referrals are selected, want %d", n, len(rows))
		}
	}
	w.Go("/console/sandbox/referrals")
	if w.hand.Keys() {
		for i, key := range []string{"j", "k"} {
			w.TypeTo(key)
			w.InWindow("#open h2")
			if n := w.count(fmt.Sprintf(".waiting li:nth-child(%d) [aria-current]", 2-i)); n != 1 {
				w.Errorf("%s does not lead to row %d", key, 2-i)
			}
		}
	}
	tick(1, 2, 3)
	w.follow("#several [value=take]")
	w.Sees("You now work on 3 of 3 referrals.")
	w.InWindow("#notice")
	w.hand.Choose("#f-by", "me")
	w.follow(".waiting .filters button")
	if n := w.count(".waiting li"); n != 3 {
		w.Errorf("%d referrals are taken, want 3", n)
	}
	tick(1)
	w.follow("#several [value=release]")
	w.Sees("1 of 1 referrals were released.")
	tick(1, 2)
	w.hand.Press("#several summary")
	w.hand.Tick("#several [name=outcome][value=upheld]")
	w.hand.Fill("#several-code", "POLICY_UPHELD", "#several-note", "Seen together")
	if n := w.count(".waiting [name=decision]:checked"); n != 2 {
		w.Errorf("%d referrals are still selected, want 2", n)
	}
	w.follow("#several [value=review]")
	w.Sees("The review was added to 2 referrals.")
	if n := w.count(".waiting li"); n != 2 {
		w.Errorf("%d referrals are left, want 2", n)
	}
}

// closeAlert acknowledges and closes the alert about the ring.
func (w *worker) closeAlert() {
	w.Helper()
	w.Go("/console/sandbox/fraud")
	w.hand.Choose("#f-type", "ring")
	w.follow("form.filters .primary")
	w.follow("main tbody a[href*='/fraud/alerts/alr_']")
	w.FirstScreen(on(w, []string{".bench .ring h2", ".bench .aside h2"}, []string{".bench .ring h2"})...)
	w.hand.Fill("#f-note-acknowledge", "Looking into it")
	w.follow("form[action$='/acknowledge'] button")
	w.Sees("Looking into it")
	w.hand.Tick("[name=resolution][value=false_positive]")
	w.hand.Fill("#f-note", "They are one family")
	w.follow("form[action$='/close'] button")
	w.Sees("They are one family")
	if n := w.count("form[action$='/close']"); n > 0 {
		w.Error("a closed alert can be closed again")
	}
}

// loans writes a file of applications whose column of scores has another name, and returns its path.
func (w *worker) loans() string {
	w.Helper()
	book := backtest.Book{Seed: 11}
	header := strings.Replace(","+strings.Join(book.Header(), ",")+",", ",score,", ",cibil,", 1)
	file := filepath.Join(w.TempDir(), "loans.csv")
	rows := append([]byte(strings.Trim(header, ",")+"\n"), book.Append(nil, 1, 60)...)
	if err := os.WriteFile(file, rows, 0o600); err != nil {
		w.Fatal(err)
	}
	return file
}

// mappedUpload uploads a CSV file, maps a column beside its first rows, and reads the report.
func (w *worker) mappedUpload() {
	w.Helper()
	w.Go("/console/sandbox/backtests/new?from=file")
	if w.hand.Keys() {
		w.Reach("#f-file") // Enter would open a window of the system, which the browser fills by itself
	}
	w.Upload("#f-file", w.loans())
	w.Sees("First 5 rows")
	w.hand.Choose("[data-column=cibil]", "score")
	if got := w.value("#f-map") + " " + w.value("#f-outcome_column"); got != "cibil=score outcome" {
		w.Errorf("the columns are mapped as %q", got)
	}
	w.Fits(w.look)
	w.follow("form[data-upload] .primary")
	w.Sees("Approval rate")
}
