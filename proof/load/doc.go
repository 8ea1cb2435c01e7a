// Package load sends the service more requests than it can handle and measures
// the results: rising rates up to saturation and beyond, and back.
//
// There are two generators. The closed one keeps a number of connections busy
// and finds the rate at which the service is saturated. The open one sends
// requests at times that do not depend on any answer, and measures latency from
// the time a request was due: if the server stalls, every request that should
// have been sent in the meantime counts as delayed, not only the one in
// progress.
//
// Memory is limited however long a run takes: latencies are counted in buckets,
// and a request that finds no connection within its timeout is given up.
package load
