//nolint:thelper // what eachCluster runs is the test itself: a failure belongs to its own line
package privacydesk_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"verdict/internal/document"
	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/privacydesk"
)

// TestRepeatedAfterInterruption stops an erasure with an Idempotency-Key in the middle, before its answer is stored.
// Repetitions get the receipt, whether another node has completed the erasure or not.
func TestRepeatedAfterInterruption(t *testing.T) {
	t.Parallel()
	for name, complete := range map[string]func(*cluster){
		"completed by another node": func(c *cluster) {
			if n, err := c.nodes[1].Privacy.Resume(c.Context()); n != 1 || err != nil {
				c.Fatalf("completed %d, %v", n, err)
			}
		},
		"not completed": func(*cluster) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachCluster(t, func(t *testing.T, c *cluster) {
				// send sends the request with a key and a hash of its body, and returns the answer.
				send := func(ctx context.Context, key, hash string) (operation.Answer, error) {
					reply := &operation.Reply[privacydesk.Erasure]{
						Idempotency: &operation.Idempotency{Route: "POST /v1/erasures", Key: key, Hash: hash},
						Encode:      document.EncodeErasure,
					}
					done, err := c.nodes[0].Privacy.Erase(ctx, c.Caller,
						privacydesk.NewErasure{ApplicantRef: "A-long", Reason: "consent_withdrawn"}, reply)
					if err != nil {
						return operation.Answer{}, err
					}
					return reply.Answer(done), nil
				}
				for range 3 {
					c.decide(0, "A-long")
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				c.nodes[0].Privacy.SetBatch(1, cancel)
				if _, err := send(ctx, "k", "h"); err == nil {
					t.Fatal("the erasure was not interrupted")
				}
				c.nodes[0].Privacy.SetBatch(100, func() {})
				complete(c)

				first, err := send(t.Context(), "k", "h")
				if err != nil {
					t.Fatal(err)
				}
				page, err := c.Service.Privacy.Erasures(t.Context(), c.Caller, operation.List{Limit: 10})
				if err != nil || len(page.Data) != 1 || page.Data[0].State != privacydesk.Completed ||
					page.Data[0].Counts.Decisions != 3 {
					t.Fatalf("the erasures are %+v, %v", page.Data, err)
				}
				if want := document.EncodeErasure(page.Data[0]); first.Replayed ||
					string(first.Body) != string(want.Body) {
					t.Errorf("the repetition is answered with %s, want %s", first.Body, want.Body)
				}
				c.clock.Pass(23 * time.Hour)
				again, err := send(t.Context(), "k", "h")
				if err != nil || !again.Replayed || string(again.Body) != string(first.Body) {
					t.Errorf("the second repetition: %s, %v", again.Body, err)
				}
				if _, err := send(t.Context(), "k", "other"); fault.CodeOf(err) != fault.CodeIdempotencyKeyReused {
					t.Errorf("the key with another body: %v", err)
				}
				if _, err := send(t.Context(), "other", "h"); fault.KindOf(err) != fault.NotFound {
					t.Errorf("another key: %v", err)
				}
				c.clock.Pass(25 * time.Hour) // the key is free again
				if _, err := send(t.Context(), "k", "h"); fault.KindOf(err) != fault.NotFound {
					t.Errorf("the key after a day: %v", err)
				}
			})
		})
	}
}

// TestSameRequestOnTwoNodes sends a request twice with one Idempotency-Key. The second node looks for a stored
// answer before the first node stores one. The operation on the second node is then refused, because the first node
// has already changed the data. The second node must return the answer of the first node.
func TestSameRequestOnTwoNodes(t *testing.T) {
	t.Parallel()
	eachCluster(t, func(t *testing.T, c *cluster) {
		c.decide(0, "A-1")
		send := func(node int, route string, late bool,
			do func(*operation.Reply[privacydesk.Hold]) (privacydesk.Hold, error),
		) operation.Answer {
			reply := &operation.Reply[privacydesk.Hold]{
				Idempotency: &operation.Idempotency{Route: route, Key: "k", Hash: "h", LookedUp: late},
				Encode:      document.EncodeHold,
			}
			h, err := do(reply)
			if err != nil {
				t.Fatalf("%s on node %d: %v", route, node, err)
			}
			return reply.Answer(h)
		}
		var id string
		for node, late := range []bool{false, true} {
			a := send(node, "POST /v1/legal-holds", late,
				func(r *operation.Reply[privacydesk.Hold]) (privacydesk.Hold, error) {
					h, err := c.nodes[node].Privacy.PlaceHold(t.Context(), c.Caller,
						privacydesk.NewHold{ApplicantRef: "A-1", Reason: "litigation"}, r)
					if id == "" {
						id = h.ID
					}
					return h, err
				})
			if a.Replayed != late || !strings.Contains(string(a.Body), id) {
				t.Errorf("placing it on node %d: %s", node, a.Body)
			}
		}
		for node, late := range []bool{false, true} {
			a := send(node, "POST /v1/legal-holds/{id}/release", late,
				func(r *operation.Reply[privacydesk.Hold]) (privacydesk.Hold, error) {
					return c.nodes[node].Privacy.ReleaseHold(t.Context(), c.Caller, id, r)
				})
			if a.Replayed != late || !strings.Contains(string(a.Body), id) {
				t.Errorf("releasing it on node %d: %s", node, a.Body)
			}
		}
	})
}
