module verdict

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/gowebpki/jcs v1.0.2
	pgregory.net/rapid v1.3.0
)
