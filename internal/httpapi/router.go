package httpapi

import (
	"slices"
	"strings"
)

// route is one operation of the API.
type route struct {
	pattern string // method and path
	handle  func(*call) error
	public  bool   // needs no key
	bucket  bucket // which rate limit it draws on
	body    bodyRule
	report  bool   // the body may hold a bureau report
	rows    bool   // the body may hold many rows
	once    bool   // takes an Idempotency-Key
	csv     bool   // can answer with CSV
	stream  bool   // may be read while it is worked on: a body that is not JSON is left to the handler
	only    string // the one form of the answer, "" for JSON

	method string
}

// bodyRule says whether a request has a body.
type bodyRule uint8

const (
	noBody bodyRule = iota
	required
	optional
)

// router finds a route by path and method. It is a tree of path segments, and
// matches the path as it is: nothing is cleaned, redirected or taken for
// something else, so that there is one way to say a path.
type router struct {
	root node
}

type node struct {
	literal  map[string]*node
	wildcard *node
	routes   []*route
}

func newRouter(table []route) *router {
	r := &router{}
	for i := range table {
		entry := &table[i]
		method, path, _ := strings.Cut(entry.pattern, " ")
		entry.method = method
		at := &r.root
		for segment := range strings.SplitSeq(path[1:], "/") {
			at = at.child(segment)
		}
		at.routes = append(at.routes, entry)
	}
	return r
}

func (n *node) child(segment string) *node {
	if strings.HasPrefix(segment, "{") {
		if n.wildcard == nil {
			n.wildcard = &node{}
		}
		return n.wildcard
	}
	if n.literal == nil {
		n.literal = map[string]*node{}
	}
	if n.literal[segment] == nil {
		n.literal[segment] = &node{}
	}
	return n.literal[segment]
}

// find is the route of a request, and the text in the place of the braces. A
// nil route with methods means that the path is there for those alone.
func (r *router) find(method, path string) (found *route, id string, allowed []string) {
	at := &r.root
	rest, ok := strings.CutPrefix(path, "/")
	for ok {
		var segment string
		segment, rest, ok = strings.Cut(rest, "/")
		switch next := at.literal[segment]; {
		case next != nil:
			at = next
		case at.wildcard != nil && segment != "":
			at, id = at.wildcard, segment
		default:
			return nil, "", nil
		}
	}
	if method == "HEAD" {
		method = "GET"
	}
	for _, candidate := range at.routes {
		if candidate.method == method {
			return candidate, id, nil
		}
		allowed = append(allowed, candidate.method)
		if candidate.method == "GET" {
			allowed = append(allowed, "HEAD")
		}
	}
	slices.Sort(allowed)
	return nil, "", allowed
}
