package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"okstra/lib/clitest"
)

// A folder whose process was killed is swept; one in use and whatever else lies
// there stay.
func TestSweepRemovesWhatTheDeadLeft(t *testing.T) {
	base := t.TempDir()
	mine, err := MakeScratch(base)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := MakeScratch(base)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dead.Dir+"/work/of the kernel", 0o700); err != nil {
		t.Fatal(err)
	}
	dead.lock.Close() // what a death does
	for _, name := range []string{"okstra-1234", "unrelated"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(base, filepath.Join(base, "okstra-run-link")); err != nil {
		t.Fatal(err)
	}
	SweepScratch(base)
	for path, want := range map[string]bool{mine.Dir: true, dead.Dir: false, base + "/okstra-1234": true, base + "/unrelated": true, base + "/okstra-run-link": true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
	mine.Remove()
	if _, err := os.Lstat(mine.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there", mine.Dir)
	}
	SweepScratch(filepath.Join(base, "nowhere"))
	(*Scratch)(nil).Remove()
}

// A folder that a job made unreadable is removed all the same.
func TestFoldersWithoutPermissionsAreRemoved(t *testing.T) {
	clitest.AsNobody(t)
	s, err := MakeScratch(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(s.Dir, "a", "b")
	if err := errors.Join(os.MkdirAll(deep, 0o755), os.WriteFile(deep+"/c", nil, 0o644), os.Chmod(deep, 0), os.Chmod(filepath.Dir(deep), 0)); err != nil {
		t.Fatal(err)
	}
	s.Remove()
	if _, err := os.Lstat(s.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there", s.Dir)
	}
}

// Sweeping while others make folders takes none of theirs.
func TestSweepingTakesNoFolderThatIsBeingMade(t *testing.T) {
	base := t.TempDir()
	stop := make(chan struct{})
	var sweepers, makers sync.WaitGroup
	for range 2 {
		sweepers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					SweepScratch(base)
				}
			}
		})
	}
	for range 4 {
		makers.Go(func() {
			for range 50 {
				s, err := MakeScratch(base)
				if err != nil {
					t.Error(err)
					return
				}
				if err := os.WriteFile(filepath.Join(s.Dir, "x"), nil, 0o600); err != nil {
					t.Errorf("swept while in use: %v", err)
				}
				s.Remove()
			}
		})
	}
	makers.Wait()
	close(stop)
	sweepers.Wait()
}
