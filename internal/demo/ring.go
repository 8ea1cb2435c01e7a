package demo

import (
	"context"
	"fmt"
	"time"

	"verdict/internal/frauddesk"
)

// ring is a group of applicants who share an entity, with the steps that are taken
// about it.
type ring struct {
	name  string
	size  int
	begin time.Duration             // time before the end at which the first applicant applies
	apart time.Duration             // time between two applications
	share func(a *applicant, i int) // sets the entity that the i-th applicant shares
	moves []move
}

// move is a change of the alert's state.
type move struct {
	before time.Duration
	step   frauddesk.AlertMove
}

// fraudRings returns the rings of every environment. Their alerts include every kind and every state.
func fraudRings(texts *Texts) []ring {
	return []ring{
		{
			name: "mules, confirmed", size: 5, begin: 14 * day, apart: 26 * time.Hour,
			share: func(a *applicant, i int) { a.account, a.home = "50100298765432", towns[14+i%2] },
			moves: []move{
				{8 * day, frauddesk.AlertMove{
					To:   "acknowledged",
					Note: "Five names, one account. The bank says it was opened in March.",
				}},
				{7 * day, frauddesk.AlertMove{To: "closed", Resolution: "confirmed_fraud", Note: texts.Note}},
			},
		},
		{
			name: "mules, back again", size: 1, begin: 5 * day, apart: time.Hour,
			share: func(a *applicant, _ int) { a.account = "50100298765432" },
		},
		{
			name: "mules, new", size: 3, begin: 3 * day, apart: 17 * time.Hour,
			share: func(a *applicant, i int) {
				a.account = "50100211223344"
				if i == 1 && texts.Reference != "" {
					a.ref = texts.Reference
				}
			},
		},
		{
			name: "one address", size: 8, begin: 5 * day, apart: 31 * time.Minute,
			share: func(a *applicant, i int) { a.ip, a.home = "49.36.77.10", towns[i%3] },
			moves: []move{{4 * day, frauddesk.AlertMove{
				To:   "acknowledged",
				Note: "A kiosk in Andheri; field visit on Friday.",
			}}},
		},
		{
			name: "a shared office", size: 6, begin: 11 * day, apart: 50 * time.Minute,
			share: func(a *applicant, _ int) { a.ip, a.home = "117.192.4.20", towns[3] },
			moves: []move{{10 * day, frauddesk.AlertMove{
				To:         "closed",
				Resolution: "false_positive",
				Note:       "A co-working space.",
			}}},
		},
		{
			name: "an agent everywhere", size: 22, begin: 2 * day, apart: 40 * time.Minute,
			share: func(a *applicant, i int) { a.agentID, a.home = "AG-41", towns[i%11] },
		},
		{name: "a chain", size: 6, begin: 6 * day, apart: 9 * time.Hour, share: shareInChain},
		{
			name: "a family's mailbox", size: 2, begin: 9 * day, apart: 5 * time.Hour,
			share: func(a *applicant, _ int) { a.email = "family@mail.example" },
			moves: []move{{8 * day, frauddesk.AlertMove{
				To:         "closed",
				Resolution: "false_positive",
				Note:       "Husband and wife.",
			}}},
		},
		{ // the usual number of applicants from this pincode, which makes the many applicants below unusual
			name: "few from one pincode", size: 5, begin: 29 * day, apart: 5 * day,
			share: func(a *applicant, _ int) { a.home = towns[4] },
		},
		{
			name: "many from one pincode", size: 30, begin: 20 * time.Hour, apart: 37 * time.Minute,
			share: func(a *applicant, _ int) { a.home = towns[4] },
		},
	}
}

// shareInChain sets the entity that the i-th of six applicants shares with the next one. No three share the same
// entity.
func shareInChain(a *applicant, i int) {
	switch i {
	case 0, 1:
		a.phone = "shared-phone-1"
	case 4, 5:
		a.phone = "shared-phone-2"
	}
	switch i {
	case 1, 2:
		a.account = "50100255667788"
	case 3, 4:
		a.account = "50100244556677"
	}
	if i == 2 || i == 3 {
		a.mobile = "9811122233"
	}
}

// rings schedules the applications of the fraud rings and the moves of their
// alerts.
func (d *envFill) rings() {
	for _, r := range fraudRings(&d.options.Texts) {
		for i := range r.size {
			d.ago(r.begin-time.Duration(i)*r.apart, "apply ("+r.name+")", func(ctx context.Context) error {
				a := d.crowd.next()
				if a.stated() { // an application with stated facts does not contain the shared entity
					a = d.crowd.next()
				}
				r.share(a, i)
				decided, err := d.apply(ctx, a)
				if err != nil {
					return err
				}
				// The alert about the shared entity comes first; an alert about the
				// ring comes last.
				if len(decided.AlertIDs) > 0 {
					d.alerts[r.name] = decided.AlertIDs[0]
				}
				return nil
			})
		}
		for _, m := range r.moves {
			d.ago(m.before, "look at an alert", func(ctx context.Context) error {
				return d.move(ctx, r.name, m.step)
			})
		}
	}
}

// move changes the state of the alert of a ring.
func (d *envFill) move(ctx context.Context, ring string, step frauddesk.AlertMove) error {
	id := d.alerts[ring]
	if id == "" {
		return fmt.Errorf("no alert was raised about %s", ring)
	}
	_, err := d.service.Fraud.MoveAlert(ctx, d.by(d.staff.meera), id, step)
	return err
}
