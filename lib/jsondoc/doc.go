// Package jsondoc is one JSON document: read strictly, with a position for
// every complaint, looked up by JSON pointer, and edited without disturbing
// what the edit does not touch.
//
// Strict means that every program in the pipeline sees the same document:
// nothing is repaired, and nothing that two readers could understand
// differently is let through. Rule: docs/strict-reading.md.
package jsondoc

// Limits of one document. They are far above anything a run writes and low
// enough that a hostile file costs memory in proportion to its size only.
const (
	// MaxSize is the most bytes a document may have.
	MaxSize = 64 << 20
	// MaxDepth is how deep objects and arrays may be nested.
	MaxDepth = 200
)

// Doc is a document that was checked by Parse. Raw is the text as it was
// read and must not be modified; Name is what error texts call it, a path or
// "-". A Doc that was put together by hand works as long as its Raw is valid,
// but builds its position table anew for each question.
type Doc struct {
	Name string
	Raw  []byte

	table *table
}

// Parse checks raw and returns it as a document that keeps raw. The error is
// a *SyntaxError, and says where the first fault is.
// Rule: docs/strict-reading.md, "What is refused".
func Parse(name string, raw []byte) (Doc, error) {
	if err := check(raw, wholeDocument); err != nil {
		err.Name = name
		return Doc{}, err
	}
	return Doc{Name: name, Raw: raw, table: &table{raw: raw}}, nil
}

// CheckLine checks one line of a stream of JSON lines, given without its line
// end, by the same rules as Parse. Line in the error is number.
func CheckLine(name string, number int, line []byte) error {
	if err := check(line, oneLine); err != nil {
		err.Name, err.Line = name, number
		return err
	}
	return nil
}
