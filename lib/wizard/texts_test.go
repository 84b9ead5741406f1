package wizard

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"okstra/lib/run"
	"okstra/lib/safetext"
)

var placeholder = regexp.MustCompile(`%[a-z]`)

// Both languages have the same texts with the same placeholders in the same
// order.
func TestTheCataloguesAreComplete(t *testing.T) {
	all := catalogues()
	if len(all) != len(Languages) {
		t.Fatalf("%d catalogues for %v", len(all), Languages)
	}
	for key, english := range all["en"] {
		for _, lang := range Languages[1:] {
			other, ok := all[lang][key]
			if !ok || strings.TrimSpace(other) == "" {
				t.Errorf("%s: no text in %q", key, lang)
				continue
			}
			if a, b := placeholder.FindAllString(english, -1), placeholder.FindAllString(other, -1); !slices.Equal(a, b) {
				t.Errorf("%s: placeholders %v in %q, %v in English", key, b, lang, a)
			}
		}
	}
	for _, lang := range Languages[1:] {
		for key := range all[lang] {
			if _, ok := all["en"][key]; !ok {
				t.Errorf("%s: only in %q", key, lang)
			}
		}
	}
}

func TestHeadersFitEveryHost(t *testing.T) {
	for lang, texts := range catalogues() {
		for key, text := range texts {
			if !strings.HasSuffix(key, ".header") {
				continue
			}
			if n := safetext.GraphemeCount(text); n > 12 {
				t.Errorf("%s, %s: %d characters", lang, key, n)
			}
			if n := len([]rune(text)); n > 12 {
				t.Errorf("%s, %s: %d code points", lang, key, n)
			}
			if n := safetext.Width(text); n > 12 {
				t.Errorf("%s, %s: %d columns", lang, key, n)
			}
		}
	}
}

// Every row finds the texts that it asks for, in both languages, with the
// arguments that they want.
func TestEveryRowHasItsTexts(t *testing.T) {
	for _, lang := range Languages {
		for _, taskType := range run.TaskTypes {
			p := plannedProject()
			p.decisions = []DesignItem{{"C-001", "Which store?"}}
			p.templates = []TemplateFact{{"a.md", "repository"}, {"b.md", "project"}, {"c.md", "global"}}
			p.handoff = HandoffFact{Stages: []StageFact{{Number: 1}}, WholeTask: true}
			p.open, p.responses = true, []string{"clarification.md"}
			s := NewState("/srv/shop", "shop")
			s.Lang = lang
			s.Answers = map[string]string{
				"task_pick": "pay/timeouts", "task_type": taskType, "approved_plan_pick": "plan-001.md", "executor": "codex",
				"defaults_or_custom": custom, "workers": "claude,codex", "critic_pick": "yes", confirmStep: "edit", "pr_template_pick": Custom,
			}
			v := Machine{p}.view(&s)
			for _, r := range allRows(v) {
				if strings.HasPrefix(r.id, "stage_pick") && !slices.Contains(stageTypes, taskType) {
					continue // its question is worded for the type, and never asked in another
				}
				screen := v.screen(r)
				texts := []string{v.name(r), screen.Header, screen.Label, screen.Detail}
				for _, o := range screen.Options {
					texts = append(texts, o.Label, screen.About(o, v.say))
				}
				for _, text := range texts {
					if strings.Contains(text, "%!") || strings.Contains(text, "=") && !strings.Contains(text, " ") || strings.HasPrefix(text, r.key()+".") {
						t.Errorf("%s, %s: text %q", lang, r.id, text)
					}
				}
				if screen.Label == "" || screen.Header == "" || v.name(r) == "" {
					t.Errorf("%s, %s has no name, header or question", lang, r.id)
				}
			}
		}
	}
}

func TestTheLanguageOfALocale(t *testing.T) {
	for locale, want := range map[string]string{"ko_KR.UTF-8": "ko", "KO": "ko", "ko-KR": "ko", "C": "en", "": "en", "de_DE@euro": "en", "korean": "en"} {
		if got := TextsFor(locale).Lang; got != want {
			t.Errorf("%q: %q, want %q", locale, got, want)
		}
	}
	if got := english.Text("no.such.key"); got != "no.such.key" {
		t.Errorf("%q", got)
	}
	if got := english.Or("no.such.key", "things"); got != "choices" {
		t.Errorf("%q", got)
	}
}

func TestALongQuestionGoesOnInTheDetail(t *testing.T) {
	p := plannedProject()
	long := strings.Repeat("Which store keeps the sessions? ", 20)
	p.decisions = []DesignItem{{"C-001", long}}
	m := Machine{p}
	s := walk(t, m, begin(t, m, "codex", singleSelect), "pay/timeouts", "implementation-planning")
	if n := len([]rune(s.Screen.Label)); s.Screen.Step != "design_prep:C-001" || n > 200 {
		t.Fatalf("%s asks %d characters", s.Screen.Step, n)
	}
	if !strings.Contains(s.Screen.Detail, long[:len(long)-1]) {
		t.Errorf("detail %q, want the whole question", s.Screen.Detail)
	}
}
