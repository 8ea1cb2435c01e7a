package document

import (
	"verdict/internal/fault"
	"verdict/internal/wire"
)

// MaxItems is the maximum number of applications in the body of a batch.
const MaxItems = 1000

// ReadBatch returns the applications in the body of a batch, each as a document of its own: the pointers in its
// faults and warnings begin at the application, as if it had been sent alone.
func ReadBatch(body wire.Value) (items [][]byte, err error) {
	var faults fault.List
	f := wire.NewForm(body, &faults)
	if f.Require("items", "an array of 1 to 1000 applications") {
		list := f.Array("items", MaxItems)
		if list.Kind() == wire.Array && list.Len() == 0 {
			f.Fail("items", fault.CodeOutOfRange, "must have at least one application")
		}
		for _, item := range list.Elements() {
			var w wire.Writer
			items = append(items, w.Value(item).Buf)
		}
	}
	f.Done()
	return items, faults.Err()
}
