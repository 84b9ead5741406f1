package validate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// A mutated run never stops the validator: every finding has a rule, a level
// and a place that makes sense, and the same folder gives the same findings.
// The input picks files of a sound project and damages them, three bytes and a
// payload each time.
func FuzzRun(f *testing.F) {
	f.Add([]byte{0, 0, 0})
	f.Add([]byte("\x01\x02\x00\x05\x10\x01{\"a\":1}"))
	f.Add([]byte("\x20\x40\x02null\x21\x41\x03[]\x22\x42\x04\xff\xfe"))
	f.Add([]byte("\x07\x00\x05workers\x09\x01\x06..\x0a\x00\x01"))
	sound := smallProject(f)
	names := sorted(sound)
	// The sound project is written once; an input writes what it damages, and
	// that is mended behind it.
	dir := f.TempDir()
	put := func(name string, content []byte) {
		at := filepath.Join(dir, filepath.FromSlash(name))
		err := os.Remove(at)
		if content != nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, content, 0o644))
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			panic(err)
		}
	}
	for _, name := range names {
		put(name, sound[name])
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) > 400 {
			return
		}
		// A second judging takes as long again, so that one input of four has it.
		twice := len(input)%4 == 0
		p := project{}
		for len(input) >= 3 {
			pick, where, how := int(binary.BigEndian.Uint16(input)), int(input[1]), input[2]
			input = input[3:]
			size := min(len(input), int(how>>3))
			payload := input[:size]
			input = input[size:]
			name := names[pick%len(names)]
			if _, again := p[name]; !again {
				p[name] = sound[name]
			}
			p[name] = mutate(p[name], where, how&7, payload)
		}
		for name, content := range p {
			put(name, content)
		}
		defer func() {
			for name := range p {
				put(name, sound[name])
			}
		}()
		manifest := filepath.Join(dir, fuzzRun, "manifests/run-manifest-requirements-discovery-001.json")
		first := Run(manifest, Options{})
		second := first
		if twice {
			second = Run(manifest, Options{})
		}
		if len(first.Findings) != len(second.Findings) {
			t.Fatalf("%d findings, then %d", len(first.Findings), len(second.Findings))
		}
		for i, found := range first.Findings {
			if found != second.Findings[i] {
				t.Errorf("finding %d differs: %+v, %+v", i, found, second.Findings[i])
			}
			if _, known := FindRule(found.Code); !known || !found.Level.Valid() || found.Artifact == "" || found.Message == "" {
				t.Errorf("finding without a rule, a level or a place: %+v", found)
			}
			if found.Line < 0 || found.Column < 0 || found.Fingerprint == "" {
				t.Errorf("impossible place: %+v", found)
			}
		}
	})
}

const fuzzRun = ".okstra/tasks/pay/checkout-timeouts/runs/requirements-discovery"

// smallProject is the smallest run with workers, and what belongs to its task,
// cut down to one analyser that was dispatched once: most of the time of an input
// goes into reading what it does not damage. It has findings, always the same.
func smallProject(f *testing.F) project {
	p := project{}
	for name, content := range readProject(f, okDir) {
		base := path.Base(name)
		others := strings.HasPrefix(base, "scope-b") || strings.HasPrefix(base, "report-writer")
		if !others && (strings.HasPrefix(name, fuzzRun+"/") || !strings.Contains(name, "/runs/")) {
			p[name] = content
		}
	}
	at := fuzzRun + "/state/team-state-requirements-discovery-001.json"
	doc, err := jsondoc.Parse(at, p[at])
	if err != nil {
		f.Fatal(err)
	}
	for _, list := range []string{"/workers", "/workerDispatches", "/usageSummary/roles"} {
		for i := doc.Len(list) - 1; i > 0; i-- {
			if doc, err = doc.Delete(list + "/" + strconv.Itoa(i)); err != nil {
				f.Fatal(err)
			}
		}
	}
	p[at] = doc.Raw
	at = fuzzRun + "/logs/dispatch-requirements-discovery-001.jsonl"
	first, _, _ := bytes.Cut(p[at], []byte("\n"))
	p[at] = append(first, '\n')
	return p
}

// mutate damages a file: cut, removed, bytes put in, a value replaced, a key
// taken away, lines lost or swapped.
func mutate(content []byte, where int, how byte, payload []byte) []byte {
	at := 0
	if len(content) > 0 {
		at = where * len(content) / 256
	}
	switch how {
	case 0:
		return content[:at]
	case 1:
		return nil
	case 2:
		return append(append(append([]byte{}, content[:at]...), payload...), content[at:]...)
	case 3, 4:
		doc, err := jsondoc.Parse("m", content)
		if err != nil {
			return payload
		}
		pointer := somewhere(doc, where)
		if how == 4 {
			if doc, err = doc.Delete(pointer); err == nil {
				return doc.Raw
			}
			return nil
		}
		var value any = string(payload)
		if json, err := jsondoc.Parse("v", payload); err == nil {
			value = rawJSON(json.Raw)
		}
		if doc, err = doc.Set(pointer, value); err != nil {
			return payload
		}
		return doc.Raw
	case 5:
		lines := strings.SplitAfter(string(content), "\n")
		i := where % len(lines)
		return []byte(strings.Join(append(append([]string{}, lines[:i]...), lines[min(i+1, len(lines)):]...), ""))
	case 6:
		lines := strings.SplitAfter(string(content), "\n")
		i, k := where%len(lines), (where/16)%len(lines)
		lines[i], lines[k] = lines[k], lines[i]
		return []byte(strings.Join(lines, ""))
	}
	return append(append([]byte{}, content...), payload...)
}

// somewhere picks a pointer of a document.
func somewhere(doc jsondoc.Doc, n int) string {
	pointer := ""
	for range 6 {
		keys := doc.Keys(pointer)
		size := len(keys)
		if size == 0 {
			size = doc.Len(pointer)
		}
		if size == 0 {
			return pointer
		}
		if len(keys) > 0 {
			pointer += jsondoc.Pointer(keys[n%size])
		} else {
			pointer += jsondoc.Pointer(strings.TrimLeft(sprintf("%d", n%size), "+"))
		}
		if n = n / 3; n == 0 {
			return pointer
		}
	}
	return pointer
}

// FuzzDocument holds any bytes against any kind.
func FuzzDocument(f *testing.F) {
	f.Add([]byte(`{"schemaVersion": "1.0", "kind": "okstra-stage-carry"}`), "")
	f.Add([]byte("## 1. Findings\n"), "worker-result")
	f.Add([]byte("# Reverify\nRound: 1\nWorker: a\n\n## G-001\nVerdict: AGREE\n"), "verdicts")
	f.Add([]byte("### X-001 a\n- Tickets:\n"), "critic")
	f.Fuzz(func(t *testing.T, raw []byte, kind string) {
		if !KnownKind(kind) {
			kind = ""
		}
		r := Document("d", raw, kind)
		for i, found := range r.Findings {
			if found.Artifact != "d" || !found.Level.Valid() || i > 0 && finding.Compare(r.Findings[i-1], found) > 0 {
				t.Errorf("%+v", found)
			}
		}
	})
}
