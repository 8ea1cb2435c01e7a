//go:build goexperiment.jsonv2

package evaluate

import "encoding/json/v2"

// decodeV2 is there when the program is built with GOEXPERIMENT=jsonv2.
func init() {
	decodeV2 = func(body []byte) *request {
		r := new(request)
		if err := json.Unmarshal(body, r); err != nil {
			panic(err) // the bodies are ours
		}
		return r
	}
}
