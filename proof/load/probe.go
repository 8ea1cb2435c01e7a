package load

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// Probes repeatedly sends the requests of a load balancer and of a monitor,
// each on a new connection, and records their latency. The service must answer
// them even under overload.
type Probes struct {
	mu      sync.Mutex
	latency map[string]*Histogram
	wrong   []string
	stop    context.CancelFunc
	done    sync.WaitGroup
}

const probeEvery = 200 * time.Millisecond

// StartProbes starts the probes. A probe fails if it is not answered within
// timeout.
func StartProbes(ctx context.Context, timeout time.Duration, urls ...string) *Probes {
	return StartProbesFrom(ctx, "", timeout, urls...)
}

// StartProbesFrom starts the probes. They connect from the given address of this machine, or from any address if it is
// empty.
func StartProbesFrom(ctx context.Context, from string, timeout time.Duration, urls ...string) *Probes {
	p := &Probes{latency: map[string]*Histogram{}}
	ctx, p.stop = context.WithCancel(ctx)
	for _, url := range urls {
		h := &Histogram{}
		p.latency[url] = h
		p.done.Go(func() {
			tick := time.NewTicker(probeEvery)
			defer tick.Stop()
			client := &http.Client{Timeout: timeout, Transport: &http.Transport{
				DisableKeepAlives: true, DialContext: dialer(from, time.Time{}).DialContext,
			}}
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					p.ask(ctx, client, url, h)
				}
			}
		})
	}
	return p
}

func (p *Probes) ask(ctx context.Context, client *http.Client, url string, h *Histogram) {
	begun := time.Now()
	err := fetch(ctx, client, url)
	took := time.Since(begun)
	if ctx.Err() != nil {
		return // the probes were stopped in the meantime
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	h.Add(took)
	if err != nil {
		p.wrong = append(p.wrong, fmt.Sprintf("%s: %v", url, err))
	}
}

func fetch(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the answer is %d", response.StatusCode)
	}
	return nil
}

// Stop stops the probes and returns the latencies by URL and the failures.
func (p *Probes) Stop() (latency map[string]*Histogram, wrong []string) {
	p.stop()
	p.done.Wait()
	return p.latency, p.wrong
}
