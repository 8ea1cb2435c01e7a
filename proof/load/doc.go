// Package load sends the service more requests than it can handle and measures
// the results. The rates rise up to saturation and beyond, and then return.
//
// There are two generators. The closed generator keeps a number of connections
// busy and finds the rate at which the service is saturated. The open generator
// sends requests at times that do not depend on any answer, and measures
// latency from the time when a request was due. If the server stalls, every
// request that should have been sent in the meantime counts as delayed, not
// only the request in progress.
//
// Memory is limited regardless of how long a run takes: latencies are counted
// in buckets, and a request that finds no connection within its timeout is
// abandoned.
package load
