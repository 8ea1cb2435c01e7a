//go:build !goexperiment.jsonv2

package evaluate

import (
	"encoding/json"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"
)

// libraries returns the usual JSON libraries. sonic compiles a decoder when it
// first decodes into a type, which happens before the measurement.
func libraries() []library {
	return []library{
		{JSON, json.Unmarshal},
		{Goccy, func(data []byte, into any) error { return goccy.Unmarshal(data, into) }},
		{Sonic, func(data []byte, into any) error { return sonic.ConfigStd.Unmarshal(data, into) }},
	}
}
