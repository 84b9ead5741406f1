package run

import (
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

// Load reads the document at path strictly, checks it against the schema of
// kind and decodes it into v. Unknown keys are allowed; the returned document
// keeps them for a rewrite. Rule: docs/strict-reading.md.
func Load(path, kind string, v any) (jsondoc.Doc, error) {
	doc, err := jsondoc.ReadFile(path)
	if err != nil {
		return doc, err
	}
	return doc, schema.Decode(doc, kind, v)
}

// LoadManifest reads a run manifest.
func LoadManifest(path string) (Manifest, error) {
	var m Manifest
	_, err := Load(path, "okstra-run-manifest", &m)
	return m, err
}

// LoadTeamState reads a team state.
func LoadTeamState(path string) (TeamState, jsondoc.Doc, error) {
	var s TeamState
	doc, err := Load(path, "okstra-team-state", &s)
	return s, doc, err
}
