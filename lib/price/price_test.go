package price

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/jsondoc"
	"okstra/lib/provider"
)

func use(model string, in, read, w5, w1, out int64) Use {
	return Use{Model: model, Calls: 1, Tokens: Tokens{in, read, w5, w1, out}}
}

func fast(u Use) Use { u.Fast = true; return u }

func calls(n int64, u Use) Use { u.Calls = n; return u }

func TestVectors(t *testing.T) {
	for _, tt := range []struct {
		name string
		use  Use
		cost string
		be   int64 // 0: not stated
	}{
		{"claude", use("claude-opus-4-8", 1200, 90000, 8000, 4000, 2500), "0.2035", 40700},
		{"sol", use("gpt-5.6-sol", 10000, 40000, 0, 0, 3000), "0.16", 32000},
		{"terra", use("gpt-5.6-terra", 10000, 40000, 0, 0, 3000), "0.064", 32000},
		{"luna", use("gpt-5.6-luna", 10000, 40000, 0, 0, 3000), "0.0064", 32000},
		{"kimi-k3", use("kimi-k3", 10000, 30000, 0, 0, 2000), "0.069", 23000},
		{"behaviour 26: k3", use("k3", 10000, 30000, 0, 0, 2000), "0.069", 23000},
		{"behaviour 26: kimi-code/k3", use("kimi-code/k3", 10000, 30000, 0, 0, 2000), "0.069", 23000},
		{"report 35: the whole request switches tier", use("claude-sonnet-4-5", 150000, 100000, 0, 0, 0), "0.96", 0},
		{"report 35: 250k", use("claude-sonnet-4-5", 250000, 0, 0, 0, 0), "1.5", 0},
		{"the limit itself is below the tier", use("claude-sonnet-4-5", 200000, 0, 0, 0, 0), "0.6", 0},
		{"grok's tier begins at its limit", use("grok-4.7", 200000, 0, 0, 0, 0), "0.8", 0},
		{"the tier goes by the average prompt", calls(2, use("claude-sonnet-4-5", 250000, 0, 0, 0, 0)), "0.75", 0},
		{"an average below grok's limit, be it by half a token", calls(2, use("grok-4.7", 399999, 0, 0, 0, 0)), "0.799998", 0},
		{"an average of just grok's limit", calls(2, use("grok-4.7", 400000, 0, 0, 0, 0)), "1.6", 0},
		{"report 36: 1h writes at twice the input rate", use("claude-sonnet-4-5", 0, 0, 0, 100000, 0), "0.6", 200000},
		{"5m writes", use("claude-sonnet-4-5", 0, 0, 100000, 0, 0), "0.375", 125000},
		{"report 37: fast opus-4-6", fast(use("claude-opus-4-6", 1000, 0, 0, 0, 1000)), "0.18", 6000},
		{"report 37: fast opus-4-8", fast(use("claude-opus-4-8", 1000, 0, 0, 0, 1000)), "0.06", 6000},
		{"report 37: fast astra", fast(use("gpt-6-astra", 1000, 0, 0, 0, 1000)), "0.12", 6000},
		{"no fast multiplier", fast(use("claude-haiku-4-5", 1000, 0, 0, 0, 1000)), "0.006", 6000},
		{"writes of other vendors at the input rate", use("gpt-5.6-sol", 0, 0, 1000, 0, 0), "0.005", 1000},
		{"half a token of equivalent rounds up", use("claude-opus-4-8", 0, 5, 0, 0, 0), "0.000003", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := NewBill(Default())
			b.Add(tt.use)
			cost, complete := b.Cost()
			if cost == nil || !complete {
				t.Fatalf("cost %v, complete %v", cost, complete)
			}
			text, _ := json.Marshal(*cost)
			if string(text) != tt.cost {
				t.Errorf("cost = %s, want %s", text, tt.cost)
			}
			if got := b.BillableEquivalent(); tt.be != 0 && got != tt.be {
				t.Errorf("billable equivalent = %d, want %d", got, tt.be)
			}
		})
	}
}

func TestLookup(t *testing.T) {
	for _, tt := range []struct{ name, model, rule string }{
		{"gpt-5.6-terra", "gpt-5.6-terra", "exact"},
		{" GPT-5.6-Terra ", "gpt-5.6-terra", "exact"},
		{"openai/gpt-5.6", "gpt-5.6", "exact"},
		{"gpt-5.6-nova", "", "none"}, // behaviour 25: a sibling has a price of its own
		{"gpt-5.4-pro", "", "none"},
		{"claude-opus-4-8-20260301", "claude-opus-4-8", "exact"},
		{"claude-opus-4-8@20260301", "claude-opus-4-8", "exact"},
		{"anthropic/claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5", "exact"},
		{"claude-opus-4-20250514", "claude-opus-4", "exact"},
		{"claude-opus-4-9", "", "none"},
		{"opus", "claude-opus-4-8", "alias"},
		{"Kimi K3", "kimi-k3", "alias"},
		{"k3-512k", "", "none"},
		{"Gemini 3.1 Pro (Low)", "gemini-3.1-pro", "exact"},
		{"Claude Opus 4.6 (Thinking)", "claude-opus-4-6", "exact"},
		{"Gemini 3.1 Pro Preview", "gemini-3.1-pro", "prefix"},
		{"Some Model (High)", "", "none"},
		{"grok-4.3-fast", "grok-4.3", "prefix"},
		{"grok-4.30", "", "none"},
		{"gemini-2.5-flash-lite-preview", "gemini-2.5-flash-lite", "prefix"},
		{"gemini-2.5-flash:free", "gemini-2.5-flash", "prefix"},
		{"codex-auto-review", "codex-auto-review", "exact"},
		{"model-99999999", "", "none"},
		{"", "", "none"},
		{"/", "", "none"},
	} {
		m := Default().Lookup(tt.name)
		got := ""
		if m.Row != nil {
			got = m.Row.Model
		}
		if got != tt.model || m.Rule != tt.rule {
			t.Errorf("Lookup(%q) = %q by %s, want %q by %s", tt.name, got, m.Rule, tt.model, tt.rule)
		}
	}
}

func TestWhatIsNotPricedIsNamed(t *testing.T) {
	b := NewBill(Default())
	for _, u := range []Use{
		use("codex-auto-review", 1000, 0, 0, 0, 0), use("gpt-7-x", 10, 0, 0, 0, 0), use("gpt-7-y", 0, 0, 0, 0, 0),
		use("<synthetic>", 5, 0, 0, 0, 0), use("", 5, 0, 0, 0, 0),
	} {
		b.Add(u)
	}
	if cost, complete := b.Cost(); cost != nil || complete {
		t.Errorf("behaviour 27: cost = %v, complete %v, want none", cost, complete)
	}
	b.Add(use("gpt-5.6-sol", 1000, 0, 0, 0, 0))
	cost, complete := b.Cost()
	if cost == nil || cost.Micros() != 5000 || complete {
		t.Errorf("cost = %v, complete %v, want 0.005, incomplete", cost, complete)
	}
	if got := fmt.Sprint(b.Unmatched()); got != "[codex-auto-review gpt-7-x]" {
		t.Errorf("unmatched = %s", got)
	}
}

func TestUncertainRatesAreNamedWhenUsed(t *testing.T) {
	for _, tt := range []struct {
		use  Use
		want string
	}{
		{use("gpt-5.5", 1000, 500, 0, 0, 7), "[]"},
		{use("gpt-5.5", 300000, 0, 0, 0, 0), "[gpt-5.5]"},
		{use("gpt-5.5", 10, 0, 5, 0, 0), "[gpt-5.5]"},
		{use("gpt-5.6", 10, 0, 0, 0, 0), "[gpt-5.6]"},
		{use("gemini-3.1-pro", 10, 0, 0, 0, 9), "[]"},
		{use("gemini-3.1-pro", 10, 5, 0, 0, 9), "[gemini-3.1-pro]"},
		{use("claude-sonnet-4-6", 100, 0, 0, 0, 0), "[]"},
		{use("claude-sonnet-4-6", 100, 250000, 0, 0, 0), "[claude-sonnet-4-6]"},
		{use("claude-opus-4-8", 1, 2, 3, 4, 5), "[]"},
	} {
		b := NewBill(Default())
		b.Add(tt.use)
		if got := fmt.Sprint(b.UncertainRates()); got != tt.want {
			t.Errorf("%+v: uncertain %s, want %s", tt.use, got, tt.want)
		}
	}
}

func TestAbsurdCountsDoNotWrap(t *testing.T) {
	b := NewBill(Default())
	for range 5000 {
		b.Add(use("claude-opus-4-8", 1<<53, 1<<53, 1<<53, 1<<53, 1<<53))
	}
	cost, complete := b.Cost()
	if *cost != math.MaxInt64 || b.BillableEquivalent() != math.MaxInt64 || complete {
		t.Errorf("cost %d, complete %t, equivalent %d, want both at the limit, and not all", *cost, complete, b.BillableEquivalent())
	}
}

// Splitting a bill never changes it: sums are exact, rounding comes last.
func TestBillIsAdditive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "uses")
		b, want := NewBill(Default()), new(big.Rat)
		for range n {
			row := rapid.SampledFrom(Default().Rows).Draw(t, "row")
			if row.Base == nil {
				continue
			}
			count := rapid.Int64Range(0, 400000)
			u := use(row.Model, count.Draw(t, "in"), count.Draw(t, "read"), count.Draw(t, "w5"), count.Draw(t, "w1"), count.Draw(t, "out"))
			b.Add(u)
			rates := row.Base
			prompt := u.Input + u.CacheRead + u.CacheWrite5m + u.CacheWrite1h
			if row.Tier != nil && (prompt > row.Tier.Limit || row.Tier.Reached && prompt == row.Tier.Limit) {
				rates = &row.Tier.Rates
			}
			for _, part := range []struct {
				n int64
				r Rate
			}{{u.Input, rates.Input}, {u.CacheRead, rates.Cached}, {u.CacheWrite5m, rates.Write5m}, {u.CacheWrite1h, rates.Write1h}, {u.Output, rates.Output}} {
				want.Add(want, new(big.Rat).Mul(part.r, big.NewRat(part.n, 1)))
			}
		}
		cost, _ := b.Cost()
		if cost == nil {
			return
		}
		nanos := want.Mul(want, big.NewRat(1000, 1))
		if got := big.NewRat(int64(*cost), 1); new(big.Rat).Abs(got.Sub(got, nanos)).Cmp(big.NewRat(1, 2)) > 0 {
			t.Errorf("cost %d is more than half a nano-dollar from %s", *cost, nanos.FloatString(3))
		}
	})
}

func TestUSDPrintsAndReads(t *testing.T) {
	for nanos, want := range map[USD]string{0: "0", 499: "0", 500: "0.000001", 203_500_000: "0.2035", 1_500_000_000: "1.5", 12_000_000_000: "12", 999_999_999_500: "1000"} {
		text, err := json.Marshal(nanos)
		if err != nil || string(text) != want {
			t.Errorf("%d prints %s (%v), want %s", nanos, text, err, want)
		}
		var back USD
		if err := json.Unmarshal(text, &back); err != nil || back.Micros() != nanos.Micros() {
			t.Errorf("%s reads as %d (%v)", text, back, err)
		}
	}
	var u USD
	if err := json.Unmarshal([]byte("1e-05"), &u); err != nil || u.Micros() != 10 {
		t.Errorf("1e-05 reads as %d (%v)", u, err)
	}
	for _, bad := range []string{`"1"`, "-1", "1e400"} {
		if err := json.Unmarshal([]byte(bad), &u); err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

func TestBrokenTablesNameEveryLine(t *testing.T) {
	head := strings.Join(columns, "\t")
	row := "m\t-\t=\t1\t0.1\t5\tin?\tin?\t-\t-\t-\t-\t-\tx\t2026-01\tlisted"
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", "t:1: no heading"},
		{"column missing", "model\tmatch\n", "no column aliases, input"},
		{"short line", head + "\nm\t-\n", "t:2: 2 columns (expected 16)"},
		{"two faults", head + "\n" + strings.Replace(row, "\t=\t", "\t~\t", 1) + "\n" + strings.Replace(row, "\t0.1\t", "\t-0.1\t", 1) + "\n", "t:3: cached \"-0.1\""},
		{"a name that is never looked up", head + "\n" + strings.Replace(row, "m\t", "Vendor/M-20260301\t", 1) + "\n", "model \"vendor/m-20260301\": no name finds it, for names are looked up as \"m\""},
		{"second row", head + "\n" + row + "\n" + row + "\n", "t:3: model \"m\": second row"},
		{"confidence", head + "\n" + strings.Replace(row, "listed", "sure", 1) + "\n", "confidence \"sure\""},
		{"half a price", head + "\n" + strings.Replace(row, "\t0.1\t", "\t-\t", 1) + "\n", "all or none"},
		{"write rate", head + "\n" + strings.Replace(row, "in?", "3", 1) + "\n", "write5m \"3\""},
		{"tier", head + "\n" + strings.Replace(row, "in?\tin?\t-\t", "in?\tin?\t200\t", 1) + "\n", "tier_from \"200\""},
		{"tier without rates", head + "\n" + strings.Replace(row, "in?\tin?\t-\t", "in?\tin?\t>200\t", 1) + "\n", "missing beside tier_from"},
	} {
		_, err := Parse([]byte(tt.text), "t")
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestDefaultTable(t *testing.T) {
	for _, row := range Default().Rows {
		if m := Default().Lookup(row.Model); m.Row != row {
			t.Errorf("%s is not found under its own name", row.Model)
		}
		if row.Source == "-" || row.Date == "-" {
			t.Errorf("%s has no source or date", row.Model)
		}
	}
}

func TestWithAddsButNeverReplaces(t *testing.T) {
	table, err := Default().With([]Listed{
		{Model: "my-model", Aliases: []string{"Mine", "opus"}, Input: "1", Cached: "0.5", Output: "2", Source: "my.json"},
		{Model: "gpt-5.6-sol", Input: "1", Cached: "1", Output: "1", Source: "my.json"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := table.Lookup("mine"); m.Row == nil || m.Row.Model != "my-model" {
		t.Errorf("mine = %+v", m)
	}
	if m := table.Lookup("opus"); m.Row.Model != "claude-opus-4-8" {
		t.Errorf("opus = %s", m.Row.Model)
	}
	if m := table.Lookup("gpt-5.6-sol"); m.Row.Cell("input") != "5" {
		t.Errorf("sol costs %s", m.Row.Cell("input"))
	}
	if _, err := Default().With([]Listed{{Model: "x", Input: "free", Cached: "0", Output: "1"}}); err == nil {
		t.Error("a price that is no number is accepted")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(embedded))
	f.Add([]byte("model\tmatch\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := Parse(text, "t")
		if (err == nil) != (table != nil) {
			t.Errorf("table %v, error %v", table, err)
		}
		if err != nil {
			return
		}
		for _, row := range table.Rows {
			if table.Lookup(row.Model).Rule == "" {
				t.Errorf("lookup of %q without a rule", row.Model)
			}
		}
	})
}

// Every row of the catalogues of providers, and the table of prices, tell one
// story: what can be selected has a price, it is that of the table, and what has
// none is said to have none.
func TestTheCatalogueEqualsThePriceTable(t *testing.T) {
	catalogue, err := provider.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range catalogue.Providers() {
		for _, m := range p.Models {
			found := Default().Lookup(m.ID)
			switch {
			case m.Pricing == nil && m.Selectable:
				t.Errorf("%s/%s can be selected and has no price", p.ID, m.ID)
			case m.Pricing == nil && found.Priced():
				t.Errorf("%s/%s has no price in the catalogue and one in the table", p.ID, m.ID)
			case m.Pricing == nil || Free(m):
			case !found.Priced():
				t.Errorf("%s/%s has no price in the table (rule %s)", p.ID, m.ID, found.Rule)
			case m.Pricing.Input().Cmp(found.Row.Base.Input) != 0 || m.Pricing.Cached().Cmp(found.Row.Base.Cached) != 0 || m.Pricing.Output().Cmp(found.Row.Base.Output) != 0:
				t.Errorf("%s/%s costs %v in the catalogue and %s, %s, %s in the table", p.ID, m.ID, *m.Pricing, found.Row.Cell("input"), found.Row.Cell("cached"), found.Row.Cell("output"))
			}
			for _, alias := range append([]string{m.ExecutionValue}, m.Aliases...) {
				if other := Default().Lookup(alias); m.Pricing != nil && other.Row != nil && found.Row != other.Row {
					t.Errorf("%s/%s is priced as %s, its other name %q as %s", p.ID, m.ID, found.Row.Model, alias, other.Row.Model)
				}
			}
		}
	}
}

func TestOfCatalogueAddsTheUsersModels(t *testing.T) {
	catalogue, err := provider.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsondoc.Parse("mine.json", []byte(`{"schemaVersion":"1.0","kind":"okstra-provider","id":"mine","command":"mine","argv":["{promptPointer}"],"prompt":"pointer","models":[
		{"id":"Mine-1","displayName":"Mine","executionValue":"mine-one","aliases":["first"],"pricing":[1.5,0.15,6]},
		{"id":"mine-free","displayName":"Free","executionValue":"mine-free","aliases":[],"pricing":[0,0,0]},
		{"id":"opus","displayName":"Theirs","executionValue":"opus","aliases":[],"pricing":[9,9,9]}],"defaultModel":"Mine-1"}`))
	if err == nil {
		err = catalogue.Add(doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	table, err := Default().With(OfCatalogue(catalogue.Providers()))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"mine-1": "mine-1", "FIRST": "mine-1", "mine-one": "mine-1", "opus": "claude-opus-4-8", "mine-free": "", "mine-2": ""} {
		got := ""
		if m := table.Lookup(name); m.Row != nil {
			got = m.Row.Model
		}
		if got != want {
			t.Errorf("%s is priced as %q, want %q", name, got, want)
		}
	}
	if cell := table.Lookup("mine-1").Row.Cell("output"); cell != "6" {
		t.Errorf("output costs %s", cell)
	}
}

// A name that merely begins like a row with an exact match is another model's:
// it is never billed at its neighbour's rate.
func TestBehaviour25ASiblingIsUnmatched(t *testing.T) {
	var exact []*Row
	for _, row := range Default().Rows {
		if !row.Prefix {
			exact = append(exact, row)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SampledFrom(exact).Draw(t, "row")
		sibling := row.Model + rapid.SampledFrom([]string{"-nova", "-9", ".1", "-pro-max", "x", "-2026", ":free", "@latest"}).Draw(t, "rest")
		if m := Default().Lookup(sibling); m.Row == row {
			t.Fatalf("%s is billed as %s", sibling, row.Model)
		}
	})
}

// What is said of a name is what is said of its cleaned form, and no name is too
// strange to be looked up.
func FuzzLookup(f *testing.F) {
	for _, name := range []string{"", "/", "[1m]", "claude-opus-4-8-20260301[1m]", "a/b/K3", "-20260301", "grok-4.3-x", "\x00", "gemini-2.5-flash-lite@20250101"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		m := Default().Lookup(name)
		if (m.Row == nil) != (m.Rule == "none") {
			t.Errorf("%q: row %v by rule %s", name, m.Row, m.Rule)
		}
		if again := Default().Lookup(strings.ToUpper(" " + name + " ")); strings.ToLower(name) == name && isASCII(name) && again.Row != m.Row {
			t.Errorf("%q and its upper case differ: %v, %v", name, m.Row, again.Row)
		}
	})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
