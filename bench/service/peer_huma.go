package service

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// humaInput and humaOutput are an operation as huma wants it declared; the
// request is validated against the schema that it makes of the struct.
type (
	humaInput  struct{ Body Request }
	humaOutput struct{ Body *Answer }
)

// registerHuma is the bare handler on huma, with its defaults but for the
// pages it would serve besides.
func (b *bare) registerHuma(mux *http.ServeMux) {
	config := huma.DefaultConfig("Bench", "1")
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no "$schema" in answers: everybody writes the same bytes
	api := humago.New(mux, config)
	huma.Register(api, huma.Operation{OperationID: "preview", Method: http.MethodPost, Path: pathPreview},
		func(_ context.Context, in *humaInput) (*humaOutput, error) {
			n, err := b.number(&in.Body)
			if err != nil {
				return nil, huma.Error400BadRequest(err.Error())
			}
			a := b.previews[n]
			return &humaOutput{&a}, nil
		})
}
