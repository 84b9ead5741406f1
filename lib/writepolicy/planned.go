package writepolicy

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"okstra/lib/jsondoc"
)

// PlannedPaths finds the paths that the approved plan gives to the stage of an
// implementation run: from the run manifest over the active run context and
// the run inputs to the plan's data. Sorted by code point, each once.
// Rule: docs/write-policy.md, "Planned paths".
func PlannedPaths(projectRoot string, manifest jsondoc.Doc) ([]string, error) {
	o, err := objectOf(manifest, "run manifest")
	if err != nil {
		return nil, err
	}
	contextPath, _ := o["activeRunContextPath"].(string)
	if contextPath == "" {
		return nil, refuse("no-run-context", "write policy of an implementer: run manifest %s names no active run context", manifest.Name)
	}
	active, err := readObject(join(projectRoot, contextPath), "active run context")
	if err != nil {
		return nil, err
	}
	source, _ := active["sourceArtifacts"].(object)
	inputsPath, isText := source["runInputsPath"].(string)
	current, _ := active["run"].(object)
	stage := stageNumber(current["stage"])
	if !isText || stage == "" {
		return nil, refuse("no-stage", "write policy of an implementer: active run context %s names no run inputs or no stage", contextPath)
	}
	document, err := readObject(join(projectRoot, inputsPath), "run inputs")
	if err != nil {
		return nil, err
	}
	inputs, _ := document["inputs"].(object)
	plan, _ := inputs["approvedPlanPath"].(string)
	if plan == "" {
		return nil, refuse("no-plan", "write policy of an implementer: run inputs %s name no approved plan", inputsPath)
	}
	data, err := readObject(join(projectRoot, withSuffix(plan, ".data.json")), "approved plan data")
	if err != nil {
		return nil, err
	}
	return pathsOfStage(data, stage)
}

// PathsOfStage gives the paths that the data of an approved plan has for a
// stage, as PlannedPaths does for a run that exists.
func PathsOfStage(plan jsondoc.Doc, stage int) ([]string, error) {
	data, err := objectOf(plan, "approved plan data")
	if err != nil {
		return nil, err
	}
	return pathsOfStage(data, strconv.Itoa(stage))
}

func join(root, p string) string {
	if strings.HasPrefix(p, "/") {
		return p
	}
	return root + "/" + p
}

func readObject(file, label string) (object, error) {
	doc, err := jsondoc.ReadFile(file)
	if err != nil {
		return nil, refuse(codeDocument, "%s is invalid: %v", label, err)
	}
	return objectOf(doc, label)
}

func objectOf(doc jsondoc.Doc, label string) (object, error) {
	value, err := doc.Value()
	if err != nil {
		return nil, err
	}
	o, ok := value.(object)
	if !ok {
		return nil, refuse("document-type", "%s is %s (expected an object): %s", label, describe(value), doc.Name)
	}
	return o, nil
}

// stageNumber is a stage as decimal digits without leading zeros, "" for a
// value that is no stage.
func stageNumber(v any) string {
	var digits string
	switch v := v.(type) {
	case json.Number:
		digits = v.String()
	case string:
		digits = v
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return ""
	}
	if short := strings.TrimLeft(digits, "0"); short != "" {
		return short
	}
	return "0"
}

// withSuffix puts suffix in the place of the last suffix of a file name, or
// behind a name that has none. A dot at either end of a name begins none.
func withSuffix(p, suffix string) string {
	dir, name := path.Split(path.Clean(p))
	if i := strings.LastIndexByte(name, '.'); i > 0 && i < len(name)-1 {
		name = name[:i]
	}
	return dir + name + suffix
}

// pathsOfStage collects the files of the first row of the plan that is the
// stage. Only a number can be: the text "2" is the name of something else.
func pathsOfStage(data object, stage string) ([]string, error) {
	planning, _ := data["implementationPlanning"].(object)
	stages, _ := planning["stages"].([]any)
	var steps []any
	for _, row := range stages {
		row, _ := row.(object)
		if number, ok := row["stage"].(json.Number); ok && number.String() == stage {
			steps, _ = row["stepwiseExecution"].([]any)
			break
		}
	}
	var paths []string
	for _, step := range steps {
		step, ok := step.(object)
		if !ok {
			continue
		}
		files, ok := step["files"].(string)
		if !ok && step["files"] != nil {
			return nil, refuse("files-type", "approved plan: files of stage %s are %s (expected a text or null)", stage, describe(step["files"]))
		}
		paths = append(paths, cells(files)...)
	}
	if len(paths) == 0 {
		return nil, refuse("no-planned-paths", "write policy of an implementer: stage %s of the approved plan has no planned paths", stage)
	}
	slices.Sort(paths)
	return relativePaths(list(slices.Compact(paths)), "planned paths")
}

// cells splits a cell of the plan's table into paths. A part of back-ticks only
// is not blank, so it stays, empty, and is refused later: somebody meant to
// write a path there.
func cells(files string) []string {
	var paths []string
	for part := range strings.SplitSeq(strings.ReplaceAll(files, "<br>", ","), ",") {
		if !isBlank(part) {
			paths = append(paths, strings.Trim(trim(part), "`"))
		}
	}
	return paths
}
