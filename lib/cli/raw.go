package cli

import "encoding/json"

// RawDocument writes the JSON text of a document as it stands, for a document
// whose layout belongs to somebody else; with --select, each result of the
// expression as one compact line instead.
func (std IO) RawDocument(text []byte) error {
	if std.run != nil && std.run.query != nil {
		return std.Document(json.RawMessage(text))
	}
	_, err := std.Out.Write(text)
	return err
}
