package httpapi

// ErrorCodes are the codes that have a page, of problems and of what is in them.
func ErrorCodes() []string { return errorCodes }

// WarningCodes are the codes of warnings that are explained.
func WarningCodes() (codes []string) {
	for _, note := range warningNotes {
		codes = append(codes, note.Code)
	}
	return codes
}

var errorCodes = func() (codes []string) {
	for code := range errorPagesByCode {
		codes = append(codes, code)
	}
	return codes
}()
