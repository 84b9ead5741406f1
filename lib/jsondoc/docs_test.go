package jsondoc

import (
	"os"
	"regexp"
	"testing"
)

// The examples of docs/strict-reading.md give the messages that stand there.
func TestExamplesOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/strict-reading.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\|(?: [^|`]+ \\|)? `([^|`]+)` \\| `(FILE:[^|`]+)` \\|$")
	examples := row.FindAllSubmatch(page, -1)
	if len(examples) < 13 {
		t.Fatalf("found %d examples, want at least 13: has the layout of the tables changed?", len(examples))
	}
	for _, example := range examples {
		doc, err := Parse("FILE", example[1])
		if err == nil {
			err = doc.Decode(&struct {
				Config struct {
					MaxRounds int `json:"maxRounds"`
				} `json:"config"`
			}{})
		}
		if got := text(err); got != string(example[2]) {
			t.Errorf("%s gives\n     %s\nbut the page says\n     %s", example[1], got, example[2])
		}
	}
}
