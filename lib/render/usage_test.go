package render

import (
	"fmt"
	"testing"

	"okstra/lib/jsondoc"
)

// A total reads as the whole only if everybody was measured and everything had
// a price.
func TestATotalToWhichSomebodysPartIsMissingIsALowerBound(t *testing.T) {
	const (
		lead      = `{"role":"leader","source":"codex-rollout","model":"m"}`
		worker    = `{"role":"analyser","source":"claude-transcript","model":"n"}`
		noLead    = `{"role":"leader","source":"unavailable","model":null}`
		noWorker  = `{"role":"analyser","source":"unavailable","model":null}`
		unpriced  = `{"role":"analyser","source":"claude-transcript","model":"x"}`
		everybody = lead + "," + worker
	)
	for _, tt := range []struct {
		name     string
		complete bool
		roles    string
		want     string // all, lead, workers
	}{
		{"everybody", true, everybody, "true true true"},
		{"the lead is missing", true, noLead + "," + worker, "false false true"},
		{"a worker is missing", true, everybody + "," + noWorker, "false true false"},
		{"a worker has no price", false, everybody + "," + unpriced, "false true false"},
		{"both", false, noLead + "," + unpriced, "false false false"},
		{"a cost that no role explains", false, everybody, "false true false"},
	} {
		doc, err := jsondoc.Parse("t", fmt.Appendf(nil, `{"costComplete":%v,"unmatchedModels":["x"],"roles":[%s]}`, tt.complete, tt.roles))
		if err != nil {
			t.Fatal(err)
		}
		v, err := doc.Value()
		if err != nil {
			t.Fatal(err)
		}
		all, lead, workers := completeness(node{v: v})
		if got := fmt.Sprint(all, lead, workers); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
