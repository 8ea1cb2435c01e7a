package webhookdesk

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"verdict/internal/eventdesk"
	"verdict/internal/operation"
	"verdict/internal/store"
)

// Options configures a Service.
type Options struct {
	// Post sends a request and returns the status of the response. If there was none,
	// status is 0 and problem says why. If Post is nil, Run and Test send nothing, and
	// Deliver must not be called.
	Post func(ctx context.Context, url string, header map[string]string, body []byte) (status int, problem string)
	// Encode returns the body of an event, and EncodeTest the body of a test event.
	Encode     func(eventdesk.Event) []byte
	EncodeTest func(TestEvent) []byte
	// Jitter returns a random number from 0 to 1 (default: math/rand/v2.Float64).
	Jitter func() float64
}

// The limits of a tenant, both environments together, and of one webhook.
const (
	MaxWebhooks   = 20
	maxDeliveries = 10 // deliveries of a tenant at the same time
	maxEach       = 5  // deliveries to one webhook at the same time
)

// Service serves and runs webhooks. It is safe for concurrent use.
type Service struct {
	core    *operation.Core
	events  *eventdesk.Service
	options Options
	owner   string // names this process in leases

	mu      sync.Mutex
	running map[hookName]bool        // the webhooks for which this process is sending
	resting map[hookName]time.Time   // webhooks that are skipped until a time
	healthy map[hookName]bool        // webhooks whose last pass in this process did not fail
	tenants map[string]chan struct{} // for each tenant with deliveries, the channel that limits their number
	users   map[string]int           // how many callers of slots use the channel of a tenant
	passes  sync.WaitGroup
	wake    chan struct{}
}

// hookName names a webhook.
type hookName struct {
	scope store.ScopeName
	id    string
}

// New returns a Service over the database of core that sends the events of the service events. It sends them only while
// Run runs. New fails only if core.Random does, which names this process.
func New(core *operation.Core, events *eventdesk.Service, o Options) (*Service, error) {
	if o.Jitter == nil {
		o.Jitter = rand.Float64
	}
	owner, err := ownerOf(core)
	if err != nil {
		return nil, err
	}
	return &Service{
		core:    core,
		events:  events,
		options: o,
		owner:   owner,
		running: map[hookName]bool{},
		resting: map[hookName]time.Time{},
		healthy: map[hookName]bool{},
		tenants: map[string]chan struct{}{},
		users:   map[string]int{},
		wake:    make(chan struct{}, 1),
	}, nil
}

// ownerOf returns the name of this process in leases. On SQLite there is only one process, so its name never changes:
// after a restart the process still holds its earlier leases and need not wait until they end.
func ownerOf(core *operation.Core) (string, error) {
	if core.DB != nil && core.DB.Embedded() {
		return "the only process", nil
	}
	var id [16]byte
	if _, err := io.ReadFull(core.Random, id[:]); err != nil {
		return "", fmt.Errorf("name this process: %w", err)
	}
	return hex.EncodeToString(id[:]), nil
}

// slots returns the channel that limits the deliveries of a tenant. The caller must call done when it no longer
// uses the channel.
func (s *Service) slots(tenantID string) (slots chan struct{}, done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users[tenantID]++; s.tenants[tenantID] == nil {
		s.tenants[tenantID] = make(chan struct{}, maxDeliveries)
	}
	return s.tenants[tenantID], func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users[tenantID]--; s.users[tenantID] == 0 {
			delete(s.tenants, tenantID)
			delete(s.users, tenantID)
		}
	}
}
