package validate

import (
	"encoding/json"
	"fmt"

	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/run"
)

// converge runs a convergence from the grouping and the verdict files of its
// rounds; a worker without a file counts as missing.
func (s *story) converge(m run.Manifest, text string, rounds ...map[string]string) converge.State {
	s.files[s.f.Grouping()] = []byte(text)
	file, faults := grouping.Parse("grouping", []byte(text))
	if len(faults) > 0 {
		s.t.Fatal(faults)
	}
	var task run.TaskManifest
	if err := json.Unmarshal(s.files[s.f.TaskManifest()], &task); err != nil {
		s.t.Fatal(err)
	}
	config, err := converge.Effective(task.Convergence, s.f.Task.TaskType)
	if err != nil {
		s.t.Fatal(err)
	}
	input, faults := converge.Prepare("grouping", file, m, s.f.RunManifest(), config, func(id string) map[string]int {
		result, _ := grouping.ParseResult(id, s.files[s.f.Result(id)])
		return result.Sections()
	})
	if len(faults) > 0 {
		s.t.Fatal(faults)
	}
	s.put(s.f.ConvergenceInput(), input)
	sum, err := digest.JSON(s.files[s.f.ConvergenceInput()])
	if err != nil {
		s.t.Fatal(err)
	}
	state := converge.Seed(input, sum)
	for i, files := range rounds {
		var answers []converge.Answer
		for _, id := range sorted(files) {
			name := s.f.Verdicts(id, fmt.Sprintf("reverify-r%d", i+1))
			s.files[name] = fmt.Appendf(nil, "# Reverify\nRound: %d\nWorker: %s\n\n%s", i+1, id, files[id])
			answers = append(answers, converge.Answer{Name: name, Content: s.files[name]})
		}
		if state, _, err = converge.Apply(state, i+1, answers, true); err != nil {
			s.t.Fatal(err)
		}
	}
	if state, err = converge.Finalize(state); err != nil {
		s.t.Fatal(err)
	}
	s.put(s.f.Convergence(), state)
	s.state = &state
	return state
}
