package narrate

import (
	"encoding/json"
	"testing"
)

// FuzzAnswer reads arbitrary answers of an endpoint. The result must be an error,
// or the text of the first choice.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"choices":[{"message":{"role":"assistant","content":"Better prose."}}]}`,
		`{"choices":[{"message":{}},{"message":{"content":"x"}}]}`,
		`{"choices":{}}`, `{"choices":[1]}`, `[]`, ``, `{"choices":[{"message":{"content":"\ud800"}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text, err := answer(body)
		if err != nil {
			if text != "" {
				t.Errorf("%q in spite of %v", text, err)
			}
			return
		}
		var other any
		if err := json.Unmarshal(body, &other); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"choices", "message", "content"} {
			object, _ := other.(map[string]any)
			other = object[name]
			if list, is := other.([]any); is && name == "choices" && len(list) > 0 {
				other = list[0]
			}
		}
		if other != text {
			t.Errorf("%q is not the first choice of %s", text, body)
		}
	})
}
