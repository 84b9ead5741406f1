package gitrepo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
)

// Registry gives the places that are known, by task key; the key of a stage is
// StageKey. A missing file is an empty registry.
func (w Worktrees) Registry() (map[string]Place, error) {
	doc, err := jsondoc.ReadFile(w.registry())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	places := make(map[string]Place)
	if err := doc.Decode(&places); err != nil {
		return nil, err
	}
	return places, nil
}

// StageKey is the registry key of a stage; of the whole task when stage is 0.
func StageKey(taskKey string, stage int) string {
	if stage <= 0 {
		return taskKey
	}
	return fmt.Sprintf("%s#stage-%d", taskKey, stage)
}

func (w Worktrees) remember(ctx context.Context, key string, place Place) error {
	return w.update(ctx, func(doc jsondoc.Doc) (jsondoc.Doc, error) { return doc.Set(jsondoc.Pointer(key), place) })
}

// update edits the registry and keeps what other versions wrote into it.
func (w Worktrees) update(ctx context.Context, edit func(jsondoc.Doc) (jsondoc.Doc, error)) error {
	return atomicfile.Update(ctx, w.registry(), 0o644, func(old []byte) ([]byte, error) {
		if len(old) == 0 {
			old = []byte("{}\n")
		}
		doc, err := jsondoc.Parse(w.registry(), old)
		if err != nil {
			return nil, err
		}
		edited, err := edit(doc)
		if err != nil {
			return nil, err
		}
		return jsondoc.Marshal(json.RawMessage(edited.Raw))
	})
}
