package service

import (
	"encoding/json"
	"fmt"

	"verdict/internal/application"
	"verdict/internal/engine"
	"verdict/internal/field"
	"verdict/internal/wire"
)

// Request is the body of a decision request, as a client would declare it.
type Request struct {
	Applicant struct {
		ID              string  `json:"id"`
		Age             int     `json:"age"`
		EmploymentType  string  `json:"employment_type"`
		MonthlyIncome   float64 `json:"monthly_income"`
		FOIR            float64 `json:"foir"`
		RequestedAmount float64 `json:"requested_amount"`
		TenureMonths    int     `json:"tenure_months"`
	} `json:"applicant"`
	BureauReport struct {
		Score            int     `json:"score"`
		Enquiries6m      int     `json:"enquiries_6m"`
		ActiveTradelines int     `json:"active_tradelines"`
		MaxDPD12m        int     `json:"max_dpd_12m"`
		WrittenOff36m    int     `json:"written_off_36m"`
		SuitOrWilful     bool    `json:"suit_or_wilful"`
		OverdueAmount    float64 `json:"overdue_amount"`
	} `json:"bureau_report"`
}

// bookSize is the number of different requests. It is large enough that the branch
// predictor cannot memorize them, and small enough that each request is sent in every
// round.
const bookSize = 48

// book returns the requests, which are sent to every contestant in turn. The default
// policy approves most of them, declines some and refers some.
func book() []Request {
	list := make([]Request, bookSize)
	employment := []string{"SALARIED", "SALARIED", "SELF_EMPLOYED", "SALARIED", "SELF_EMPLOYED_PROFESSIONAL"}
	tenures := []int{24, 36, 48, 36}
	for i := range list {
		r := &list[i]
		a, b := &r.Applicant, &r.BureauReport
		a.ID = fmt.Sprintf("APP-%06d", i)
		a.Age, a.EmploymentType = 23+i*7%34, employment[i%len(employment)]
		a.MonthlyIncome = float64(28_000 + i*8_300%95_000)
		a.FOIR = float64(12+i*11%43) / 100
		a.RequestedAmount = float64(150_000 + i*70_000%650_000)
		a.TenureMonths = tenures[i%len(tenures)]
		b.Score = 690 + i*29%150
		b.Enquiries6m, b.ActiveTradelines = i*5%7, 2+i%6
		switch i % 12 {
		case 3:
			b.MaxDPD12m = 45
		case 7:
			b.Score, b.MaxDPD12m = 612, 75
		case 10:
			b.OverdueAmount = 4_200.50
		}
	}
	return list
}

// Bodies returns the requests of the book as JSON.
func Bodies() [][]byte {
	requests := book()
	list := make([][]byte, len(requests))
	for i := range requests {
		list[i] = must(json.Marshal(&requests[i]))
	}
	return list
}

// Sample is our service's answer to a request of the book, as a decision and as a
// preview, and the facts that it stores. The ids are as long as real ids.
type Sample struct {
	Decision, Preview, Facts []byte
	Status, Grade, Hash      string
}

// Samples decides the book with the default policy. The contestants that decide nothing
// use the samples as their answers, so that the answers have the same content and
// length as ours.
func Samples() []Sample {
	plan := engine.Compile(engine.DefaultPolicy(), field.Catalogue())
	envelope := engine.Envelope{
		TenurePointer: "/applicant/tenure_months",
		PolicyID:      EmptyPolicyID,
		PolicyVersion: 1,
		Environment:   "sandbox",
		ValidUntil:    "2026-11-18T18:29:59Z",
	}
	var list []Sample
	for _, body := range Bodies() {
		app := must(application.ReadDecision(must(wire.Parse(body)), application.Options{}))
		var d engine.Decision
		plan.Decide(app.Facts, &d)
		s := Sample{Status: d.Status.String(), Grade: d.Grade, Hash: d.Hash()}
		write := func(e engine.Envelope) []byte {
			e.Warnings = app.WarnAbsent(d.AbsentInputs())
			if !d.Offer.Made {
				e.ValidUntil = ""
			}
			var w wire.Writer
			d.Write(&w, &e)
			return w.Buf
		}

		decided, previewed := envelope, envelope
		decided.DecisionID, decided.CreatedAt = EmptyDecisionID, "2026-11-15T05:27:51.124Z"
		var w wire.Writer
		app.Facts.Write(&w)
		s.Facts = w.Buf
		s.Decision = write(decided)
		d.AddDerived(app.Facts)
		app.Facts.Change(field.Masked) // a preview masks identifiers
		previewed.Preview, previewed.Facts = true, app.Facts
		s.Preview = write(previewed)
		list = append(list, s)
	}
	return list
}

// emptyID replaces the 26 letters and digits of an id.
const emptyID = "00000000000000000000000000"

// The ids in samples.
const (
	EmptyDecisionID = "dec_" + emptyID
	EmptyPolicyID   = "pol_" + emptyID
)

// must returns its first argument. It panics if err is not nil, which only a mistake in the benchmark can cause.
func must[T any](value T, err error) T {
	if err != nil {
		panic(fmt.Sprintf("the benchmark's book: %v", err))
	}
	return value
}
