package operation

import (
	"strings"

	"verdict/internal/store"
)

// MaxReference is the maximum length of the reference of an applicant, in bytes.
const MaxReference = 256

// IsReplacement reports whether a reference has the form of the text that replaces the reference of an erased
// person: in decisions and runs, or in the counters of fraud. Nothing that is stored under such a text can be
// erased: the rows have no documents, and another replacement would contradict their entries in the journal.
func IsReplacement(reference string) bool {
	return isHash(reference, store.ErasedPrefix, 64) || isHash(reference, KeyedPrefix, 32)
}

// isHash reports whether a reference is a prefix and a number of hexadecimal digits.
func isHash(reference, prefix string, digits int) bool {
	hash, found := strings.CutPrefix(reference, prefix)
	return found && len(hash) == digits && strings.Trim(hash, "0123456789abcdef") == ""
}
