package document

import (
	"verdict/internal/exposuredesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// ReadExposure reads the state of a loan. The use case checks which members are required.
func ReadExposure(body wire.Value) (n exposuredesk.NewReport, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	n.ApplicantRef, n.DecisionID = text(&f, "applicant_ref"), text(&f, "decision_id")
	n.Loan.Product = text(&f, "product")
	n.Loan.OutstandingPaise, n.HasOutstanding = f.Decimal("outstanding", 2, 0, exposuredesk.MaxAmountPaise)
	n.Loan.EMIPaise, _ = f.Decimal("emi", 2, 0, exposuredesk.MaxAmountPaise)
	n.Loan.DPD, _ = f.Decimal("dpd", 0, 0, exposuredesk.MaxDPD)
	n.Closed = f.Bool("closed", false)
	f.Done()
	return n, faults.Err()
}

// EncodeExposure answers 200 with an exposure that was reported.
func EncodeExposure(e exposuredesk.Exposure) operation.Answer {
	return answer(operation.StatusOK, func(w *wire.Writer) { WriteExposure(w, e) })
}

// WriteExposure writes an exposure.
func WriteExposure(w *wire.Writer, e exposuredesk.Exposure) {
	w.Object().Key("id").String(e.ID).Key("applicant_ref").String(e.ApplicantRef)
	orNull(w, "decision_id", e.DecisionID)
	orNull(w, "product", e.Loan.Product)
	w.Key("outstanding").Decimal(e.Loan.OutstandingPaise, 2).Key("emi").Decimal(e.Loan.EMIPaise, 2)
	w.Key("dpd").Int(e.Loan.DPD).Key("closed").Bool(e.Closed())
	w.Key("created_at").String(operation.Clock(e.CreatedMicros))
	w.Key("updated_at").String(operation.Clock(e.UpdatedMicros))
	timeOrNull(w, "closed_at", e.ClosedMicros)
	writeInputWarnings(w, e.Warnings)
	w.EndObject()
}
