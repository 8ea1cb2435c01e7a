package operation

import "verdict/internal/fault"

// maxChanges limits how often RetryChange tries. Whenever one caller loses the race, another has
// stored a version, so this many callers can change one document at the same time.
const maxChanges = 100

// RetryChange changes a versioned document. The function try reads the document, computes the change outside of a
// transaction, and stores the result only if the version is still the one that it read. If the transaction finds
// another version, the function returns true for lost, and the refusal as err. RetryChange then calls it again, a
// limited number of times.
func RetryChange(try func() (lost bool, err error)) error {
	var err error
	for range maxChanges {
		var lost bool
		if lost, err = try(); !lost {
			break
		}
	}
	return err
}

// IsLost reports whether a transaction refused to store a version because the latest version was
// not the expected one.
func IsLost(err error) bool { return fault.KindOf(err) == fault.Precondition }
