package digest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"scalars", ` [ null , true , false , "" ] `, `[null,true,false,""]`},
		{"empty containers", `{ "a" : { } , "b" : [ ] }`, `{"a":{},"b":[]}`},
		{"keys sorted at every level", `{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}`, `{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}`},
		{"order of arrays counts", `[3,1,2]`, `[3,1,2]`},
		{"prefix before longer key", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"code points, not UTF-16", `{"😀":1,"\uffff":2,"\ue000":3}`, "{\"\ue000\":3,\"\uffff\":2,\"😀\":1}"},
		{"escaped key sorts as what it means", `{"\u007a":1,"y":2}`, `{"y":2,"z":1}`},
		{"characters stay raw", `"<>&\u2028\u2029\u007f\/é한\u0085"`, "\"<>&\u2028\u2029\x7f/é한\u0085\""},
		{"short escapes", `"\u0022\u005c\u0008\u000c\u000a\u000d\u0009"`, `"\"\\\b\f\n\r\t"`},
		{"other controls in lower case", `"\u0000\u001F\u000B"`, `"\u0000\u001f\u000b"`},
		{"surrogate pair", `"\ud83d\uDE00"`, `"😀"`},
		{"no normalisation", `["é","e\u0301"]`, "[\"é\",\"e\u0301\"]"},
		{"big integers", `[12345678901234567890123456789,-9007199254740993]`, `[12345678901234567890123456789,-9007199254740993]`},
		{"minus zero is zero", `-0`, `0`},
	} {
		got, err := Canonical([]byte(tt.in))
		if string(got) != tt.want || err != nil {
			t.Errorf("%s: Canonical(%s) = %s %v, want %s", tt.name, tt.in, got, err, tt.want)
		}
	}
}

func TestCanonicalRefuses(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"fraction", `{"a":[1,1.0]}`, "canonical form: /a/1: 1.0 (expected an integer"},
		{"exponent", `1e3`, "canonical form: 1e3 (expected an integer"},
		{"capital exponent", `[1E3]`, "canonical form: /0: 1E3 (expected an integer"},
		{"lone surrogate", `{"k":"\ud800"}`, "canonical form: /k: "},
		{"lone surrogate in a key", `{"\udc00":1}`, "canonical form: at byte 2: "},
		{"duplicate key", `{"o":{"a":1,"\u0061":1}}`, "canonical form: /o/a: duplicate"},
		{"bad UTF-8", "[\"\xff\"]", "canonical form: /0: invalid UTF-8"},
		{"trailing data", `{} {}`, "canonical form: more data after the value"},
		{"trailing rubbish", `{} x`, "canonical form: more data after the value"},
		{"cut off", `{"a":[1`, "canonical form: /a"},
		{"empty", ``, "canonical form: "},
		{"too deep", strings.Repeat("[", 201) + strings.Repeat("]", 201), "nested deeper than 200 levels"},
	} {
		got, err := Canonical([]byte(tt.in))
		if got != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Canonical(%.40s) = %s, %v, want an error with %q", tt.name, tt.in, got, err, tt.want)
			continue
		}
		if digest, ok := errors.AsType[*Error](err); !ok || digest.ExitStatus() != 2 {
			t.Errorf("%s: error is %T, want an *Error of status 2", tt.name, err)
		}
	}
	if _, err := Canonical([]byte(`[1.5]`)); !errors.Is(err, ErrFloat) {
		t.Errorf("error of a float is %v, want ErrFloat", err)
	}
	if _, err := Canonical([]byte(strings.Repeat("[", 200) + strings.Repeat("]", 200))); err != nil {
		t.Errorf("200 levels: %v, want them accepted", err)
	}
}

// The first vector is translation source strings, the second a write policy.
func TestKnownDigests(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"strings", "[ \"Use `fmt` here.\", \"Two items remain.\" ]", "sha256:2b718269fb7ad6a5f59361bbec53bd57779ba06bb558f2199e5f5c4ad4474dd9"},
		{"policy", policy, "sha256:6354c2672ececd98db3ec7271068835e7f16104616c7499194e77863e83031a7"},
	} {
		if got, err := JSON([]byte(tt.in)); got != tt.want || err != nil {
			t.Errorf("%s: JSON = %s %v, want %s", tt.name, got, err, tt.want)
		}
	}
}

const policy = `{
 "auxiliaryPolicy":{"scratchRoots":[],"generatedPaths":[],"externalRoots":[]},
 "artifactPolicy":{"allowedRoot":"/srv/jobs","allowedPaths":[
  ".okstra/tasks/tasks/auth/runs/implementation/worker-results/implementer-worker-implementation-001.md",
  ".okstra/tasks/tasks/auth/runs/implementation/worker-results/implementer-worker-audit-implementation-001.md",
  ".okstra/tasks/tasks/auth/runs/implementation/worker-results/implementer-worker-errors.json"]},
 "gitPolicy":{"mode":"fast-forward-descendant-chain","worktreeGitDir":"/srv/jobs/.git/worktrees/auth","gitCommonDir":"/srv/jobs/.git",
  "expectedBaseCommit":"5f0c0c7e0d3b7a1b1f2a3c4d5e6f708192a3b4c5","allowedBranchRef":"refs/heads/feat-auth","commitMode":"fast-forward-descendant-chain"},
 "sourcePolicy":{"mode":"project-mutation","allowedRoot":"/home/u/.okstra/worktrees/jobs/tasks/auth",
  "plannedPaths":["src/auth/login.go","src/auth/login_test.go"],"protectedPaths":[".okstra",".git"]}}`

func TestValueAgreesWithItsDocument(t *testing.T) {
	type inner struct {
		Text string `json:"text"`
		N    int64  `json:"n"`
	}
	v := struct {
		Z inner          `json:"z"`
		A []string       `json:"a"`
		M map[string]any `json:"m"`
	}{inner{"<\u2028>", 1 << 60}, []string{"b", "a"}, map[string]any{"k": nil}}
	got, err := Value(v)
	want, _ := JSON([]byte("{\"a\":[\"b\",\"a\"],\"m\":{\"k\":null},\"z\":{\"n\":1152921504606846976,\"text\":\"<\u2028>\"}}"))
	if got != want || err != nil {
		t.Errorf("Value = %s %v, want %s", got, err, want)
	}
	if got, err := Value(1.5); err == nil {
		t.Errorf("Value(1.5) = %s, want an error", got)
	}
	if got, err := Value(func() {}); err == nil {
		t.Errorf("Value(func) = %s, want an error", got)
	}
}

func TestBytesAndReader(t *testing.T) {
	const want = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, "abc"
	if got := Bytes([]byte("abc")); got != want {
		t.Errorf("Bytes = %s, want %s", got, want)
	}
	if got, err := Reader(iotest.OneByteReader(strings.NewReader("abc"))); got != want || err != nil {
		t.Errorf("Reader = %s %v, want %s", got, err, want)
	}
	if got, err := Reader(iotest.ErrReader(io.ErrClosedPipe)); got != "" || err != io.ErrClosedPipe {
		t.Errorf("Reader of a failing reader = %q %v", got, err)
	}
	for _, bad := range []string{"", want[7:], strings.ToUpper(want), want + "0", want[:70] + "…", "sha512" + want[6:]} {
		if Valid(bad) {
			t.Errorf("Valid(%q) = true", bad)
		}
	}
	if !Valid(want) {
		t.Errorf("Valid(%q) = false", want)
	}
}

// testdata/vectors/digest.jsonl was written once by CPython 3.11: random
// values, laid out and escaped at random, beside what its json module makes of
// them with sorted keys, compact separators and no ASCII escapes.
func TestVectorsOfAnotherImplementation(t *testing.T) {
	f, err := os.Open("../../testdata/vectors/digest.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	n := 0
	for {
		line, err := r.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
		var vector struct{ JSON, Canonical, Digest string }
		if err := json.Unmarshal(line, &vector); err != nil {
			t.Fatal(err)
		}
		got, err := Canonical([]byte(vector.JSON))
		if err != nil || string(got) != vector.Canonical {
			t.Errorf("line %d: Canonical(%s)\n got %s %v\nwant %s", n, vector.JSON, got, err, vector.Canonical)
		}
		if got, err := JSON([]byte(vector.JSON)); got != vector.Digest || err != nil {
			t.Errorf("line %d: JSON = %s %v, want %s", n, got, err, vector.Digest)
		}
	}
	if n < 200 {
		t.Errorf("%d vectors, want at least 200", n)
	}
}

// FuzzCanonical: what is accepted has the form that the slow implementation
// gives it, the form is its own form, it is JSON of the same value, and an
// error comes without a result.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":[1,-0,{"d":"\u2028","c":null}],"a":"<&>"}`, `{"a":1,"a":2}`, `1.0`, `"\ud800"`, `"\ud83d\ude00"`, `{"":"\u0000\u001f\b"}`, "\"\xff\"", `[[[[`,
		`{"\u0061":1,"A":2,"😀":3,"\uffff":4}`, ` 1 2`, policy,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Canonical(raw)
		if err != nil {
			if got != nil {
				t.Fatalf("Canonical(%q) gave %q beside %v", raw, got, err)
			}
			return
		}
		want, err := slowCanonical(raw)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("Canonical(%q) = %q, the slow form is %q %v", raw, got, want, err)
		}
		if again, err := Canonical(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("Canonical(%q) = %q, of which it is %q %v", raw, got, again, err)
		}
		if !json.Valid(got) {
			t.Fatalf("Canonical(%q) = %q is not JSON", raw, got)
		}
	})
}

// The table of docs/digest.md is right.
func TestExamplesOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/digest.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| `(sha256:[0-9a-f]+)` \\|$")
	examples := row.FindAllSubmatch(page, -1)
	if len(examples) != 3 {
		t.Fatalf("found %d examples, want 3: has the layout of the table changed?", len(examples))
	}
	for _, example := range examples {
		canonical, err := Canonical(example[1])
		if !bytes.Equal(canonical, example[2]) || Bytes(canonical) != string(example[3]) || err != nil {
			t.Errorf("%s: %s %s %v, but the page says %s %s", example[1], canonical, Bytes(canonical), err, example[2], example[3])
		}
	}
}
