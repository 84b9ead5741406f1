package okstra_test

// rule is what one package may import, and what it is for.
type rule struct {
	shelf string
	pkg   string   // "lib/transcript/*" stands for every package below that has no row of its own
	does  string   // one responsibility
	uses  []string // packages of this module: a row's pkg, or a shelf as "bytes shelf"
	third []string // modules, by the short names of thirdParty
	why   string   // the reason for an arrow that needs one
}

// The import table. A package may import what its row lists and nothing else,
// and a row lists only packages of rows above it; the few that stand on one
// shelf and build on each other come in that order. A new package gets a row
// here (the order is the order of docs/architecture.md, which a test compares)
// with the responsibility that it alone has.
var table = []rule{
	{
		shelf: "bytes", pkg: "lib/safetext",
		does:  "untrusted text made safe to show",
		third: []string{"x/text", "uax29"},
	},
	{
		shelf: "bytes", pkg: "lib/jsondoc",
		does:  "one JSON document: strict reading with positions, order-keeping edits, --select",
		third: []string{"json", "gjson", "sjson", "gojq"},
	},
	{
		shelf: "bytes", pkg: "lib/jsonl",
		does:  "a stream of JSON lines, each with its position",
		uses:  []string{"lib/jsondoc"},
		third: []string{"json"},
		why:   "a line is a small document: one strict reader, not two",
	},
	{
		shelf: "bytes", pkg: "lib/digest",
		does:  "the canonical form of a JSON value and its SHA-256",
		third: []string{"json"},
	},
	{
		shelf: "bytes", pkg: "lib/atomicfile",
		does:  "files that survive a crash and a second writer: replace, append, lock",
		third: []string{"renameio", "flock", "x/sys"},
	},
	{
		shelf: "bytes", pkg: "lib/dirfd",
		does:  "what a directory holds, asked by its descriptor",
		third: []string{"x/sys"},
	},

	{
		shelf: "shell", pkg: "lib/cli",
		does:  "a function becomes a process: streams, flags, help, error line, status, signals",
		uses:  []string{"bytes shelf"},
		third: []string{"kingpin", "x/term"},
	},
	{
		shelf: "shell", pkg: "lib/cli/bar",
		does:  "a bar on the terminal while a program works",
		uses:  []string{"lib/cli"},
		third: []string{"mpb"},
		why:   "a package of its own, for mpb takes part of a millisecond to start in programs that draw nothing",
	},

	{
		shelf: "model", pkg: "lib/finding",
		does: "a located finding and its order",
	},
	{
		shelf: "model", pkg: "lib/progress",
		does: "the PROGRESS line grammar",
	},
	{
		shelf: "model", pkg: "lib/gitrepo",
		does: "questions to a git repository, worktrees",
		uses: []string{"lib/jsondoc", "lib/atomicfile"},
	},
	{
		shelf: "model", pkg: "lib/schema",
		does:  "the embedded schemas; document → findings",
		uses:  []string{"lib/jsondoc", "lib/finding"},
		third: []string{"jsonschema"},
	},
	{
		shelf: "model", pkg: "lib/run",
		does: "the run folder: its typed documents, references and where each lies",
		uses: []string{"bytes shelf", "lib/finding", "lib/schema"},
	},
	{
		shelf: "model", pkg: "lib/provider",
		does: "the provider catalogue: how to start each, its models",
		uses: []string{"lib/jsondoc"},
	},
	{
		shelf: "model", pkg: "lib/price",
		does: "model name and tokens → money",
		uses: []string{"lib/provider"},
	},
	{
		shelf: "model", pkg: "lib/sarif",
		does: "SARIF 2.1.0 reading and writing",
		uses: []string{"lib/jsondoc"},
	},

	{
		shelf: "transcripts", pkg: "lib/transcript",
		does: "the Event type, the signature of a reader, where homes are",
	},
	{
		shelf: "transcripts", pkg: "lib/transcript/rawjson",
		does: "one pass over a transcript line without allocating",
		why:  "the hot path of token-usage; gjson walks a line once per field",
	},
	{
		shelf: "transcripts", pkg: "lib/transcript/lines",
		does: "what the line-based formats share: rows, sizes, skipped lines",
		uses: []string{"lib/transcript", "lib/transcript/rawjson"},
	},
	{
		shelf: "transcripts", pkg: "lib/transcript/*",
		does:  "one provider's file format → events",
		uses:  []string{"lib/transcript", "lib/transcript/rawjson", "lib/transcript/lines", "lib/jsonl"},
		third: []string{"gjson", "compress", "sqlite"},
	},
	{
		shelf: "transcripts", pkg: "lib/transcript/all",
		does: "provider name → reader",
		uses: []string{"lib/transcript", "lib/transcript/*", "lib/transcript/rawjson"},
		why:  "rawjson: whose a file is tell the keys of its first objects",
	},
	{
		shelf: "transcripts", pkg: "lib/evidence",
		does:  "a lead's log or transcript → progress lines in a window",
		uses:  []string{"lib/progress", "lib/transcript", "lib/transcript/all", "lib/jsonl", "lib/jsondoc"},
		third: []string{"compress"},
		why:   "jsondoc: what its error means; compress: Codex packs rollouts that rest for a week",
	},

	{
		shelf: "converge", pkg: "lib/converge/grouping",
		does: "the Markdown of workers and lead (results, grouping, verdicts, critics) ↔ values",
		uses: []string{"lib/run", "lib/finding"},
	},
	{
		shelf: "converge", pkg: "lib/converge/agreement",
		does: "agreement statistics of a rating table",
	},
	{
		shelf: "converge", pkg: "lib/converge",
		does: "groups + verdicts → state, queue, classification; pure",
		uses: []string{"lib/run", "lib/finding", "lib/digest", "lib/sarif", "lib/converge/grouping", "lib/converge/agreement"},
		why:  "takes the parsed Markdown as its input values",
	},
	{
		shelf: "converge", pkg: "lib/converge/planbody",
		does: "the items of a plan + verdicts → state, gate; pure",
		uses: []string{"lib/run", "lib/finding", "lib/digest", "lib/converge/grouping", "lib/converge"},
		why:  "its packets, refusals and codes are those of convergence",
	},

	{
		shelf: "dispatch", pkg: "lib/writepolicy",
		does: "what a worker may write, and what can be promised about it",
		uses: []string{"lib/run", "lib/digest", "lib/jsondoc", "lib/gitrepo"},
	},
	{
		shelf: "dispatch", pkg: "lib/audit",
		does:  "snapshots of a tree, compared and judged",
		uses:  []string{"lib/writepolicy", "lib/run", "lib/gitrepo", "lib/digest", "lib/jsondoc", "lib/dirfd"},
		third: []string{"x/sys"},
	},
	{
		shelf: "dispatch", pkg: "lib/dispatch/proc",
		does:  "one process tree: start, limits, verified end",
		uses:  []string{"lib/run"},
		third: []string{"x/sys"},
		why:   "run: the words of the status file",
	},
	{
		shelf: "dispatch", pkg: "lib/dispatch/boundary",
		does:  "overlay, Landlock or none around a process",
		uses:  []string{"lib/atomicfile", "lib/run", "lib/dispatch/proc", "lib/writepolicy"},
		third: []string{"go-landlock", "x/sys"},
		why:   "run: the words of the write policy; atomicfile: what a worker wrote is moved into place whole",
	},
	{
		shelf: "dispatch", pkg: "lib/dispatch/stream",
		does:  "what a running CLI prints → session, usage, how it ended",
		uses:  []string{"lib/provider", "lib/jsonl", "lib/run", "lib/safetext", "lib/dispatch/proc"},
		third: []string{"gjson"},
		why:   "run: the usage block; safetext: the readable log; proc: follows its output file",
	},
	{
		shelf: "dispatch", pkg: "lib/dispatch/replay",
		does:  "the provider that plays recordings",
		uses:  []string{"lib/provider", "lib/jsondoc"},
		third: []string{"x/sys"},
		why:   "a recording may end by a signal, named as in a status file",
	},
	{
		shelf: "dispatch", pkg: "lib/dispatch/preflight",
		does:  "what a machine offers before a batch needs it: CLIs, logins, boundaries, room",
		uses:  []string{"lib/safetext", "lib/run", "lib/provider", "lib/dispatch/proc", "lib/dispatch/boundary"},
		third: []string{"x/sys"},
	},
	{
		shelf: "dispatch", pkg: "lib/dispatch",
		does: "plan → batch → outcome, retries, ledger",
		uses: []string{
			"bytes shelf", "lib/finding", "lib/schema", "lib/run", "lib/provider", "lib/price", "lib/progress",
			"lib/writepolicy", "lib/audit", "lib/gitrepo", "lib/converge/grouping",
			"lib/dispatch/proc", "lib/dispatch/boundary", "lib/dispatch/stream", "lib/dispatch/replay",
		},
		third: []string{"x/sync", "x/sys"},
		why:   "converge/grouping: whether a result can be read is told by its parser; x/sys: free space before a batch",
	},

	{
		shelf: "usage", pkg: "lib/usage/scan",
		does:  "homes → events, in parallel, incrementally (the cache)",
		uses:  []string{"lib/transcript", "lib/transcript/rawjson", "lib/transcript/all", "lib/atomicfile", "lib/dirfd"},
		third: []string{"x/sync", "x/sys", "compress"},
		why:   "x/sys: what of a file is in memory; a packed transcript is opened here, for every provider alike; rawjson reads the cache's rows as fast as transcripts",
	},
	{
		shelf: "usage", pkg: "lib/usage/attribute",
		does: "which session belongs to which worker",
		uses: []string{"lib/transcript", "lib/transcript/*", "lib/run"},
		why:  "where a sub-agent's file lies tells its lead, and each provider does it in its own way",
	},
	{
		shelf: "usage", pkg: "lib/usage",
		does: "events → totals, cost, phase timeline",
		uses: []string{"lib/transcript", "lib/transcript/rawjson", "lib/price", "lib/run", "lib/progress", "lib/evidence"},
		why:  "rawjson: what is a count stands there",
	},
	{
		shelf: "usage", pkg: "lib/usage/collect",
		does: "a run's team state and its transcripts → the team state filled in",
		uses: []string{
			"bytes shelf", "lib/run", "lib/schema", "lib/price", "lib/progress", "lib/transcript", "lib/evidence",
			"lib/usage/scan", "lib/usage/attribute", "lib/usage",
		},
		why: "it is where the parts of usage meet",
	},
	{
		shelf: "usage", pkg: "lib/usage/report",
		does: "the runs of a project → what they consumed, as text, table or page",
		uses: []string{"bytes shelf", "lib/run", "lib/price", "lib/transcript"},
		why:  "it reads the team states of all runs; of transcript, sums that do not wrap",
	},

	{
		shelf: "translate", pkg: "lib/translate",
		does:  "report data ↔ translatable items, sidecar",
		uses:  []string{"lib/run", "lib/digest", "lib/finding", "lib/jsondoc"},
		third: []string{"x/text"},
		why:   "jsondoc: an edit must keep the order of the report's keys",
	},
	{
		shelf: "translate", pkg: "lib/translate/check",
		does:  "source and translation compared",
		uses:  []string{"lib/finding"},
		third: []string{"goldmark", "x/text"},
	},
	{
		shelf: "translate", pkg: "lib/translate/po",
		does: "gettext PO ↔ items",
		uses: []string{"lib/translate"},
	},
	{
		shelf: "translate", pkg: "lib/translate/xliff",
		does: "XLIFF ↔ items",
		uses: []string{"lib/translate"},
	},

	{
		shelf: "wizard", pkg: "lib/wizard",
		does:  "(state, facts, event) → (state, screen); the step table, the picker; pure",
		uses:  []string{"lib/run"},
		third: []string{"x/text"},
	},
	{
		shelf: "wizard", pkg: "lib/wizard/facts",
		does:  "a project → what the steps need to know",
		uses:  []string{"bytes shelf", "lib/wizard", "lib/run", "lib/provider", "lib/gitrepo"},
		third: []string{"x/text"},
		why:   "it reads documents and rows of old runs, and language tags; the wizard itself reads nothing",
	},
	{
		shelf: "wizard", pkg: "lib/wizard/hosts",
		does: "screen → a host's payload, a host's reply → answer",
		uses: []string{"lib/wizard", "lib/safetext", "lib/jsondoc"},
	},

	{
		shelf: "report", pkg: "lib/render/markup",
		does:  "the prose of a report as HTML",
		uses:  []string{"lib/safetext"},
		third: []string{"goldmark"},
		why:   "a package of its own, for goldmark takes milliseconds to start in programs that write no HTML",
	},
	{
		shelf: "report", pkg: "lib/render",
		does:  "a report as Markdown or HTML, charts included",
		uses:  []string{"lib/run", "lib/finding", "lib/safetext", "lib/jsondoc", "lib/render/markup"},
		third: []string{"goldmark"},
		why:   "jsondoc: sections appear in the order of the data; markup and goldmark: in tests only",
	},

	{
		shelf: "validate", pkg: "lib/validate",
		does: "run folder → findings; the rule table",
		uses: []string{
			"bytes shelf", "lib/run", "lib/schema", "lib/finding", "lib/progress", "lib/evidence", "lib/provider",
			"lib/writepolicy", "lib/converge", "lib/converge/grouping", "lib/converge/planbody", "lib/translate", "lib/render",
		},
		third: []string{"x/sync", "testscript"},
		why:   "provider: a model may be asked for by another name; testscript: its txtar holds the example of each rule, in tests",
	},

	{
		shelf: "output", pkg: "lib/finding/output",
		does:  "findings as text, JSON, SARIF, JUnit, GitHub, in-toto",
		uses:  []string{"lib/finding", "lib/sarif", "lib/safetext"},
		third: []string{"jsonschema"},
		why:   "jsonschema: the public SARIF schema, in a test",
	},

	{
		shelf: "test", pkg: "lib/clitest",
		does:  "script set-up, exits, console blocks, fake CLIs, no-root helper",
		uses:  []string{"lib/cli"},
		third: []string{"testscript"},
		why:   "cli: it runs the examples of an App's help",
	},
	{
		shelf: "test", pkg: "lib/clitest/sarifjudge",
		does:  "SARIF logs held against the schema and the code of others",
		third: []string{"go-sarif", "jsonschema"},
		why:   "apart from clitest, whose every program would compile these libraries' schemas when it starts",
	},
	{
		shelf: "test", pkg: "lib/clitest/modelserver",
		does: "the stand-in model server",
	},
	{
		shelf: "test", pkg: "lib/clitest/usagehome",
		does: "a home full of transcripts, for benchmarks",
	},
	{
		shelf: "test", pkg: "lib/clitest/usagebench",
		does: "token-usage's time beside grep's, find's and the peers'",
		uses: []string{"lib/clitest/usagehome"},
	},
	{
		shelf: "test", pkg: "lib/clitest/testrun",
		does: "go test with the skips counted",
	},
	{
		shelf: "test", pkg: "lib/clitest/e2e",
		does: "the real CLIs against the stand-in server",
		uses: []string{"lib/clitest", "lib/clitest/modelserver"},
	},

	{
		shelf: "programs", pkg: "cmd/*",
		does:  "flags, help and wiring",
		uses:  []string{"every shelf but test"},
		third: []string{"x/text", "x/sync"},
		why:   "a flag may hold a language tag, and several files are read side by side",
	},
}

// thirdParty gives the modules that the table names their import paths. A
// module that is not here cannot be imported at all.
var thirdParty = map[string]string{
	"compress":    "github.com/klauspost/compress",
	"flock":       "github.com/gofrs/flock",
	"gjson":       "github.com/tidwall/gjson",
	"go-cmp":      "github.com/google/go-cmp",
	"go-landlock": "github.com/landlock-lsm/go-landlock",
	"gojq":        "github.com/itchyny/gojq",
	"go-sarif":    "github.com/owenrumney/go-sarif/v3",
	"goldmark":    "github.com/yuin/goldmark",
	"json":        "github.com/go-json-experiment/json",
	"jsonschema":  "github.com/santhosh-tekuri/jsonschema/v6",
	"kingpin":     "github.com/alecthomas/kingpin/v2",
	"mpb":         "github.com/vbauerster/mpb/v8",
	"rapid":       "pgregory.net/rapid",
	"renameio":    "github.com/google/renameio/v2",
	"sjson":       "github.com/tidwall/sjson",
	"sqlite":      "modernc.org/sqlite",
	"testscript":  "github.com/rogpeppe/go-internal",
	"uax29":       "github.com/clipperhouse/uax29/v2",
	"x/sync":      "golang.org/x/sync",
	"x/sys":       "golang.org/x/sys",
	"x/term":      "golang.org/x/term",
	"x/text":      "golang.org/x/text",
}
