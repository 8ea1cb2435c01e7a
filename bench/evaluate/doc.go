// Package evaluate measures what a large evaluate request costs before it is
// stored: reading its body, computing its feature vector, and everything
// together. Beside each stand the limit, Go written by hand for the same work,
// and what a user would write instead.
package evaluate
