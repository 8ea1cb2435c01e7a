package service

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// humaInput and humaOutput declare an operation for huma, which derives a schema from
// the struct and validates requests against it.
type (
	humaInput  struct{ Body Request }
	humaOutput struct{ Body *Answer }
)

// registerHuma registers the bare handler with huma and its default settings, without
// the documentation pages.
func (b *bare) registerHuma(mux *http.ServeMux) {
	config := huma.DefaultConfig("Bench", "1")
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no "$schema" in answers: all contestants write the same bytes
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
