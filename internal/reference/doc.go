// Package reference serves the documentation of the API: the front page, the
// OpenAPI document in YAML and in JSON, the reference page made from it, and a page
// for every error code. It contains the texts that explain the codes, and the
// titles of problems.
//
// It serves no operation of the API; package httpapi does that.
package reference
