package httpapi

// ErrorCodes are the codes that have a page, of problems and of what is in them.
func ErrorCodes() []string { return errorCodes }

var errorCodes = func() (codes []string) {
	for code := range errorPagesByCode {
		codes = append(codes, code)
	}
	return codes
}()
