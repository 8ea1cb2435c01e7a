package httpapi

import (
	"math"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"verdict/internal/fault"
	"verdict/internal/tenant"
)

// bucket names a rate limit.
type bucket string

const (
	noBucket     bucket = ""
	bucketSignup bucket = "signup"
	bucketRead   bucket = "read"
	bucketDecide bucket = "decide"
	bucketWrite  bucket = "write"

	bucketBacktest bucket = "backtest"

	bucketStranger bucket = "stranger" // requests without a key, of an address
	bucketProbe    bucket = "probe"    // GET /livez and /readyz, of an address
	bucketRefusal  bucket = "refusal"  // refusals without delay, of a tenant
)

// owner is whose bucket it is: a key, or an address.
type owner struct {
	bucket bucket
	who    string
}

// limit takes a token of the route's bucket, or refuses.
func (c *call) limit() error { return c.take(c.route.bucket) }

// take takes a token of one of the caller's buckets, or refuses.
func (c *call) take(from bucket) error {
	var rate tenant.Rate
	who := owner{from, c.caller.KeyID}
	rates := &c.caller.Plan.Rates
	switch from {
	case noBucket:
		return nil
	case bucketSignup:
		rate, who.who = c.api.options.SignupRate, c.api.address(c.r.RemoteAddr, c.r.Header["X-Forwarded-For"])
	case bucketWrite:
		rate = rates.Write
	case bucketBacktest:
		rate = rates.Backtest
	case bucketRead, bucketDecide:
		rate = rates.Decide
	}
	left, wait, ok := c.api.buckets.Take(who, rate, c.begun)
	window := int(rate.Window / time.Second)
	h := c.w.Header()
	name := strconv.Quote(string(from))
	next := max(wait.Seconds(), float64(window)/float64(max(rate.Allowance, 1))) // until a token comes in
	h["Ratelimit-Policy"] = []string{name + ";q=" + strconv.Itoa(rate.Allowance) + ";w=" + strconv.Itoa(window)}
	h["Ratelimit"] = []string{name + ";r=" + strconv.Itoa(left) + ";t=" + strconv.Itoa(int(math.Ceil(next)))}
	if ok {
		return nil
	}
	h["Retry-After"] = []string{strconv.Itoa(int(math.Ceil(wait.Seconds())))}
	return fault.New(fault.Limited, fault.CodeRateLimited,
		"too many requests; the Retry-After header says when to try again")
}

// address is where a request comes from, as far as can be trusted: the last
// address that no proxy of ours vouches for. Of IPv6 it is the network, since
// a household has more addresses than we have buckets.
func (a *API) address(remote string, forwarded []string) string {
	host, _, err := net.SplitHostPort(remote)
	if err != nil {
		host = remote
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	hops := strings.Split(strings.Join(forwarded, ","), ",")
	for i := len(hops) - 1; i >= 0 && a.trusts(at); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		at = next
	}
	at = at.Unmap().WithZone("")
	if at.Is6() {
		network, _ := at.Prefix(64)
		return network.String()
	}
	return at.String()
}

func (a *API) trusts(at netip.Addr) bool {
	at = at.Unmap()
	for _, network := range a.options.TrustedProxies {
		if network.Contains(at) {
			return true
		}
	}
	return false
}
