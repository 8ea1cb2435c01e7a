//go:build goexperiment.jsonv2

package evaluate

import "encoding/json/v2"

// libraries returns only encoding/json/v2 in a program built with
// GOEXPERIMENT=jsonv2. In such a program encoding/json uses the code of version 2,
// so its times would differ. The experiment must not affect the other libraries
// either.
func libraries() []library {
	return []library{{JSONv2, func(data []byte, into any) error { return json.Unmarshal(data, into) }}}
}
