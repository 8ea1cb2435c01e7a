// Package analysis finds likely mistakes in a policy before the policy decides
// any application: rules that never apply, rules that others make superfluous,
// rules that have no effect if a field is left out, thresholds in the wrong
// unit, scores without a band, better scores with worse terms, and untrue reason
// codes.
//
// Run returns the findings about a policy, and Against marks the findings that
// its base has too. Every finding has a stable code, a pointer into the document
// and, if possible, an example of an applicant. Each kind of mistake has a
// check: a type of its own that works on the analysis, the working memory that
// all checks share.
//
// The checks use package space for all questions about sets of applicants.
// Reading, compiling and deciding are in package engine. The caller decides
// whether a finding stops an activation.
package analysis
