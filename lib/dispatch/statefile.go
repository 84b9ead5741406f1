package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// stateFile is a team state in pieces: its members in their order, and the
// rows of the roster and of the ledger apart. All other members stay byte for
// byte as they were.
type stateFile struct {
	path    string
	text    []byte // as it was read, or written last
	keys    []string
	values  map[string]json.RawMessage
	workers []json.RawMessage
	rows    []json.RawMessage
	places  map[ledgerKey]int
	rowOf   map[string]int // worker id → place in the roster
}

const (
	keyWorkers    = "workers"
	keyDispatches = "workerDispatches"
)

// readStateFile takes a team state apart. It is read strictly; a ledger that is
// no list is empty, and will be a list from now on.
func readStateFile(path string, text []byte) (*stateFile, error) {
	doc, err := jsondoc.Parse(path, text)
	if err != nil {
		return nil, err
	}
	s := &stateFile{path: path, text: text, values: map[string]json.RawMessage{}, places: map[ledgerKey]int{}, rowOf: map[string]int{}}
	s.keys = doc.Keys("")
	if len(s.keys) == 0 {
		return nil, fmt.Errorf("%s: not an object with members (expected a team state)", path)
	}
	for _, key := range s.keys {
		s.values[key], _ = doc.Lookup(jsondoc.Pointer(key))
	}
	for _, key := range []string{keyWorkers, keyDispatches} {
		if _, ok := s.values[key]; !ok {
			s.keys = append(s.keys, key)
		}
	}
	if jsondoc.Unmarshal(s.values[keyDispatches], &s.rows) != nil {
		s.rows = nil
	}
	if err := jsondoc.Unmarshal(s.values[keyWorkers], &s.workers); err != nil && s.values[keyWorkers] != nil {
		return nil, fmt.Errorf("%s: /workers: not a list", path)
	}
	for i, raw := range s.rows {
		s.places[keyOf(raw)] = i
	}
	for i, raw := range s.workers {
		var worker struct {
			WorkerID string `json:"workerId"`
		}
		if jsondoc.Unmarshal(raw, &worker) == nil && worker.WorkerID != "" {
			s.rowOf[worker.WorkerID] = i
		}
	}
	return s, nil
}

func keyOf(raw json.RawMessage) ledgerKey {
	var row struct {
		AssignmentRef string `json:"assignmentRef"`
		Attempt       int    `json:"attempt"`
	}
	_ = jsondoc.Unmarshal(raw, &row) // what is no row has no key
	return ledgerKey{row.AssignmentRef, row.Attempt}
}

// place puts a row where the one of its assignment and attempt stands, else at
// the end. Keys of the old row that this version does not know stay in it.
func (s *stateFile) place(row run.LedgerRow) error {
	raw, err := json.Marshal(row)
	if err != nil {
		return err
	}
	key := ledgerKey{row.AssignmentRef, row.Attempt}
	at, known := s.places[key]
	if !known {
		s.places[key] = len(s.rows)
		s.rows = append(s.rows, nested(raw))
		return nil
	}
	if raw, err = keepUnknown(s.rows[at], raw); err != nil {
		return err
	}
	s.rows[at] = nested(raw)
	return nil
}

// change makes a change in the roster. A worker that does not stand there
// changes nothing: the run manifest decides who does.
func (s *stateFile) change(c rosterChange) error {
	at, ok := s.rowOf[c.WorkerID]
	if !ok {
		return nil
	}
	doc, err := jsondoc.Parse(s.path+": /workers/"+fmt.Sprint(at), s.workers[at])
	if err != nil {
		return err
	}
	var worker struct {
		PromptPath string `json:"promptPath"`
	}
	if jsondoc.Unmarshal(doc.Raw, &worker) == nil && worker.PromptPath != "" {
		c.PromptPath = "" // the roster names the first dispatch
	}
	if doc, err = c.apply(doc); err != nil {
		return err
	}
	s.workers[at] = nested(doc.Raw)
	return nil
}

// nested lays a row out as it stands in the document: two levels deep.
func nested(raw []byte) json.RawMessage {
	var out bytes.Buffer
	if json.Indent(&out, bytes.TrimSpace(raw), "    ", "  ") != nil {
		return raw
	}
	return out.Bytes()
}

// format puts the document together again.
func (s *stateFile) format() []byte {
	var out bytes.Buffer
	out.Grow(len(s.text) + 4096)
	out.WriteString("{\n")
	for i, key := range s.keys {
		name, _ := json.Marshal(key)
		fmt.Fprintf(&out, "  %s: ", name)
		switch key {
		case keyWorkers:
			writeList(&out, s.workers)
		case keyDispatches:
			writeList(&out, s.rows)
		default:
			out.Write(s.values[key])
		}
		if i < len(s.keys)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("}\n")
	s.text = out.Bytes()
	return s.text
}

func writeList(out *bytes.Buffer, rows []json.RawMessage) {
	if len(rows) == 0 {
		out.WriteString("[]")
		return
	}
	for i, row := range rows {
		out.WriteString(map[bool]string{true: "[\n    ", false: ",\n    "}[i == 0])
		out.Write(row)
	}
	out.WriteString("\n  ]")
}
