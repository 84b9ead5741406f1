package run

import (
	"encoding/json"
	"strings"

	"okstra/lib/jsondoc"
)

// TeamState is the lead, the workers, the dispatch ledger and what the run
// consumed. Usage blocks, the usage summary and the phase timeline stay raw
// here: they belong to token-usage. WorkerDispatches is raw because readers
// must survive a ledger that is no list; Ledger reads it.
type TeamState struct {
	SchemaVersion    string          `json:"schemaVersion"`
	Kind             string          `json:"kind"`
	RunID            string          `json:"runId"`
	TaskType         string          `json:"taskType"`
	ProjectRoot      string          `json:"projectRoot"`
	RunManifestPath  string          `json:"runManifestPath"`
	HostRuntime      string          `json:"hostRuntime"`
	EntryMode        string          `json:"entryMode"`
	StartedAt        string          `json:"startedAt"`
	EndedAt          string          `json:"endedAt"`
	TeamName         string          `json:"teamName,omitempty"`
	Team             *Team           `json:"team,omitempty"`
	TeamCreate       *TeamCreate     `json:"teamCreate,omitempty"`
	Lead             Lead            `json:"lead"`
	Workers          []Worker        `json:"workers"`
	WorkerDispatches json.RawMessage `json:"workerDispatches"`
	UsageSummary     json.RawMessage `json:"usageSummary"`
	PhaseTimeline    json.RawMessage `json:"phaseTimeline"`
}

// Team names the team as the host knows it.
type Team struct {
	TeamName string `json:"teamName"`
}

// TeamCreate tells whether the host was asked for a team, and how that ended.
type TeamCreate struct {
	Attempted bool   `json:"attempted"`
	Status    string `json:"status"`
}

// Lead is the lead session.
type Lead struct {
	Role      string          `json:"role"`
	Agent     string          `json:"agent"`
	Provider  string          `json:"provider"`
	Model     *string         `json:"model"`
	SessionID string          `json:"sessionId"`
	Usage     json.RawMessage `json:"usage"`
}

// Worker is a row of the roster. PromptPath names its first dispatch only;
// Status is nil while the worker is open.
type Worker struct {
	WorkerID            string          `json:"workerId"`
	Role                string          `json:"role"`
	Agent               string          `json:"agent"`
	Provider            string          `json:"provider"`
	Model               *string         `json:"model"`
	ModelExecutionValue *string         `json:"modelExecutionValue"`
	PromptPath          string          `json:"promptPath"`
	Status              *string         `json:"status"`
	Reason              string          `json:"reason,omitempty"`
	ResultPath          string          `json:"resultPath"`
	Usage               json.RawMessage `json:"usage"`
}

// Name is the team's name: team.teamName, then teamName at the root, then
// "okstra-" and the last segment of the task key.
func (s TeamState) Name() string {
	if s.Team != nil && s.Team.TeamName != "" {
		return s.Team.TeamName
	}
	if s.TeamName != "" {
		return s.TeamName
	}
	key := strings.Split(s.RunID, ":")
	if len(key) >= 3 {
		return "okstra-" + key[len(key)-3]
	}
	return "okstra-" + s.RunID
}

// LedgerRow is one attempt in workerDispatches. Rows of version 1 have
// WorkerID in place of AssignmentRef and no write fields; they are read and
// never written.
type LedgerRow struct {
	SchemaVersion       string            `json:"schemaVersion"`
	WorkerID            string            `json:"workerId,omitempty"`
	AssignmentRef       string            `json:"assignmentRef"`
	RoleExecutionRef    string            `json:"roleExecutionRef"`
	Role                string            `json:"role"`
	Provider            string            `json:"provider"`
	Model               string            `json:"model"`
	ModelExecutionValue string            `json:"modelExecutionValue"`
	Attempt             int               `json:"attempt"`
	PromptPath          string            `json:"promptPath"`
	ResultPath          string            `json:"resultPath"`
	AttemptPath         string            `json:"attemptPath"`
	WorktreePath        string            `json:"worktreePath"`
	SessionID           string            `json:"sessionId"`
	DispatchedAt        string            `json:"dispatchedAt"`
	EndedAt             string            `json:"endedAt"`
	Outcome             *string           `json:"outcome"`
	Cause               *string           `json:"cause"`
	ResultClass         *string           `json:"resultClass"`
	Mutation            *string           `json:"mutation"`
	ExitCode            *int              `json:"exitCode"`
	WritePolicyDigest   string            `json:"writePolicyDigest"`
	BoundaryKind        string            `json:"boundaryKind"`
	WriteEnforcement    *WriteEnforcement `json:"writeEnforcement"`
}

// WorkerKey is the worker a row belongs to: a non-blank workerId, else the
// last non-empty segment of the assignment reference, split at "/" and ":".
// It is "" for a row that names nobody.
func (r LedgerRow) WorkerKey() string {
	if id := strings.TrimSpace(r.WorkerID); id != "" {
		return id
	}
	segments := strings.FieldsFunc(r.AssignmentRef, func(c rune) bool { return c == '/' || c == ':' })
	for i := len(segments) - 1; i >= 0; i-- {
		if s := strings.TrimSpace(segments[i]); s != "" {
			return s
		}
	}
	return ""
}

// Ledger reads workerDispatches in recorded order. A ledger that is no list
// is empty, and what is no object in it is skipped; skipped counts both.
// Values of an unexpected type inside a row read as absent: one bad field
// must not lose the row.
func (s TeamState) Ledger() (rows []LedgerRow, skipped int) {
	var raw []json.RawMessage
	if len(s.WorkerDispatches) == 0 || string(s.WorkerDispatches) == "null" {
		return nil, 0
	}
	if jsondoc.Unmarshal(s.WorkerDispatches, &raw) != nil {
		return nil, 1
	}
	for _, one := range raw {
		row, ok := readLedgerRow(one)
		if !ok {
			skipped++
			continue
		}
		rows = append(rows, row)
	}
	return rows, skipped
}

func readLedgerRow(raw json.RawMessage) (LedgerRow, bool) {
	var row LedgerRow
	if jsondoc.Unmarshal(raw, &row) == nil {
		return row, isObject(raw)
	}
	var fields map[string]json.RawMessage
	if jsondoc.Unmarshal(raw, &fields) != nil || fields == nil {
		return LedgerRow{}, false
	}
	row = LedgerRow{}
	for name, value := range fields {
		one, err := json.Marshal(map[string]json.RawMessage{name: value})
		if err != nil {
			continue
		}
		kept := row
		if jsondoc.Unmarshal(one, &row) != nil {
			row = kept
		}
	}
	return row, true
}

func isObject(raw []byte) bool {
	for _, c := range raw {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return c == '{'
	}
	return false
}
