package validate

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const snapshotHead = `"schemaVersion":"1.0","kind":"okstra-mutation-snapshot","root":"/srv","artifactRoot":"/srv","policyDigests":[],` +
	`"columns":["path","type","mode","uid","gid","size","mtimeNs","ctimeNs","ino","digest"],"git":null`

func snapshotRow(n int) string {
	return fmt.Sprintf(`["file-%07d","file","100644",0,0,1,2,3,4,null]`, n)
}

// What is said of a snapshot is the same whether it is read as a whole or row by
// row, places aside.
func TestASnapshotReadRowByRowIsJudgedLikeAWholeOne(t *testing.T) {
	good := []string{snapshotRow(1), snapshotRow(2)}
	var many []string
	for n := range 2*rowsAtOnce + 1 {
		many = append(many, snapshotRow(n))
	}
	broken := append(append([]string{}, many...), `["x"]`, `["y","file",7,0,0,1,2,3,4,null]`)
	roots := func(rows ...[]string) string {
		var list []string
		for i, r := range rows {
			list = append(list, fmt.Sprintf(`{"root":"/srv/%d","unreadable":[],"rows":[%s]}`, i, strings.Join(r, ",")))
		}
		return `"roots":[` + strings.Join(list, ",") + `]`
	}
	for _, tt := range []struct{ name, text string }{
		{"sound", "{" + snapshotHead + "," + roots(good) + "}"},
		{"trees in front", "{" + roots(many, nil, good) + "," + snapshotHead + "}"},
		{"no trees", "{" + snapshotHead + `,"roots":[]}`},
		{"a key that is missing", "{" + roots(good) + `,"kind":"okstra-mutation-snapshot","schemaVersion":"1.0"}`},
		{"rows that are none", "{" + snapshotHead + "," + roots(good, broken) + "}"},
		{"a tree without rows", "{" + snapshotHead + `,"roots":[{"root":"/srv"}]}`},
		{"another kind", `{"schemaVersion":"1.0","kind":"okstra-team-state","roots":[]}`},
		{"an unknown key", "{" + snapshotHead + `,"zz":1,` + roots(good) + "}"},
		{"a key that stands twice", "{" + snapshotHead + `,"git":null,` + roots(good) + "}"},
		{"no UTF-8", "{" + snapshotHead + "," + roots([]string{"[\"\xff\"]"}) + "}"},
		{"cut short", "{" + snapshotHead + "," + roots(good)[:40]},
		{"something behind", "{" + snapshotHead + "," + roots(good) + "} 7"},
		{"empty", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			whole := &artifact{path: "s.json", kind: snapshotKind}
			whole.readDocument(strings.NewReader(tt.text))
			parts := &artifact{path: "s.json", kind: snapshotKind}
			parts.readSnapshot(strings.NewReader(tt.text))
			if diff := cmp.Diff(verdictOn(whole), verdictOn(parts)); diff != "" {
				t.Errorf("whole, row by row:\n%s", diff)
			}
		})
	}
}

// verdictOn lists what is wrong with an artifact: that it cannot be read, or the
// places that break the schema.
func verdictOn(a *artifact) []string {
	if a.fault != nil {
		return []string{"unreadable"}
	}
	var list []string
	for _, f := range a.schema {
		list = append(list, f.Code+" "+f.Pointer+" "+f.Message)
	}
	return list
}

// A baseline of a large tree, here one of long names, is a lawful document of its
// run.
func TestARunWithABaselineLargerThanOtherDocumentsPasses(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 70 MB")
	}
	e := &editor{t: t, files: runOK(t)}
	e.choose(building)
	w := borrow(t)
	at := e.path("state/audit-$x-r1.json")
	text := string(e.files[at])
	before, after, ok := strings.Cut(text, `"rows": []`)
	if !ok {
		t.Fatalf("no empty list of rows in %s", text)
	}
	if err := w.show(e.files, nil); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(w.dir, filepath.FromSlash(at)))
	if err != nil {
		t.Fatal(err)
	}
	defer w.forget(at)
	out := bufio.NewWriter(f)
	fmt.Fprintf(out, `%s"rows": [`, before)
	long := strings.Repeat("name/", 700)
	for n := range 20_000 {
		if n > 0 {
			out.WriteString(",\n")
		}
		out.WriteString(strings.Replace(snapshotRow(n), "file-", long, 1))
	}
	fmt.Fprintf(out, "]%s", after)
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, found := range Run(w.path(e.path("manifests/run-manifest-$x.json")), Options{}).Findings {
		t.Errorf("%s %s %s", found.Code, found.Artifact, found.Message)
	}
}
