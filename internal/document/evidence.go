package document

import (
	"time"

	"verdict/internal/evidencedesk"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/wire"
)

// ReadCosignature reads the signature of a witness.
func ReadCosignature(body wire.Value) (evidencedesk.NewCosignature, error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	var n evidencedesk.NewCosignature
	if f.Require("checkpoint", "the signed checkpoint with the line of the witness") {
		n.Checkpoint = text(&f, "checkpoint")
	}
	if f.Require("witness_key", "the public key of the witness") {
		n.WitnessKey = text(&f, "witness_key")
	}
	f.Done()
	return n, faults.Err()
}

// EncodeSeen answers 200 with the checkpoint that a witness has signed.
func EncodeSeen(s evidencedesk.Seen) operation.Answer {
	return operation.Answer{Status: operation.StatusOK, Body: encode(func(w *wire.Writer) {
		w.Object().Key("origin").String(s.Checkpoint.Origin).Key("size").Int(s.Checkpoint.Size)
		w.Key("witness").String(s.Witness).Key("seen_at").String(s.At.UTC().Format(time.RFC3339)).EndObject()
	})}
}
