// Package reference is the documentation that the service shows about itself: the
// front page, the OpenAPI document as it is and as JSON, the reference page made from
// it, and a page for every error code. It owns the texts that explain codes, and the
// titles of problems.
//
// It serves only these pages. Which requests are answered, and how operations are
// called, is httpapi's.
package reference
