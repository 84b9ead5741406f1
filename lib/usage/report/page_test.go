package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"okstra/lib/clitest"
	"okstra/lib/jsondoc"
)

// pageOf is the page with a part for each dimension, and the reports in it.
func pageOf(t *testing.T, p project) (string, []Report) {
	t.Helper()
	var reports []Report
	for _, word := range Dimensions {
		reports = append(reports, p.report(by(word)))
	}
	var out bytes.Buffer
	if err := Page(&out, reports...); err != nil {
		t.Fatal(err)
	}
	return out.String(), reports
}

// hostile is a project whose names try to leave their place in a page.
func hostile(t *testing.T) project {
	p := sample(t)
	evil := `<script>alert(1)</script>"'&` + "\x1b[31m\u202e"
	p.state("evil", "implementation", "001", 2, used(70, 30, nil, 5, 5, unmatched(evil), func(d object) { d["roles"].([]object)[0]["model"] = evil }))
	return p
}

func TestAPageNeedsNothingElse(t *testing.T) {
	page, _ := pageOf(t, hostile(t))
	for _, bad := range []string{"<script", "javascript:", "<link", "<img", "<iframe", "url(", "@import", "onload", "\x1b", "\u202e", " src="} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if n := strings.Count(page, "http"); n != strings.Count(page, `xmlns="http://www.w3.org/2000/svg"`)+strings.Count(page, "http-equiv") {
		t.Errorf("the page names %d addresses", n)
	}
	if !strings.Contains(page, "prefers-color-scheme: dark") || !strings.Contains(page, `lang="en"`) {
		t.Error("no dark form, or no language")
	}
}

func TestAPageOfNothing(t *testing.T) {
	page, _ := pageOf(t, newProject(t))
	if !strings.Contains(page, "0 of 0") || strings.Contains(page, "NaN") || strings.Contains(page, "<svg") {
		t.Errorf("page = %s", page)
	}
}

// Every number of the document stands in the page's tables, exactly, and no
// other; and every group that has a value has a bar with it.
func TestAPageHasTheNumbersOfTheDocument(t *testing.T) {
	page, reports := pageOf(t, hostile(t))
	comparePage(t, page, reports)
}

// TestChromiumShowsTheNumbersOfTheDocument opens the page as a reader would,
// light and dark, and compares what the browser made of it. Its corner has the
// colour of the page, and there is something to be seen on it.
func TestChromiumShowsTheNumbersOfTheDocument(t *testing.T) {
	page, reports := pageOf(t, hostile(t))
	for scheme, want := range map[string]uint32{"1": 0xffffff, "0": 0x0d1117} {
		shot := filepath.Join(t.TempDir(), "page.png")
		dom := chromium(t, page, "--dump-dom", "--screenshot="+shot, "--window-size=900,700", "--hide-scrollbars", "--blink-settings=preferredColorScheme="+scheme)
		comparePage(t, string(dom), reports)
		raw, err := os.ReadFile(shot)
		if err != nil {
			t.Skipf("chromium takes no screenshot here: %v", err)
		}
		picture, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		if got := pixel(picture, 1, 1); got != want {
			t.Errorf("scheme %s: the corner is #%06x, want #%06x", scheme, got, want)
		}
		if n := colours(picture); n < 4 {
			t.Errorf("scheme %s: %d colours on the page, which cannot show anything", scheme, n)
		}
	}
}

func pixel(picture image.Image, x, y int) uint32 {
	r, g, b, _ := picture.At(x, y).RGBA()
	return r>>8<<16 | g>>8<<8 | b>>8
}

func colours(picture image.Image) int {
	seen := map[uint32]bool{}
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			seen[pixel(picture, x, y)] = true
		}
	}
	return len(seen)
}

// chromium opens a page in a browser without a window and gives what it prints.
func chromium(t *testing.T, page string, flags ...string) []byte {
	t.Helper()
	clitest.NeedTool(t, "chromium")
	if testing.Short() {
		t.Skip("a browser takes its time")
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir()}, flags...)
	out, err := exec.Command("chromium", append(args, "file://"+path)...).Output()
	if err != nil {
		t.Skipf("chromium does not run here: %v", err)
	}
	return out
}

var (
	sectionForm = regexp.MustCompile(`(?s)<section id="by-([a-z-]+)">(.*?)</section>`)
	rowForm     = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	headForm    = regexp.MustCompile(`(?s)<th scope="row"[^>]*>(?:<bdi>)?(.*?)(?:</bdi>)?</th>`)
	cellForm    = regexp.MustCompile(`(?s)<td class="number">(?:<data value="([^"]*)">)?([^<]*)`)
	barForm     = regexp.MustCompile(`<rect `)
)

// comparePage reads the tables of a page and holds them against the documents.
func comparePage(t *testing.T, page string, reports []Report) {
	t.Helper()
	sections := sectionForm.FindAllStringSubmatch(page, -1)
	if len(sections) != len(reports) {
		t.Fatalf("%d parts for %d reports", len(sections), len(reports))
	}
	for i, r := range reports {
		if sections[i][1] != r.options.By[0] {
			t.Errorf("part %d is by %s, want %s", i, sections[i][1], r.options.By[0])
		}
		var got []string
		for _, row := range rowForm.FindAllStringSubmatch(sections[i][2], -1) {
			if head := headForm.FindStringSubmatch(row[1]); head != nil {
				var line strings.Builder
				line.WriteString(plainQuotes(head[1]))
				for _, cell := range cellForm.FindAllStringSubmatch(row[1], -1) {
					line.WriteString(" " + cell[1])
					if cell[1] == "" && cell[2] != unknown {
						t.Errorf("a cell without a number says %q", cell[2])
					}
				}
				got = append(got, line.String())
			}
		}
		if want := linesOf(t, r); strings.Join(got, "\n") != want {
			t.Errorf("by %s the page says\n%s\nthe document\n%s", r.options.By[0], strings.Join(got, "\n"), want)
		}
		bars := 0
		for _, g := range r.Groups {
			for _, m := range measures {
				if _, known, shown := m.of(g.Figures); known {
					bars++
					if !strings.Contains(sections[i][2], shown) {
						t.Errorf("by %s no bar says %s", r.options.By[0], shown)
					}
				}
			}
		}
		if n := len(barForm.FindAllString(sections[i][2], -1)); n != bars {
			t.Errorf("by %s: %d bars, want %d", r.options.By[0], n, bars)
		}
	}
}

// linesOf are the numbers of the document as it leaves the program, a line for
// each group and one for the totals.
func linesOf(t *testing.T, r Report) string {
	t.Helper()
	raw, err := jsondoc.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Groups []map[string]any `json:"groups"`
		Totals map[string]any   `json:"totals"`
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	numbers := func(f map[string]any) string {
		var line strings.Builder
		for _, name := range []string{"runs", "covered", "totalTokens", "billableEquivalentTokens", "costUsd", "cpuSumMs", "wallClockMs"} {
			if f[name] == nil {
				f[name] = ""
			}
			fmt.Fprintf(&line, " %v", f[name])
		}
		return line.String()
	}
	var lines []string
	for i, g := range doc.Groups {
		lines = append(lines, plainQuotes(escape(show(r.Groups[i].Key[0].Value)))+numbers(g))
	}
	return strings.Join(append(lines, "Total"+numbers(doc.Totals)), "\n")
}

// plainQuotes is a text as a browser writes it: only what must be is an entity.
func plainQuotes(s string) string { return strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(s) }
