package webhookdesk_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"verdict/internal/store"
	"verdict/internal/store/storetest"
	"verdict/internal/webhookdesk"
)

// webhookTables are the tables that only webhooks use.
var webhookTables = []string{"webhooks", "webhook_retries", "webhook_ranges", "webhook_deliveries"}

// webhookRows returns the contents of webhookTables, by table and column.
func webhookRows(t *testing.T, databaseURL string) map[string]string {
	t.Helper()
	rows := map[string]string{}
	for name, content := range storetest.Dump(t, databaseURL) {
		if table, _, _ := strings.Cut(name, "."); slices.Contains(webhookTables, table) {
			rows[name] = string(content)
		}
	}
	return rows
}

// TestDeadReceiver checks that undelivered events cost decisions nothing: a decision changes no row of webhooks,
// however many events wait. A receiver that does not answer gets one request in each pass, and only the event of this
// request is moved to the retries.
func TestDeadReceiver(t *testing.T) {
	t.Parallel()
	storetest.EachURL(t, func(t *testing.T, databaseURL string) {
		t.Helper()
		b := open(t, storetest.Open(t, databaseURL, store.Options{}))
		b.receiver.answers(func(received) (int, string) { return 0, "timeout" })
		var hooks []string
		for range 3 {
			hook, _ := b.create()
			hooks = append(hooks, hook.ID)
		}
		b.decide(5)
		b.deliver()
		retries := b.get(hooks[0]).Retries
		for _, undelivered := range []int{20, 300} {
			before := webhookRows(t, databaseURL)
			b.decide(undelivered)
			if diff := cmp.Diff(before, webhookRows(t, databaseURL)); diff != "" || len(before) == 0 {
				t.Errorf("%d decisions change rows of webhooks (-before +after):\n%s", undelivered, diff)
			}
			b.pass(4 * time.Hour) // longer than any pause
			if got := b.deliver(); len(got) != len(hooks) {
				t.Errorf("with %d more events a pass sends %d requests to %d dead receivers", undelivered, len(got),
					len(hooks))
			}
			retries++ // the event that was sent
			for _, id := range hooks {
				if hook := b.get(id); hook.Retries != retries || hook.State != webhookdesk.Enabled {
					t.Errorf("with %d more events the webhook is %+v", undelivered, hook)
				}
			}
		}
	})
}

// TestFewEventsUntilReceiverAnswers checks that a pass reads few events until the receiver has accepted some, because a
// dead receiver gets one event only.
func TestFewEventsUntilReceiverAnswers(t *testing.T) {
	t.Parallel()
	each(t, func(b *bench) {
		hook, _ := b.create()
		b.decide(60)
		var counts []int
		for range 2 {
			counts = append(counts, len(b.deliver()))
		}
		b.receiver.answers(always(500))
		b.decide(60)
		b.deliver()
		b.receiver.answers(always(200))
		for range 2 {
			b.pass(4 * time.Hour) // longer than any pause
			counts = append(counts, len(b.deliver()))
		}
		// After the failed pass, the refused event is sent in addition to the new ones.
		if want := []int{20, 40, 20 + 1, 39}; !slices.Equal(counts, want) {
			b.Errorf("the passes send %v events, want %v", counts, want)
		}
		if got := b.get(hook.ID); got.LastSequence != 120 || got.Retries != 0 {
			b.Errorf("the webhook is %+v", got)
		}
	})
}
