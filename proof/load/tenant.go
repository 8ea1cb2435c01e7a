package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// SignUp creates tenants and returns one key of each.
func SignUp(ctx context.Context, url string, tenants int) ([]string, error) {
	keys := make([]string, tenants)
	for i := range keys {
		body := fmt.Appendf(nil, `{"email":"load%d@example.in","org_name":"Load %d","password":"a long password"}`,
			i, i)
		var signed struct {
			Key string `json:"api_key"`
		}
		if err := call(ctx, http.MethodPost, url+"/api/signup", "", body, http.StatusCreated, &signed); err != nil {
			return nil, fmt.Errorf("sign up: %w", err)
		}
		keys[i] = signed.Key
	}
	return keys, nil
}

// used returns the usage of a key, by endpoint.
func used(ctx context.Context, url, key string) (map[string]int64, error) {
	var usage struct {
		ByEndpoint []struct {
			Endpoint string `json:"endpoint"`
			Count    int64  `json:"count"`
		} `json:"by_endpoint"`
	}
	if err := call(ctx, http.MethodGet, url+"/v1/usage", key, nil, http.StatusOK, &usage); err != nil {
		return nil, fmt.Errorf("read the usage: %w", err)
	}
	counts := map[string]int64{}
	for _, e := range usage.ByEndpoint {
		counts[e.Endpoint] = e.Count
	}
	return counts, nil
}

// listed counts the decisions of a key by reading all pages.
func listed(ctx context.Context, url, key string) (int64, error) {
	var n int64
	for cursor := ""; ; {
		var page struct {
			Data []json.RawMessage `json:"data"`
			List struct {
				Next string `json:"next_cursor"`
			} `json:"pagination"`
		}
		path := url + "/v1/decisions?limit=200"
		if cursor != "" {
			path += "&cursor=" + cursor
		}
		if err := call(ctx, http.MethodGet, path, key, nil, http.StatusOK, &page); err != nil {
			return n, fmt.Errorf("list the decisions: %w", err)
		}
		n += int64(len(page.Data))
		if cursor = page.List.Next; cursor == "" {
			return n, nil
		}
	}
}

// call sends one request and decodes its answer.
func call(ctx context.Context, method, url, key string, body []byte, want int, into any) error {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != want {
		return fmt.Errorf("the answer is %d: %s", response.StatusCode, data)
	}
	return json.Unmarshal(data, into)
}

// Account compares the stored data with the answers. Every answered request
// must be stored; a request without an answer may be stored or not. It returns
// the number of answered decisions and the violations.
func (g *Generator) Account(ctx context.Context, url string) (decisions int64, wrong []string, err error) {
	for i, key := range g.target.Keys {
		counts, err := used(ctx, url, key)
		if err != nil {
			return decisions, wrong, err
		}
		var least, most int64
		for _, kind := range []Kind{Decide, Evaluate} {
			stored, doubt := g.Answered(i, kind)
			least, most = least+stored, most+stored+doubt
			if n := counts[kind.Endpoint()]; n < stored || n > stored+doubt {
				wrong = append(wrong,
					fmt.Sprintf("tenant %d: %d of %s were answered, %d had no answer, and %d are billed",
						i, stored, kind.Endpoint(), doubt, n))
			}
		}
		n, err := listed(ctx, url, key)
		if err != nil {
			return decisions, wrong, err
		}
		if n < least || n > most {
			wrong = append(wrong, fmt.Sprintf(
				"tenant %d: %d decisions were answered, at most %d were sent, and %d are stored", i, least, most, n))
		}
		decisions += least
	}
	return decisions, wrong, nil
}
