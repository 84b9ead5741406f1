package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestBusyLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	held, err := Lock(t.Context(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{0, 30 * time.Millisecond} {
		_, err := Lock(t.Context(), path, wait)
		if !errors.Is(err, ErrBusy) || !strings.HasPrefix(err.Error(), path+".lock: ") {
			t.Errorf("Lock while another holds it, waiting %v = %v, want ErrBusy with the path", wait, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, path, time.Minute); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrBusy) {
		t.Errorf("Lock with an ended context = %v, want the context's error", err)
	}
	if _, err := Append(ctx, path, []byte("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Append with an ended context = %v, want the context's error", err)
	}

	got := make(chan error, 1)
	go func() {
		next, err := Lock(context.Background(), path, time.Minute)
		if err == nil {
			next.Unlock()
		}
		got <- err
	}()
	held.Unlock()
	held.Unlock()
	if err := <-got; err != nil {
		t.Errorf("the waiting writer got %v after Unlock, want the lock", err)
	}
	if info, err := os.Stat(path + ".lock"); err != nil || info.Size() != 0 || info.Mode() != 0o600 {
		t.Errorf("lock file after use: %v %v, want it there, empty, 0600", info, err)
	}
}

func TestLockEndsWithItsProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	killAfter(t, helper(t, "append", path, "x"), func() {})
	held, err := Lock(t.Context(), path, 0)
	if err != nil {
		t.Fatalf("Lock after its holder was killed = %v, want the lock at once", err)
	}
	held.Unlock()
}

func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	boom := errors.New("boom")
	steps := []struct {
		name    string
		wantOld []byte // nil: no file
		result  []byte
		err     error
		want    string // content afterwards, "-" for no file
	}{
		{"missing, left missing", nil, nil, nil, "-"},
		{"missing, error", nil, []byte("x"), boom, "-"},
		{"missing, created", nil, []byte("one"), nil, "one"},
		{"there, left alone", []byte("one"), nil, nil, "one"},
		{"there, error", []byte("one"), []byte("x"), boom, "one"},
		{"there, emptied", []byte("one"), []byte{}, nil, ""},
		{"empty is not missing", []byte{}, []byte("two"), nil, "two"},
	}
	for _, tt := range steps {
		err := Update(t.Context(), path, 0o640, func(old []byte) ([]byte, error) {
			if (old == nil) != (tt.wantOld == nil) || string(old) != string(tt.wantOld) {
				t.Errorf("%s: edit was given %#v, want %#v", tt.name, old, tt.wantOld)
			}
			return tt.result, tt.err
		})
		if err != tt.err {
			t.Errorf("%s: Update = %v, want %v", tt.name, err, tt.err)
		}
		if _, err := os.Lstat(path); tt.want == "-" {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: the file exists now", tt.name)
			}
		} else if got := content(t, path); got != tt.want {
			t.Errorf("%s: content %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestUpdateThatChangesNothingDoesNotWrite(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "f"), "x")
	before, _ := os.Stat(path)
	if err := Update(t.Context(), path, 0o600, func([]byte) ([]byte, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was replaced (%v)", err)
	}
}
