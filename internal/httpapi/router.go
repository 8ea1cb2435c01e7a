package httpapi

import (
	"slices"
	"strings"
)

// route is one operation of the API.
type route struct {
	pattern string // method and path; a path segment in braces matches any text
	handle  func(*call) error
	public  bool   // the route needs no key
	bucket  bucket // the rate limit that applies
	body    bodyRule
	report  bool   // the body may contain a bureau report
	rows    bool   // the body may contain many rows
	once    bool   // the route accepts an Idempotency-Key
	csv     bool   // the route can also answer with CSV
	page    bool   // the route can also answer with HTML
	stream  bool   // the handler itself reads a body that is a file
	lines   bool   // the handler itself reads a body of JSON lines
	only    string // the media type of the answer if the answer is not JSON
	deep    bool   // the path may have further segments

	method string // set by newRouter
}

// bodyRule says whether a route reads a body.
type bodyRule uint8

const (
	noBody bodyRule = iota
	required
	optional
)

// router finds a route by path and method in a tree of path segments. It matches
// the path as it was sent and neither cleans nor redirects it, so that every path
// has one spelling.
type router struct {
	root node
}

type node struct {
	literal  map[string]*node
	wildcard *node
	routes   []*route
	deep     bool // further segments of a path are ignored
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
		at.deep = at.deep || entry.deep
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

// find returns the route of a request, and the text that the segment in braces
// matched. If the path exists but not with this method, it returns a nil route and
// the methods that the path supports. If the path does not exist, both are nil.
func (r *router) find(method, path string) (found *route, id string, allowed []string) {
	at := &r.root
	rest, ok := strings.CutPrefix(path, "/")
	for ok && !at.deep {
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
