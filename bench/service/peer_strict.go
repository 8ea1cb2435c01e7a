package service

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// The code below is written by hand, in the form that oapi-codegen generates for a
// "strict" net/http server. It has an interface of typed operations, a wrapper that
// decodes into the request object, and a response object that encodes itself. It checks
// no more than encoding/json does.

type previewRequestObject struct{ Body *Request }

type previewResponseObject interface {
	visitPreviewResponse(w http.ResponseWriter) error
}

type strictServer interface {
	preview(ctx context.Context, request previewRequestObject) (previewResponseObject, error)
}

type preview200 Answer

func (r preview200) visitPreviewResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // all contestants write without HTML escaping
	return e.Encode(r)
}

func registerStrict(mux *http.ServeMux, server strictServer) {
	handle := func(ctx context.Context, request any) (any, error) {
		typed, ok := request.(previewRequestObject)
		if !ok {
			return nil, fmt.Errorf("unexpected request type: %T", request)
		}
		return server.preview(ctx, typed)
	}
	mux.HandleFunc("POST "+pathPreview, func(w http.ResponseWriter, r *http.Request) {
		var body Request
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			http.Error(w, fmt.Sprintf("can't decode JSON body: %v", err), http.StatusBadRequest)
			return
		}
		response, err := handle(r.Context(), previewRequestObject{Body: &body})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if valid, ok := response.(previewResponseObject); ok {
			if err := valid.visitPreviewResponse(w); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
			}
		}
	})
}

type strictBare struct{ *bare }

func (b strictBare) preview(_ context.Context, request previewRequestObject) (previewResponseObject, error) {
	n, err := b.number(request.Body)
	if err != nil {
		return nil, err
	}
	return preview200(b.previews[n]), nil
}
