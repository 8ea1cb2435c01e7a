//go:build !goexperiment.jsonv2

package evaluate

import (
	"encoding/json"

	"github.com/bytedance/sonic"
	goccy "github.com/goccy/go-json"
)

// libraries are the JSON libraries that people choose from. sonic compiles its
// decoders when it first meets a type, which is before anything is measured.
func libraries() []library {
	return []library{
		{JSON, json.Unmarshal},
		{Goccy, func(data []byte, into any) error { return goccy.Unmarshal(data, into) }},
		{Sonic, func(data []byte, into any) error { return sonic.ConfigStd.Unmarshal(data, into) }},
	}
}
