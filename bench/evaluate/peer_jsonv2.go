//go:build goexperiment.jsonv2

package evaluate

import "encoding/json/v2"

// libraries has encoding/json/v2 alone when the program is built with
// GOEXPERIMENT=jsonv2: encoding/json is then built on it and is another
// program, and the others need not bear the experiment.
func libraries() []library {
	return []library{{JSONv2, func(data []byte, into any) error { return json.Unmarshal(data, into) }}}
}
