package httpapi

import (
	"math"
	"strconv"
	"time"

	"verdict/internal/fault"
	"verdict/internal/serving"
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

	bucketRefusal bucket = "refusal" // refusals without delay, of a tenant
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
		rate, who.who = c.api.options.SignupRate, c.address()
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
	serving.SetRetryAfter(h, wait)
	return fault.New(fault.Limited, fault.CodeRateLimited,
		"too many requests; the Retry-After header says when to try again")
}
