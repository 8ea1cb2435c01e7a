// Package load sends the service more requests than it can handle and measures
// the results. The rates rise up to saturation and beyond, and then return. It
// also measures what a tenant gets while others attack the service.
//
// A generator has two modes. In a closed loop, it keeps a number of connections
// busy and finds the rate at which the service is saturated. In an open loop,
// it sends requests at times that do not depend on any answer, and measures
// latency from the time when a request was due. If the server stalls, every
// request that should have been sent in the meantime counts as delayed, not
// only the request in progress.
//
// Memory does not grow with the number of requests: latencies are counted in
// buckets, and a request that finds no connection within its timeout is
// abandoned.
package load
