package growth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"verdict/bench/board"
	"verdict/bench/measure"
	"verdict/bench/service"
)

// nodes measures how long a second node on the same PostgreSQL continues to decide with
// the previous policy after the first node has answered an activation.
func (e *environment) nodes(ctx context.Context, s *board.Section) (err error) {
	measure.Progress("growth, two nodes")
	url, err := e.postgres.Create(ctx, "nodes")
	if err != nil {
		return err
	}
	var both [2]*node
	for i := range both {
		if both[i], err = start(ctx, e.binary, url); err != nil {
			return err
		}
		//nolint:gocritic // Both nodes run until the contest ends.
		defer func() { err = errors.Join(err, both[i].stop()) }()
	}
	who, err := both[0].signUp(ctx)
	if err != nil {
		return err
	}
	var versions [2]string
	for i := range versions {
		if versions[i], err = draft(ctx, both[0], who.Key, fmt.Sprintf("version %d", i)); err != nil {
			return err
		}
	}
	var times []float64
	for i := range e.Activations {
		measure.Progress("growth, activation %d of %d", i+1, e.Activations)
		d, err := reach(ctx, both[0], both[1], who.Key, versions[i%2])
		if err != nil {
			return err
		}
		times = append(times, float64(d))
		// Vary the pause, so that activations come at different times after a refresh of
		// the other node's cache, which happens every half second.
		if err := pause(ctx, time.Duration(i*37%100)*time.Millisecond); err != nil {
			return err
		}
	}
	reached := board.Of(times...)
	t := board.Table{Head: []string{"two nodes on one PostgreSQL", "median", "least – most"}}
	t.Add(fmt.Sprintf("an activation reaches the other node (%d times)", e.Activations),
		reached.Show(board.Nanos), reached.Between(board.Nanos))
	t.Add("start to ready, new database", board.Nanos(float64(both[0].ready)))
	t.Add("start to ready, second node", board.Nanos(float64(both[1].ready)))
	s.Tables = append(s.Tables, t)
	s.AtMost("an activation reaches another node", "1 s, every time", board.Of(reached.Most), 1e9, board.Nanos)
	return nil
}

// draft creates a new version of the active policy and returns its id.
func draft(ctx context.Context, n *node, key, name string) (id string, err error) {
	data, err := n.ask(ctx, http.MethodPost, "/v1/rule-sets", key, fmt.Appendf(nil, `{"name":%q}`, name))
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(data, &made); err != nil || made.ID == "" {
		return "", fmt.Errorf("create a version: %s (%v)", data, err)
	}
	return made.ID, nil
}

// reach activates a version on one node and returns the time until the other node uses it
// for previews.
func reach(ctx context.Context, one, other *node, key, version string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if _, err := one.ask(ctx, http.MethodPost, "/v1/rule-sets/"+version+"/activate", key, []byte("{}")); err != nil {
		return 0, err
	}
	begun := time.Now()
	body := service.Bodies()[0]
	for {
		data, err := other.ask(ctx, http.MethodPost, "/v1/decisions/preview", key, body)
		if err != nil {
			return 0, err
		}
		at := time.Since(begun)
		var answer service.Answer
		if err := json.Unmarshal(data, &answer); err != nil {
			return 0, err
		}
		if answer.Policy.ID == version {
			return at, nil
		}
		if err := pause(ctx, time.Millisecond); err != nil {
			return 0, fmt.Errorf("the activation does not reach the other node: %w", err)
		}
	}
}
