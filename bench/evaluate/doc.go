// Package evaluate measures the cost of a large evaluate request before it is stored:
// reading its body, computing its feature vector, and everything together. Each part
// is compared with the limit, which is Go code written by hand for the same work, and
// with the code that a user would write instead.
package evaluate
