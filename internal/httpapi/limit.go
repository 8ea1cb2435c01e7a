package httpapi

import (
	"context"
	"math"
	"strconv"
	"time"

	"verdict/internal/fault"
	"verdict/internal/operation"
	"verdict/internal/serving"
	"verdict/internal/tenant"
)

// bucket is the name of a rate limit. takeToken writes the name into the RateLimit headers.
type bucket string

const (
	noBucket       bucket = ""
	bucketSignup   bucket = "signup"
	bucketRead     bucket = "read"
	bucketDecide   bucket = "decide"
	bucketWrite    bucket = "write"
	bucketBacktest bucket = "backtest"
	bucketRefusal  bucket = "refusal" // refusals of a tenant beyond this limit are delayed
)

// bucketOwner identifies one token bucket. id is the id of an API key, the
// address of a client for sign-up, or the id of a tenant for refusals.
type bucketOwner struct {
	bucket bucket
	id     string
}

// takeToken takes a token from one of the caller's buckets and sets the RateLimit
// headers. It refuses the request if the bucket is empty.
func (c *call) takeToken(from bucket) error { return c.takeTokens(from, 1, 0) }

// takeTokens does the same as takeToken for n tokens. If the bucket has fewer than n tokens, it takes none. taken
// is the number of tokens that the request has already taken.
func (c *call) takeTokens(from bucket, n, taken int) error {
	if from == noBucket {
		return nil
	}
	who, rate := c.bucketOf(from)
	left, wait, ok := c.api.buckets.TakeMany(who, rate, c.started, n)
	window := int(rate.Window / time.Second)
	h := c.response.header()
	name := strconv.Quote(string(from))
	next := max(wait.Seconds(), float64(window)/float64(max(rate.Allowance, 1))) // seconds until another token is added
	h["Ratelimit-Policy"] = []string{name + ";q=" + strconv.Itoa(rate.Allowance) + ";w=" + strconv.Itoa(window)}
	h["Ratelimit"] = []string{name + ";r=" + strconv.Itoa(left) + ";t=" + strconv.Itoa(int(math.Ceil(next)))}
	if ok {
		return nil
	}
	serving.SetRetryAfter(h, wait) // every answer with 429 has this header
	if n+taken > rate.Burst {
		return fault.New(fault.Limited, fault.CodeRateLimited,
			"the rate limit never allows this many items at once; send fewer, or send them as a stream")
	}
	return fault.New(fault.Limited, fault.CodeRateLimited,
		"too many requests; the Retry-After header says when to try again")
}

// waitForToken takes a token like takeToken, but waits for it. It sets no headers, because those of a stream
// are sent already. It returns the error of ctx if ctx ends first.
func (c *call) waitForToken(ctx context.Context, from bucket) error {
	who, rate := c.bucketOf(from)
	for {
		_, wait, ok := c.api.buckets.Take(who, rate, c.api.options.Now())
		if ok {
			return nil
		}
		if err := operation.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// bucketOf returns the caller's bucket for a rate limit, and the limit.
func (c *call) bucketOf(from bucket) (who bucketOwner, rate tenant.Rate) {
	who = bucketOwner{from, c.caller.KeyID}
	rates := &c.caller.Plan.Rates
	switch from {
	case bucketSignup:
		rate, who.id = c.api.options.SignupRate, c.address()
	case bucketWrite:
		rate = rates.Write
	case bucketBacktest:
		rate = rates.Backtest
	case bucketRead, bucketDecide:
		rate = rates.Decide
	}
	return who, rate
}
