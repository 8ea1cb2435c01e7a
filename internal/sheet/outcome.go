package sheet

// Outcome is how a loan turned out, as a cell states it.
type Outcome uint8

// The outcomes.
const (
	NoOutcome      Outcome = iota // the outcome is missing
	Good                          // the loan was paid
	Bad                           // the loan was not paid
	Indeterminate                 // neither: arrears that are too short for bad and too long for good
	UnknownOutcome                // the text is not a known spelling
)

// DefaultOutcomes returns the spellings of outcomes that are used if a caller gives
// none, in lower case.
func DefaultOutcomes() map[string]Outcome {
	known := map[string]Outcome{}
	for outcome, texts := range [...][]string{
		NoOutcome:     {"na", "n/a", "#n/a", "nan", "null"},
		Good:          {"0", "0.0", "good", "g", "false", "no", "n", "paid", "performing"},
		Bad:           {"1", "1.0", "bad", "b", "true", "yes", "y", "default", "defaulted"},
		Indeterminate: {"indeterminate", "indeterm", "indet", "indeterminant"},
	} {
		for _, text := range texts {
			known[text] = Outcome(outcome)
		}
	}
	return known
}
