package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/cli"
)

// largeReport is 10 MB with 10,000 texts, and a translation of each.
func largeReport(b *testing.B, dir string) (data, answers string, size int64) {
	b.Helper()
	const items = 10_000
	english := strings.Repeat("the lock is kept while a refund waits for its bank and that takes long under load, ", 10)
	korean := strings.Repeat("환불이 은행을 기다리는 동안 잠금을 쥐고 있어 부하가 크면 오래 걸린다, ", 10)
	var texts []string
	var md strings.Builder
	for i := range items {
		source := fmt.Sprintf("Item %d: call `retry(%d)` as [the guide](docs/g%d.md) says, at most {count} times, see E-%03d. ", i, i, i, i%1000)
		texts = append(texts, source+english+"so.")
		fmt.Fprintf(&md, "## T-%03d\n항목 %d: [안내서](docs/g%d.md) 대로 `retry(%d)` 를 많아야 {count} 번 부른다, E-%03d 참조. %s\n\n", i+1, i, i, i, i%1000, korean+"그렇다.")
	}
	raw, err := json.MarshalIndent(map[string]any{
		"schemaVersion": "2.0", "kind": "okstra-final-report", "header": map[string]any{
			"taskKey": "shop:pay:x", "projectId": "shop", "taskGroup": "pay", "taskId": "x", "taskType": "error-analysis",
			"runSeq": "001", "reportLanguage": "en", "generatedAt": "2026-09-08T20:00:00Z",
		},
		"verdictCard":        map[string]any{"finalConclusion": "1", "verdictToken": "not-applicable", "direction": "proceed", "approvalRequired": false, "nextStep": "2"},
		"executionStatus":    []any{map[string]any{"role": "analyser", "workerId": "scope-a", "status": "completed", "model": "sonnet"}},
		"clarificationItems": []any{}, "consensus": []any{}, "differences": []any{}, "evidence": []any{}, "missingInformation": []any{},
		"risks": []any{}, "nextSteps": []any{}, "followUpTasks": []any{}, "usageSummary": nil,
		"errorAnalysis": map[string]any{
			"symptoms":     []any{map[string]any{"id": "S-001", "statement": "1", "trigger": "2"}},
			"hypotheses":   []any{map[string]any{"id": "H-001", "cause": "3", "evidenceRefs": []any{}, "confidence": "low", "status": "open"}},
			"reproduction": map[string]any{"status": "reproduced"}, "validationPath": texts,
		},
	}, "", "  ")
	if err != nil {
		b.Fatal(err)
	}
	data, answers = filepath.Join(dir, "r.data.json"), filepath.Join(dir, "KO.md")
	for path, text := range map[string][]byte{data: raw, answers: []byte(md.String())} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return data, answers, int64(len(raw))
}

// call runs the program in this process and gives what it prints.
func call(b *testing.B, args ...string) []byte {
	b.Helper()
	var out, errs bytes.Buffer
	std := cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs}
	if status := cli.Main(std, args, app()); status != 0 {
		b.Fatalf("%q ended with status %d: %.300s", args, status, errs.String())
	}
	return out.Bytes()
}

// BenchmarkPrepareWriteApply is a whole translation of a 10 MB report.
func BenchmarkPrepareWriteApply(b *testing.B) {
	dir := b.TempDir()
	data, answers, size := largeReport(b, dir)
	source := filepath.Join(dir, "SRC.json")
	b.SetBytes(size)
	for b.Loop() {
		payload := call(b, "prepare", "--data", data, "--lang", "ko", "--markdown", filepath.Join(dir, "T.md"))
		if err := os.WriteFile(source, payload, 0o644); err != nil {
			b.Fatal(err)
		}
		_, digest, _ := strings.Cut(string(payload[len(payload)-100:]), `"digest": "`)
		digest, _, _ = strings.Cut(digest, `"`)
		call(b, "write", "--data", data, "--lang", "ko", "--source", source, "--source-digest", digest, "--translations", answers)
		call(b, "apply", "--data", data, "--lang", "ko")
	}
}

// BenchmarkEachCommand shows where the time goes.
func BenchmarkEachCommand(b *testing.B) {
	dir := b.TempDir()
	data, answers, size := largeReport(b, dir)
	source := filepath.Join(dir, "SRC.json")
	payload := call(b, "prepare", "--data", data, "--lang", "ko")
	if err := os.WriteFile(source, payload, 0o644); err != nil {
		b.Fatal(err)
	}
	digest := strings.Trim(string(call(b, "prepare", "--data", data, "--lang", "ko", "--select", ".digest")), "\"\n")
	write := []string{"write", "--data", data, "--lang", "ko", "--source", source, "--source-digest", digest, "--translations", answers}
	call(b, write...)
	for _, args := range [][]string{
		{"prepare", "--data", data, "--lang", "ko"},
		write,
		{"apply", "--data", data, "--lang", "ko"},
		{"status", "--data", data},
		{"render", "--data", data},
		{"render", "--data", data, "--format", "html"},
		{"export", "--data", data, "--lang", "ko", "--format", "po"},
		{"export", "--data", data, "--lang", "ko", "--format", "xliff"},
	} {
		name := args[0]
		if args[len(args)-2] == "--format" {
			name += "-" + args[len(args)-1]
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			for b.Loop() {
				call(b, args...)
			}
		})
	}
}

// BenchmarkBaselineEncodingJSON is the standard library reading and writing
// the same report six times: what the three commands do at the least.
func BenchmarkBaselineEncodingJSON(b *testing.B) {
	data, _, size := largeReport(b, b.TempDir())
	b.SetBytes(size)
	for b.Loop() {
		for range 6 {
			raw, err := os.ReadFile(data)
			if err != nil {
				b.Fatal(err)
			}
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				b.Fatal(err)
			}
			enc := json.NewEncoder(io.Discard)
			enc.SetIndent("", "  ")
			if err := enc.Encode(v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
