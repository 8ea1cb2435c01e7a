// Package evaluate measures the cost of a large evaluate request before it is stored:
// reading its body, computing its feature vector, and everything together. The
// feature vector is compared with the limit, which is Go code written by hand for the
// same work, and with a separate pass for each feature. Reading is compared with JSON
// libraries.
package evaluate
