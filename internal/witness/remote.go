package witness

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"

	"verdict/internal/evidence"
)

// Remote reads a log from the service of a lender.
type Remote struct {
	url    string
	apiKey string // has the scope log:read
	client *http.Client
}

// requestTimeout is the timeout of a request to the service.
const requestTimeout = 30 * time.Second

// NewRemote returns the log that an API key belongs to. url is the address of the service. transport makes the
// connections; if it is nil, http.DefaultTransport does.
func NewRemote(url, apiKey string, transport http.RoundTripper) *Remote {
	return &Remote{
		url:    strings.TrimSuffix(url, "/"),
		apiKey: apiKey,
		client: &http.Client{
			Transport: transport,
			Timeout:   requestTimeout,
			// Follow no redirect, because the API key must not be sent to another server.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Checkpoint returns the last signed checkpoint of the log.
func (r *Remote) Checkpoint(ctx context.Context) ([]byte, error) {
	return r.send(ctx, http.MethodGet, "/v1/log/checkpoint", nil, maxRequest)
}

// Tree returns the tree of a checkpoint. It checks every hash that it reads.
func (r *Remote) Tree(ctx context.Context, c evidence.Checkpoint) *evidence.Tree {
	return evidence.NewTree(c.Size, c.Root, func(tiles []tlog.Tile) ([][]byte, error) {
		found := make([][]byte, len(tiles))
		for i, t := range tiles {
			hashes, err := r.send(ctx, http.MethodGet, tilePath(t), nil, evidence.TileWidth*tlog.HashSize)
			if err != nil {
				return nil, err
			}
			found[i] = hashes
		}
		return found, nil
	})
}

// maxEntries is the maximum size of a tile with entries, in bytes.
const maxEntries = evidence.TileWidth * (2 + 1<<16)

// errEntries is the error for entries that do not have the form of a log's entries.
var errEntries = errors.New("the service sends entries that cannot be read")

// Entries calls visit for the entries of a log of the given size, in order. The argument "from" is the number of
// the first entry to visit.
func (r *Remote) Entries(
	ctx context.Context, from, size int64, visit func(number int64, leaf []byte) error,
) error {
	for from < size {
		tile := from / evidence.TileWidth
		first := tile * evidence.TileWidth
		width := min(evidence.TileWidth, size-first)
		path := tilePath(tlog.Tile{H: 8, L: evidence.EntriesLevel, N: tile, W: int(width)})
		bundle, err := r.send(ctx, http.MethodGet, path, nil, maxEntries)
		if err != nil {
			return err
		}
		for number := first; number < first+width; number++ {
			if len(bundle) < 2 || len(bundle)-2 < int(binary.BigEndian.Uint16(bundle)) {
				return errEntries
			}
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			if number >= from {
				if err := visit(number, bundle[2:end]); err != nil {
					return err
				}
			}
			bundle = bundle[end:]
		}
		if len(bundle) > 0 {
			return errEntries
		}
		from = first + width
	}
	return nil
}

// AddCosignature gives the signature of a witness to the service.
func (r *Remote) AddCosignature(ctx context.Context, cosigned []byte, witnessKey string) error {
	body, err := json.Marshal(map[string]string{"checkpoint": string(cosigned), "witness_key": witnessKey})
	if err != nil {
		return err
	}
	_, err = r.send(ctx, http.MethodPost, "/v1/log/cosignatures", body, maxRequest)
	return err
}

// tilePath returns the path of a tile (C2SP tlog-tiles).
func tilePath(t tlog.Tile) string {
	path := strings.TrimPrefix(t.Path(), fmt.Sprintf("tile/%d/", t.H))
	if t.L == evidence.EntriesLevel {
		path = "entries/" + strings.TrimPrefix(path, "data/")
	}
	return "/v1/log/tile/" + path
}

// send sends a request and returns the body of the answer, at most limit bytes.
func (r *Remote) send(ctx context.Context, method, path string, body []byte, limit int64) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+r.apiKey)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s %s: the service answers %s%s", method, path, response.Status, problem(data))
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s %s: the answer is too large", method, path)
	}
	return data, nil
}

// problem returns the detail of a problem document, or "" if there is none.
func problem(body []byte) string {
	var p struct {
		Detail string `json:"detail"`
	}
	if json.Unmarshal(body, &p) != nil || p.Detail == "" {
		return ""
	}
	return fmt.Sprintf(": %.200q", p.Detail)
}
