// Package analysis lists the likely mistakes in a policy before it decides
// anything: rules that never apply, rules that others make superfluous, rules
// that do nothing if a field is left out, thresholds in the wrong unit, scores
// without a band, better scores with worse terms, reason codes that are untrue.
//
// Run returns the findings about a policy, and Against marks those that its base
// has too. Every finding has a stable code, a place in the document and, if one
// can be shown, an example of an applicant. Each kind of mistake is a check, a
// type of its own over the working memory that all checks share.
//
// Everything about sets of applicants is in package space, which the checks ask.
// Reading, compiling and deciding are in package engine. Whether a finding stops
// an activation is for the caller to decide.
package analysis
