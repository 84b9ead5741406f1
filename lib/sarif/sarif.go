// Package sarif is the part of SARIF 2.1.0 (errata 01) that findings need, for
// reading and writing. It knows no rule and no program. The fields of read.go
// are for reading alone: what is written names rules by id and places by path,
// never by an index that a merge of two files would break.
//
// What a reader of SARIF trips over is settled by the types: the lists of
// results and of rules are written even when they are empty, because a file
// without them counts as no run at all; a region without a line is left out,
// because lines count from 1; a level is always written out, because readers
// guess different ones.
package sarif

import (
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"okstra/lib/jsondoc"
)

// Version and schema of the log files that are written.
const (
	Version = "2.1.0"
	Schema  = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)

// SourceRoot is the base of URIs that are relative to the project root.
const SourceRoot = "%SRCROOT%"

// Log is a SARIF file.
type Log struct {
	Schema  string `json:"$schema,omitempty"`
	Version string `json:"version"`
	Runs    []Run  `json:"runs"`
}

// NewLog makes a log file of runs.
func NewLog(runs ...Run) Log {
	return Log{Schema: Schema, Version: Version, Runs: append([]Run{}, runs...)}
}

// Run is what one tool found in one go.
type Run struct {
	Tool              Tool               `json:"tool"`
	AutomationDetails *AutomationDetails `json:"automationDetails,omitempty"`
	Invocations       []Invocation       `json:"invocations,omitempty"`
	ColumnKind        string             `json:"columnKind,omitempty"`
	Language          string             `json:"language,omitempty"`
	NewlineSequences  []string           `json:"newlineSequences,omitempty"`
	Results           []Result           `json:"results"`
	Properties        map[string]any     `json:"properties,omitempty"`

	OriginalURIBaseIDs map[string]ArtifactLocation `json:"originalUriBaseIds,omitempty"`
	Artifacts          []Artifact                  `json:"artifacts,omitempty"`
	External           *External                   `json:"externalPropertyFileReferences,omitempty"`
}

// MarshalJSON writes an empty list of results as one.
func (r Run) MarshalJSON() ([]byte, error) {
	type plain Run
	if r.Results == nil {
		r.Results = []Result{}
	}
	return marshal(plain(r))
}

// Tool is the program that found something.
type Tool struct {
	Driver     Driver   `json:"driver"`
	Extensions []Driver `json:"extensions,omitempty"`
}

// Driver describes a program and its rules.
type Driver struct {
	Name            string `json:"name"`
	SemanticVersion string `json:"semanticVersion,omitempty"`
	InformationURI  string `json:"informationUri,omitempty"`
	FullName        string `json:"fullName,omitempty"`
	GUID            string `json:"guid,omitempty"`
	Language        string `json:"language,omitempty"`
	Rules           []Rule `json:"rules"`

	GlobalMessageStrings map[string]Message `json:"globalMessageStrings,omitempty"`
}

// MarshalJSON writes an empty list of rules as one.
func (d Driver) MarshalJSON() ([]byte, error) {
	type plain Driver
	if d.Rules == nil {
		d.Rules = []Rule{}
	}
	return marshal(plain(d))
}

// Rule describes a rule. Results refer to it by its id.
type Rule struct {
	ID                   string         `json:"id"`
	ShortDescription     *Message       `json:"shortDescription,omitempty"`
	FullDescription      *Message       `json:"fullDescription,omitempty"`
	Help                 *Message       `json:"help,omitempty"`
	HelpURI              string         `json:"helpUri,omitempty"`
	Name                 string         `json:"name,omitempty"`
	DefaultConfiguration *Configuration `json:"defaultConfiguration,omitempty"`
	Properties           map[string]any `json:"properties,omitempty"`

	MessageStrings map[string]Message `json:"messageStrings,omitempty"`
}

// Configuration is how a rule is set up.
type Configuration struct {
	Level string `json:"level,omitempty"`
}

// AutomationDetails tells runs of the same tool apart.
type AutomationDetails struct {
	ID              string `json:"id,omitempty"`
	GUID            string `json:"guid,omitempty"`
	CorrelationGUID string `json:"correlationGuid,omitempty"`
}

// Invocation says how the tool itself fared, so that an empty list of results
// is not read as a clean one.
type Invocation struct {
	ExecutionSuccessful        bool           `json:"executionSuccessful"`
	ToolExecutionNotifications []Notification `json:"toolExecutionNotifications,omitempty"`
}

// Notification is a condition of the tool, not of what it looked at.
type Notification struct {
	Level     string     `json:"level"`
	Message   Message    `json:"message"`
	Locations []Location `json:"locations,omitempty"`
}

// Message is a text.
type Message struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`

	ID        string   `json:"id,omitempty"`
	Arguments []string `json:"arguments,omitempty"`
}

// The levels of a result. A result of kind Review or another kind than Fail
// must have level None.
const (
	LevelNone    = "none"
	LevelNote    = "note"
	LevelWarning = "warning"
	LevelError   = "error"

	KindFail          = "fail"
	KindReview        = "review"
	KindOpen          = "open"
	KindPass          = "pass"
	KindNotApplicable = "notApplicable"
	KindInformational = "informational"
)

// States of a result against an earlier run.
const (
	BaselineNew       = "new"
	BaselineUnchanged = "unchanged"
	BaselineUpdated   = "updated"
	BaselineAbsent    = "absent"
)

// Result is one finding.
type Result struct {
	RuleID              string            `json:"ruleId,omitempty"`
	Kind                string            `json:"kind,omitempty"`
	Level               string            `json:"level,omitempty"`
	Message             Message           `json:"message"`
	Locations           []Location        `json:"locations,omitempty"`
	GUID                string            `json:"guid,omitempty"`
	CorrelationGUID     string            `json:"correlationGuid,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints,omitempty"`
	Fingerprints        map[string]string `json:"fingerprints,omitempty"`
	BaselineState       string            `json:"baselineState,omitempty"`
	Rank                *float64          `json:"rank,omitempty"`
	Suppressions        []Suppression     `json:"suppressions,omitempty"`
	Properties          map[string]any    `json:"properties,omitempty"`

	RuleIndex        *int           `json:"ruleIndex,omitempty"`
	Rule             *RuleReference `json:"rule,omitempty"`
	RelatedLocations []Location     `json:"relatedLocations,omitempty"`
}

// Suppression says that a result was rejected.
type Suppression struct {
	Kind          string `json:"kind"`
	Status        string `json:"status,omitempty"`
	Justification string `json:"justification,omitempty"`
}

// Location is a place in a file, and a name for it.
type Location struct {
	PhysicalLocation *PhysicalLocation `json:"physicalLocation,omitempty"`
	LogicalLocations []LogicalLocation `json:"logicalLocations,omitempty"`
}

// PhysicalLocation is a region of an artifact.
type PhysicalLocation struct {
	ArtifactLocation ArtifactLocation `json:"artifactLocation"`
	Region           *Region          `json:"region,omitempty"`
}

// ArtifactLocation is a URI, relative to a base.
type ArtifactLocation struct {
	URI       string `json:"uri,omitempty"`
	URIBaseID string `json:"uriBaseId,omitempty"`
	Index     *int   `json:"index,omitempty"`
}

// Region is lines and columns, from 1; what is unknown is 0 and left out.
type Region struct {
	StartLine   int `json:"startLine,omitempty"`
	StartColumn int `json:"startColumn,omitempty"`
	EndLine     int `json:"endLine,omitempty"`
	EndColumn   int `json:"endColumn,omitempty"`
}

// LogicalLocation is a place by name, such as a JSON pointer.
type LogicalLocation struct {
	FullyQualifiedName string `json:"fullyQualifiedName,omitempty"`
}

// Place is the location of a line in a file of the project; the line and the
// column may be 0 for unknown.
func Place(file string, line, column int) Location {
	p := &PhysicalLocation{ArtifactLocation: ArtifactLocation{URI: URI(file)}}
	if rooted(file) == "" {
		p.ArtifactLocation.URIBaseID = SourceRoot
	}
	if line > 0 {
		p.Region = &Region{StartLine: line, StartColumn: max(column, 0)}
	}
	return Location{PhysicalLocation: p}
}

// URI writes a path with slashes as a URI reference: relative for a relative
// path, with the scheme file for an absolute one, of a drive too.
func URI(file string) string {
	if from := rooted(file); from != "" {
		return (&url.URL{Scheme: "file", Path: from}).String()
	}
	segments := strings.Split(file, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	uri := strings.Join(segments, "/")
	if strings.Contains(segments[0], ":") {
		uri = "./" + uri // else it would read as a scheme
	}
	return uri
}

// rooted is an absolute path from its root on: "C:/a" and "C:\a" as "/C:/a". It
// is "" for a relative path.
func rooted(file string) string {
	switch {
	case path.IsAbs(file):
		return file
	case driveForm.MatchString(file):
		return "/" + strings.ReplaceAll(file, "\\", "/")
	}
	return ""
}

var driveForm = regexp.MustCompile(`^[A-Za-z]:[/\\]`)

// Path is the file that a URI reference names, with slashes; "" for a URI that
// names none.
func Path(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "" && u.Scheme != "file" {
		return ""
	}
	return strings.TrimPrefix(u.Path, "./")
}

// Parse reads a log file that was checked to be JSON. Only version 2.1.0 is
// understood.
func Parse(raw []byte) (Log, error) {
	var log Log
	if err := jsondoc.Unmarshal(raw, &log); err != nil {
		return Log{}, fmt.Errorf("not a SARIF log: %w", err)
	}
	if log.Version != Version {
		return Log{}, fmt.Errorf("/version: %q (expected %q)", log.Version, Version)
	}
	return log, nil
}

// marshal writes without HTML escaping: texts are read by people, too.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(strings.TrimSuffix(b.String(), "\n")), nil
}
