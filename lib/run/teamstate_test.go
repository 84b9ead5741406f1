package run

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestWorkerKey(t *testing.T) {
	for _, tt := range []struct {
		name string
		row  LedgerRow
		want string
	}{
		{"v1 row by worker id", LedgerRow{WorkerID: "scope-a"}, "scope-a"},
		{"v2 row by last segment", LedgerRow{AssignmentRef: "assignment:analysis:scope-b"}, "scope-b"},
		{"slash separates too", LedgerRow{AssignmentRef: "x/y/scope"}, "scope"},
		{"worker id wins over the reference", LedgerRow{WorkerID: "a", AssignmentRef: "assignment:analysis:b"}, "a"},
		{"blank worker id does not win", LedgerRow{WorkerID: "  ", AssignmentRef: "assignment:analysis:b"}, "b"},
		{"empty segments are passed over", LedgerRow{AssignmentRef: "assignment:analysis:c:/ /"}, "c"},
		{"nobody named", LedgerRow{AssignmentRef: "::"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.row.WorkerKey(); got != tt.want {
				t.Errorf("WorkerKey() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLedgerSurvivesAnyShape(t *testing.T) {
	for _, tt := range []struct {
		name    string
		raw     string
		keys    []string
		skipped int
	}{
		{"absent", ``, nil, 0},
		{"null", `null`, nil, 0},
		{"an object", `{"a":1}`, nil, 1},
		{"a text", `"x"`, nil, 1},
		{"rows that are no objects", `[null, 7, {"workerId":"a"}, [], "x"]`, []string{"a"}, 4},
		{"a field of another type loses only itself", `[{"workerId":"a","attempt":"two","sessionId":"s"}]`, []string{"a"}, 0},
		{"a row without anything", `[{}]`, []string{""}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rows, skipped := TeamState{WorkerDispatches: json.RawMessage(tt.raw)}.Ledger()
			var keys []string
			for _, row := range rows {
				keys = append(keys, row.WorkerKey())
			}
			if !reflect.DeepEqual(keys, tt.keys) || skipped != tt.skipped {
				t.Errorf("Ledger() = %q, %d skipped, want %q, %d", keys, skipped, tt.keys, tt.skipped)
			}
		})
	}
}

func TestLedgerKeepsTheGoodFieldsOfABadRow(t *testing.T) {
	rows, _ := TeamState{WorkerDispatches: json.RawMessage(`[{"workerId":7,"assignmentRef":"assignment:analysis:b","sessionId":"s-1"}]`)}.Ledger()
	if len(rows) != 1 || rows[0].WorkerKey() != "b" || rows[0].SessionID != "s-1" {
		t.Errorf("Ledger() = %+v, want one row of worker b with session s-1", rows)
	}
}

func TestTeamNameIsReadInBothPlacesBeforeTheFallback(t *testing.T) {
	for _, tt := range []struct {
		name  string
		state TeamState
		want  string
	}{
		{"team.teamName", TeamState{Team: &Team{"one"}, TeamName: "two"}, "one"},
		{"teamName at the root", TeamState{Team: &Team{}, TeamName: "two"}, "two"},
		{"last segment of the task key", TeamState{RunID: "shop:pay:checkout-timeouts:error-analysis:002"}, "okstra-checkout-timeouts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.state.Name(); got != tt.want {
				t.Errorf("Name() = %q, want %q", got, tt.want)
			}
		})
	}
}

// A key of another letter case changes no ledger row, not even where another
// field has a wrong type and the row is read field by field.
func TestLedgerKeysMatchExactly(t *testing.T) {
	for range 20 { // maps have no order
		state := TeamState{WorkerDispatches: json.RawMessage(`[{"assignmentRef":"assignment:analysis:a","AssignmentRef":"assignment:analysis:b","ATTEMPT":2,"attempt":1,"exitCode":"x"}]`)}
		rows, skipped := state.Ledger()
		if skipped != 0 || len(rows) != 1 || rows[0].AssignmentRef != "assignment:analysis:a" || rows[0].Attempt != 1 {
			t.Fatalf("%+v, %d skipped", rows, skipped)
		}
	}
}
