//go:build js && wasm

// Command wasm is the program inside verify.html. It gives the page one function, which
// checks a capsule.
package main

import (
	"errors"
	"syscall/js"

	"verdict/internal/capsule"
	"verdict/internal/wire"
)

func main() {
	js.Global().Set("verdictMaxSize", capsule.MaxSize)
	js.Global().Set("verdictCheck", js.FuncOf(check))
	select {} // the page calls check as long as it is open
}

// check takes the bytes of a capsule, the text of the log's public key and the text of the
// witnesses' keys. It returns a JSON text: what the capsule shows, or the error and the
// argument that it is about.
func check(_ js.Value, args []js.Value) (answer any) {
	defer func() {
		if recover() != nil {
			answer = refusal("capsule", errors.New("the check failed, so nothing is known about this file"))
		}
	}()
	keys, err := capsule.ReadKeys(args[1].String(), args[2].String())
	switch {
	case errors.Is(err, capsule.ErrNotAWitnessKey):
		return refusal("witness", err)
	case err != nil:
		return refusal("log", err)
	}
	text := make([]byte, args[0].Length())
	js.CopyBytesToGo(text, args[0])
	result, err := capsule.Verify(text, keys)
	if err != nil {
		return refusal("capsule", err)
	}
	var w wire.Writer
	w.Object().Key("decision").String(result.Decision).Key("holds").Bool(result.Holds).Key("sentences").Array()
	for _, s := range result.Sentences {
		w.Object().Key("truth").String(string(s.Truth)).Key("text").String(s.Text).EndObject()
	}
	w.EndArray().EndObject()
	return string(w.Buf)
}

func refusal(about string, err error) string {
	var w wire.Writer
	w.Object().Key("about").String(about).Key("error").String(err.Error()).EndObject()
	return string(w.Buf)
}
