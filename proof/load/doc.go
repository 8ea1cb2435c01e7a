// Package load sends the service more than it can do and measures what it does
// then: rising rates up to saturation and beyond, and back.
//
// There are two generators. The closed one keeps so many connections busy and
// finds the rate at which the service is saturated. The open one has requests
// due at times that do not depend on any answer, and counts latency from the
// time a request was due: a server that stalls is charged for every request
// that should have been sent meanwhile, and not only for the one it held.
//
// Memory is bounded however long a run takes: latencies go into buckets, and
// a request that finds no connection within its timeout is given up.
package load
