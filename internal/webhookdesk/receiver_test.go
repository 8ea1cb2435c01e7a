package webhookdesk_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"verdict/internal/operation"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/tenant"
	"verdict/internal/usecase"
	"verdict/internal/usecase/usecasetest"
	"verdict/internal/webhookdesk"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// before is the number of events that signing up causes. The tests number the later events from 1.
const before = 5

// received is an event that a receiver got.
type received struct {
	ID       string `json:"id"`
	Sequence int64  `json:"sequence"`
	Type     string `json:"type"`
	Data     struct {
		DecisionID string `json:"decision_id"`
		WebhookID  string `json:"webhook_id"`
	} `json:"data"`

	url    string
	header map[string]string
	body   []byte
}

// receiver takes the place of the network. The function answer returns the response to each request. If it is nil,
// the response has status 200.
type receiver struct {
	mu     sync.Mutex
	got    []received
	answer func(received) (status int, problem string)
}

func (r *receiver) post(_ context.Context, url string, header map[string]string, body []byte) (int, string) {
	e := received{url: url, header: header, body: body}
	if err := json.Unmarshal(body, &e); err != nil {
		return 500, ""
	}
	if e.Sequence > 0 { // not a test event
		e.Sequence -= before
	}
	r.mu.Lock()
	r.got = append(r.got, e)
	answer := r.answer
	r.mu.Unlock()
	if answer == nil {
		return 200, ""
	}
	return answer(e)
}

// answers sets what the receiver answers from now on.
func (r *receiver) answers(answer func(received) (int, string)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func always(status int) func(received) (int, string) {
	return func(received) (int, string) { return status, "" }
}

// take returns what was received since the last call.
func (r *receiver) take() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// sequences returns the sequence numbers of events, in the order of their arrival.
func sequences(events []received) string {
	var list []string
	for _, e := range events {
		list = append(list, fmt.Sprint(e.Sequence))
	}
	return strings.Join(list, " ")
}

// verify checks a signature as a receiver does.
func verify(t *testing.T, e received, secret tenant.Secret) bool {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret.Reveal(), "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.%s", e.header["webhook-id"], e.header["webhook-timestamp"], e.body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for signature := range strings.FieldsSeq(e.header["webhook-signature"]) {
		if signature == want {
			return true
		}
	}
	return false
}

// bench is a service whose webhooks send to a receiver.
type bench struct {
	*usecasetest.House
	receiver *receiver
	clock    *usecasetest.Clock
	db       *store.DB
}

func open(t *testing.T, db *store.DB) *bench {
	t.Helper()
	b := &bench{receiver: &receiver{}, clock: usecasetest.NewClock(), db: db}
	b.House = usecasetest.Open(t, db, usecase.Options{Now: b.clock.Now, Post: b.receiver.post})
	return b
}

// each runs a test on both databases.
func each(t *testing.T, test func(b *bench)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, db *store.DB) { test(open(t, db)) })
}

// node returns another node over the same database, with the same receiver.
func (b *bench) node() *usecase.Set {
	b.Helper()
	set, err := usecase.New(b.db, usecase.Options{
		Now: b.clock.Now, Post: b.receiver.post, PasswordCost: usecasetest.Cheap, MasterKey: usecasetest.MasterKey,
	})
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// create creates a webhook of the caller.
func (b *bench) create(types ...string) (webhookdesk.Webhook, tenant.Secret) {
	b.Helper()
	issued, err := b.Service.Webhooks.Create(b.Context(), b.Caller, webhookdesk.NewWebhook{
		Settings: webhookdesk.Settings{URL: "https://receiver.example/events", Types: types},
		After:    -1,
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	return issued.Webhook, issued.Secret
}

// decide stores decisions, each of which is an event.
func (b *bench) decide(n int) {
	b.Helper()
	for range n {
		b.Decided(b.T, usecasetest.Sample)
	}
}

// deliver lets a node send what is due, and returns what arrived.
func (b *bench) deliver() []received {
	b.Helper()
	if err := b.Service.Webhooks.Deliver(b.Context()); err != nil {
		b.Fatal(err)
	}
	return b.receiver.take()
}

// deliverAll lets a node send until nothing is due, and returns what arrived.
func (b *bench) deliverAll() (all []received) {
	b.Helper()
	for {
		got := b.deliver()
		if len(got) == 0 {
			return all
		}
		all = append(all, got...)
	}
}

// get returns a webhook of the caller.
func (b *bench) get(id string) webhookdesk.Webhook {
	b.Helper()
	hook, err := b.Service.Webhooks.Get(b.Context(), b.Caller, id)
	if err != nil {
		b.Fatal(err)
	}
	hook.LastSequence -= before
	return hook
}

// log returns the attempts of a webhook, oldest first.
func (b *bench) log(id string, failed bool) (all []webhookdesk.Delivery) {
	b.Helper()
	for list := (operation.List{Limit: 50, Ascending: true}); ; {
		page, err := b.Service.Webhooks.Deliveries(b.Context(), b.Caller, id, failed, list)
		if err != nil {
			b.Fatal(err)
		}
		for _, d := range page.Data {
			if d.Sequence > 0 {
				d.Sequence -= before
			}
			all = append(all, d)
		}
		if list.Cursor = page.NextCursor; list.Cursor == "" {
			return all
		}
	}
}

// redeliver sends a range of events again.
func (b *bench) redeliver(id string, from, to int64) error {
	b.Helper()
	return b.Service.Webhooks.Redeliver(b.Context(), b.Caller, id,
		webhookdesk.Redelivery{From: before + from, To: before + to}, nil)
}

// set changes the state of a webhook.
func (b *bench) set(id, state string) {
	b.Helper()
	change := func(s webhookdesk.Settings) webhookdesk.Settings {
		s.State = state
		return s
	}
	if _, err := b.Service.Webhooks.Change(b.Context(), b.Caller, id, change); err != nil {
		b.Fatal(err)
	}
}

// pass advances the clock.
func (b *bench) pass(d time.Duration) { b.clock.Pass(d) }
