package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"okstra/lib/price"
	"okstra/lib/safetext"
)

// figureNames are the columns of the table form, named as in the document.
var figureNames = []string{
	"runs", "covered", "totalTokens", "billableEquivalentTokens", "costUsd", "costComplete", "cpuSumMs", "wallClockMs", "unmatchedModels", "unmeasured",
}

// CSV writes the groups as a table. There is no line of totals: somebody who
// adds a column up would count everything twice. What is not known is empty.
func (r Report) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{}
	for _, word := range r.options.By {
		head = append(head, dimensions[word].name)
	}
	rows := [][]string{append(head, figureNames...)}
	for _, g := range r.Groups {
		row := []string{}
		for _, one := range g.Key {
			value := ""
			if one.Value != nil {
				value = inert(*one.Value)
			}
			row = append(row, value)
		}
		rows = append(rows, append(row, g.fields()...))
	}
	return out.WriteAll(rows)
}

func (f Figures) fields() []string {
	return []string{
		strconv.Itoa(f.Runs), strconv.Itoa(f.Covered), number64(f.Tokens), number64(f.Billable), money(f.CostUSD), strconv.FormatBool(f.CostComplete),
		number64(f.CPU), number64(f.Wall), inert(strings.Join(f.Unmatched, " ")), strconv.Itoa(f.Unmeasured),
	}
}

func number64(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

func money(usd *price.USD) string {
	if usd == nil {
		return ""
	}
	text, err := json.Marshal(*usd)
	if err != nil {
		return ""
	}
	return string(text)
}

// inert keeps a terminal from obeying a text of the data, and a spreadsheet from
// taking it for a formula: one that begins like it gets an apostrophe in front.
func inert(s string) string {
	s = safetext.Line(s)
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
