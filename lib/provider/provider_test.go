package provider

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/jsondoc"
)

func catalogue(t *testing.T) *Catalogue {
	t.Helper()
	c, err := Builtin()
	if err != nil {
		t.Fatalf("embedded catalogue: %v", err)
	}
	return c
}

func row(t *testing.T, id string) *Provider {
	t.Helper()
	p, err := catalogue(t).Provider(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEmbeddedProviders(t *testing.T) {
	want := []string{"claude", "codex", "grok", "kimi", "gemini", "antigravity", "replay"}
	if got := catalogue(t).IDs(); !slices.Equal(got, want) {
		t.Errorf("providers %v, want %v", got, want)
	}
}

func TestEverySelectableModelCarriesAPrice(t *testing.T) {
	for _, p := range catalogue(t).Providers() {
		for _, m := range p.Models {
			if m.Selectable && m.Pricing == nil {
				t.Errorf("%s/%s has no price", p.ID, m.ID)
			}
		}
	}
}

// The rows that the reference catalogue fixes, digit by digit in value.
func TestModelRows(t *testing.T) {
	for _, tt := range []struct {
		name, id, exec, price string
		selectable            bool
	}{
		{"codex/gpt-6-astra", "gpt-6-astra", "gpt-6-astra", "10 1 50", true},
		{"codex/gpt-5.6-sol", "gpt-5.6-sol", "gpt-5.6-sol", "5 1/2 30", true},
		{"codex/gpt-5.6-terra", "gpt-5.6-terra", "gpt-5.6-terra", "2 1/5 12", true},
		{"codex/gpt-5.6-luna", "gpt-5.6-luna", "gpt-5.6-luna", "1/5 1/50 6/5", true},
		{"codex/gpt-5.4-mini", "gpt-5.4-mini", "gpt-5.4-mini", "3/4 3/40 9/2", false},
		{"codex/codex-auto-review", "codex-auto-review", "codex-auto-review", "none", false},
		{"codex", "gpt-5.6-sol", "gpt-5.6-sol", "5 1/2 30", true},
		{"kimi/kimi-k3", "kimi-k3", "kimi-k3", "3 3/10 15", true},
		{"kimi/kimi k3", "kimi-k3", "kimi-k3", "3 3/10 15", true},
		{"kimi/k3", "k3", "k3", "3 3/10 15", false},
		{"kimi/Kimi K3 256K", "k3-256k", "k3-256k", "3 3/10 15", false},
		{"claude", "opus", "opus", "5 1/2 25", true},
		{"claude/opus-4-7", "claude-opus-4-7", "claude-opus-4-7", "5 1/2 25", true},
		{"claude/sonnet", "sonnet", "sonnet", "3 3/10 15", true},
		{"claude/SONNET-4-6", "claude-sonnet-4-6", "claude-sonnet-4-6", "3 3/10 15", true},
		{"claude/haiku-4-5", "claude-haiku-4-5", "claude-haiku-4-5", "1 1/10 5", true},
		{"claude/claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001", "claude-haiku-4-5-20251001", "1 1/10 5", true},
		{"gemini/gemini auto", "auto", "", "none", false},
		{"grok", "grok-default", "", "none", false},
		{"replay", "replay", "replay", "0 0 0", true},
		{"opus", "opus", "opus", "5 1/2 25", true},
		{"Opus-4-7", "claude-opus-4-7", "claude-opus-4-7", "5 1/2 25", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, m, err := catalogue(t).Resolve(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			price := "none"
			if m.Pricing != nil {
				price = m.Pricing.Input().RatString() + " " + m.Pricing.Cached().RatString() + " " + m.Pricing.Output().RatString()
			}
			if m.ID != tt.id || m.ExecutionValue != tt.exec || price != tt.price || m.Selectable != tt.selectable {
				t.Errorf("got %s %q %s %v, want %s %q %s %v", m.ID, m.ExecutionValue, price, m.Selectable, tt.id, tt.exec, tt.price, tt.selectable)
			}
		})
	}
}

func TestUnknownModels(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"codex/gpt-5.6", `unknown model "gpt-5.6" of provider "codex" (expected gpt-5.6-luna, gpt-5.6-sol, gpt-5.6-terra or gpt-6-astra)`},
		{"codex/", `unknown model "" of provider "codex" (expected gpt-5.6-luna, gpt-5.6-sol, gpt-5.6-terra or gpt-6-astra)`},
		{"grok/grok-9", `unknown model "grok-9" of provider "grok" (expected none: it offers no model for selection)`},
		{"nobody/x", `unknown provider "nobody" (expected antigravity, claude, codex, gemini, grok, kimi or replay)`},
	} {
		if _, _, err := catalogue(t).Resolve(tt.name); err == nil || err.Error() != tt.want {
			t.Errorf("Resolve(%q): %v, want %s", tt.name, err, tt.want)
		}
	}
	_, _, err := catalogue(t).Resolve("gpt-5.6")
	unknown, ok := errors.AsType[*UnknownModelError](err)
	if !ok || !slices.IsSorted(unknown.Selectable) || !slices.Contains(unknown.Selectable, "kimi/kimi-k3") || slices.Contains(unknown.Selectable, "kimi/k3") {
		t.Errorf("Resolve(gpt-5.6) = %v, want an UnknownModelError with the sorted selectable models of all providers", err)
	}
}

func TestAModelNameOfTwoProvidersIsRefused(t *testing.T) {
	c := catalogue(t)
	if err := c.Add(doc(t, minimal(`"id":"other"`, `"models":[{"id":"opus","executionValue":"o","pricing":[1,1,1]}],"defaultModel":"opus"`))); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Resolve("opus"); err == nil || !strings.Contains(err.Error(), "claude/opus or other/opus") {
		t.Errorf("Resolve(opus) = %v, want both owners named", err)
	}
}

func doc(t *testing.T, text string) jsondoc.Doc {
	t.Helper()
	d, err := jsondoc.Parse("my.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// minimal is a row that leaves out all it can, with keys put over it.
func minimal(over ...string) string {
	keys := []string{
		`"schemaVersion":"1.0"`, `"kind":"okstra-provider"`, `"id":"mine"`, `"command":"mine"`, `"argv":["{promptPointer}"]`, `"prompt":"pointer"`,
		`"models":[{"id":"m","executionValue":"m","pricing":[1,0.1,2]}]`, `"defaultModel":"m"`,
	}
	for _, o := range over {
		name, _, _ := strings.Cut(o, ":")
		keys = slices.DeleteFunc(keys, func(k string) bool {
			return strings.HasPrefix(k, name+":") || strings.Contains(o, `,"defaultModel"`) && strings.HasPrefix(k, `"defaultModel"`)
		})
		keys = append(keys, o)
	}
	return "{" + strings.Join(keys, ",") + "}"
}

func TestAShortRowGetsDefaults(t *testing.T) {
	c := catalogue(t)
	if err := c.Add(doc(t, minimal())); err != nil {
		t.Fatal(err)
	}
	p, _ := c.Provider("mine")
	if p.Name() != "mine" || p.Cwd != "{workdir}" || !slices.Equal(p.Boundaries, []string{"none"}) || p.MaxBoundaryPrecision != "none" || p.HasStream() || !p.Models[0].Selectable || p.Models[0].DisplayName != "m" {
		t.Errorf("defaults missing: %+v", p)
	}
}

func TestAUsersRowReplacesAWholeRow(t *testing.T) {
	c := catalogue(t)
	if err := c.Add(doc(t, `[`+minimal(`"id":"codex"`)+`,`+minimal(`"id":"extra"`)+`]`)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"claude", "codex", "grok", "kimi", "gemini", "antigravity", "replay", "extra"}; !slices.Equal(c.IDs(), want) {
		t.Errorf("order %v, want %v", c.IDs(), want)
	}
	p, _ := c.Provider("codex")
	if p.Command != "mine" || len(p.Env.Pass) != 0 || p.TempDir != "" {
		t.Errorf("row not replaced whole: %+v", p)
	}
}

func TestFaultsOfARowAreFoundAtLoad(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"not an object", `[1]`, `my.json:1:2: /0: no provider row`},
		{"kind", `{"kind":"okstra-job"}`, `my.json:1:9: /kind: "okstra-job" (expected "okstra-provider")`},
		{"no kind", `{}`, `my.json:1:1: /kind: missing (expected "okstra-provider")`},
		{"newer version", minimal(`"schemaVersion":"2.0"`), `/schemaVersion: "2.0" (expected "1.0")`},
		{"wrong type", minimal(`"argv":"x"`), `/argv: `},
		{"id", minimal(`"id":"A B"`), `/id: "A B" is no provider id`},
		{"sandbox folder", minimal(`"sandboxDirs":[".x","a/b"]`), `/sandboxDirs/1: "a/b" is no folder at the top of a tree`},
		{"no command", minimal(`"command":""`), `/command: no command`},
		{"prompt", minimal(`"prompt":"argument"`), `/prompt: "argument" (expected stdin or pointer)`},
		{"prompt to nobody", minimal(`"argv":["-p"]`), `/argv: the prompt is given to nobody`},
		{"placeholder", minimal(`"argv":["{promptPointer}","{workdri}"]`), `/argv/1: unknown placeholder {workdri}`},
		{"open placeholder", minimal(`"argv":["{promptPointer}","{workdir"]`), `/argv/1: "{workdir" has a placeholder that is not closed`},
		{"empty placeholder", minimal(`"argv":["{promptPointer}","{}"]`), `/argv/1: unknown placeholder {}`},
		{"bad variable", minimal(`"writableHome":["{env:A-B}"]`), `/writableHome/0: unknown placeholder {env:A-B}`},
		{"no boundary", minimal(`"boundaries":[]`), `/boundaries: an empty list`},
		{"a boundary twice", minimal(`"boundaries":["none","none"]`), `/boundaries/1: "none" stands there twice`},
		{"a null argument", minimal(`"argv":["{promptPointer}",null]`), `/argv/1: null (expected a value`},
		{"a null variable", minimal(`"env":{"set":{"A":null}}`), `/env/set/A: null (expected a value`},
		{"an event without a name", minimal(`"stream":{"format":"jsonl","good":[""]}`), `/stream/good/0: "" is blank`},
		{"two prices", minimal(`"models":[{"id":"m","executionValue":"m","pricing":[1,1]}],"defaultModel":"m"`), `/models/0/pricing: an array (expected an array of 3)`},
		{"boundary", minimal(`"boundaries":["chroot"]`), `/boundaries/0: "chroot" (expected overlay, landlock or none)`},
		{"variant", minimal(`"variants":{"chroot":{}}`), `/variants/chroot: unknown boundary`},
		{"variant value type", minimal(`"variants":{"none":{"x":1}}`), `/variants`},
		{"replace", minimal(`"variants":{"none":{"replace":{"--nope":""}}}`), `the arguments "--nope" do not occur in argv`},
		{"hidden placeholder", minimal(`"variants":{"none":{"workdir":"/x"}}`), `would hide a placeholder`},
		{"precision", minimal(`"maxBoundaryPrecision":"exact"`), `/maxBoundaryPrecision: "exact"`},
		{"temp", minimal(`"tempDir":"/x"`), `/tempDir: "/x"`},
		{"pass", minimal(`"env":{"pass":["A","B*C"]}`), `/env/pass/1: "B*C" is no variable`},
		{"set", minimal(`"env":{"set":{"A=B":"x"}}`), `/env/set/A=B: "A=B" is no variable`},
		{"stream without good end", minimal(`"stream":{"format":"jsonl"}`), `/stream/good: no event ends a run well`},
		{"pointer", minimal(`"stream":{"format":"text","usagePointer":"usage"}`), `/stream/usagePointer: "usage" is no JSON pointer`},
		{"minted to nobody", minimal(`"session":{"mint":true,"from":"minted"}`), `/argv: the minted session id is given to nobody`},
		{"mint disagrees", minimal(`"session":{"mint":true,"from":"stream"}`), `/session/mint: true with an id from "stream"`},
		{"cause place", minimal(`"causes":[{"match":{"log":"x"},"cause":"c"}]`), `/causes/0/match/log: "log" (expected stderr, stdout or sessionFile)`},
		{"cause matches all", minimal(`"causes":[{"match":{},"cause":"c"}]`), `/causes/0/match: matches everything`},
		{"cause word", minimal(`"causes":[{"match":{"stderr":"x"},"cause":"C d"}]`), `/causes/0/cause: "C d" is no cause`},
		{"no price", minimal(`"models":[{"id":"m","executionValue":"m"}],"defaultModel":"m"`), `/models/0/pricing: model "m" is selectable and has no price`},
		{"price form", minimal(`"models":[{"id":"m","executionValue":"m","pricing":[1,-1,1e3]}],"defaultModel":"m"`), `/models/0/pricing/1: "-1" is no price`},
		{"alias twice", minimal(`"models":[{"id":"m","executionValue":"m","pricing":[1,1,1]},{"id":"n","executionValue":"n","aliases":["M"],"pricing":[1,1,1]}],"defaultModel":"m"`), `/models/1/aliases/0: "M" already names model "m"`},
		{"default", minimal(`"defaultModel":"x"`), `/defaultModel: "x" is none of the models`},
		{"twice", `[` + minimal() + `,` + minimal() + `]`, `/1/id: provider "mine" stands twice in this file`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := catalogue(t)
			before := len(c.IDs())
			err := c.Add(doc(t, tt.text))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Add: %v, want an error with %q", err, tt.want)
			}
			if len(c.IDs()) != before {
				t.Error("a faulty file added something")
			}
		})
	}
}

func TestAllFaultsAreNamedAtOnce(t *testing.T) {
	err := catalogue(t).Add(doc(t, minimal(`"prompt":"x"`, `"tempDir":"y"`, `"boundaries":["z"]`)))
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("got %v, want three lines", err)
	}
}

func TestARowSurvivesARoundTrip(t *testing.T) {
	for _, p := range catalogue(t).Providers() {
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		back := &Catalogue{}
		if err := back.Add(doc(t, string(text))); err != nil {
			t.Fatalf("%s: %v", p.ID, err)
		}
		if diff := cmp.Diff(p, back.providers[0]); diff != "" {
			t.Errorf("%s (-first +second):\n%s", p.ID, diff)
		}
	}
}

// Whatever stands in a key of a row: it is refused when it is loaded, with its
// place, or it is of use to everybody who uses a row.
func TestEveryKeyOfARowMayHoldAnything(t *testing.T) {
	for _, id := range []string{"claude", "codex"} { // together they have every key
		p := *row(t, id)
		p.Models = p.Models[:1]
		p.DefaultModel = p.Models[0].ID
		text, err := json.Marshal(&p)
		if err != nil {
			t.Fatal(err)
		}
		whole := doc(t, string(text))
		for _, pointer := range pointersOf(t, whole, "") {
			for _, value := range []string{`null`, `[]`, `{}`, `""`, `" "`, `[null]`, `[""]`, `{"":null}`, `0`, `-1`, `true`, `"x"`, `"{"`, `["a","a"]`} {
				changed, err := whole.Set(pointer, json.RawMessage(value))
				if err != nil {
					t.Fatal(err)
				}
				back := &Catalogue{}
				err = back.Add(changed)
				if _, ok := errors.AsType[*RowError](firstOf(err)); err != nil && !ok {
					t.Errorf("%s: %s = %s: %v is no fault with a place", p.ID, pointer, value, err)
				}
				for _, row := range back.Providers() {
					use(t, row)
				}
			}
		}
	}
}

// firstOf is the first of joined errors.
func firstOf(err error) error {
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		return list.Unwrap()[0]
	}
	return err
}

// pointersOf lists all values of a document.
func pointersOf(t *testing.T, d jsondoc.Doc, at string) []string {
	t.Helper()
	var list []string
	for _, key := range d.Keys(at) {
		list = append(append(list, at+"/"+key), pointersOf(t, d, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key))...)
	}
	for i := range d.Len(at) {
		child := at + "/" + strconv.Itoa(i)
		list = append(append(list, child), pointersOf(t, d, child)...)
	}
	return list
}

// use does with a row what the programs do.
func use(t *testing.T, p *Provider) {
	t.Helper()
	if len(p.Boundaries) == 0 {
		t.Errorf("%s: no boundary", p.ID)
	}
	environ := []string{"PATH=/bin", "HOME=/home/u"}
	for _, kind := range p.Boundaries {
		_, _ = p.Launch(Values{Workdir: "/w", Self: "/self", Boundary: kind, TempDir: "/tmp", PromptPath: "/p", SessionID: "s", ModelExecutionValue: "m"}, environ)
	}
	_, _ = p.OwnSandbox(), p.HasStream()
	_, _ = p.CredentialVariable(environ), p.CredentialFiles(environ)
	if _, err := p.Resolve(""); err != nil {
		t.Errorf("%s: %v", p.ID, err)
	}
	for _, m := range p.Models {
		if m.Pricing != nil && (m.Pricing.Input() == nil || m.Pricing.Cached() == nil || m.Pricing.Output() == nil) {
			t.Errorf("%s/%s: a price that is no number", p.ID, m.ID)
		}
	}
}
