package atomicfile

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// The test binary is also the writer that the tests kill or run many times:
// with helperEnv set it runs a helper instead of the tests.
const helperEnv = "ATOMICFILE_HELPER"

var helpers = map[string]func(args []string) error{
	"replace": helpReplace,
	"append":  helpAppend,
	"count":   helpCount,
	"rows":    helpRows,
}

func TestMain(m *testing.M) {
	name := os.Getenv(helperEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := helpers[name](os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func helper(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), helperEnv+"="+name)
	cmd.Stderr = os.Stderr
	return cmd
}

// sealed is a text that proves itself whole: a checksum, an id, filling.
func sealed(id string, size int) []byte {
	body := id + " " + strings.Repeat("x", size)
	sum := sha256.Sum256([]byte(body))
	return []byte(hex.EncodeToString(sum[:]) + " " + body)
}

// unseal gives the id of a whole text.
func unseal(text []byte) (id string, ok bool) {
	sum, body, ok := bytes.Cut(text, []byte{' '})
	want := sha256.Sum256(body)
	if !ok || string(sum) != hex.EncodeToString(want[:]) {
		return "", false
	}
	first, _, _ := bytes.Cut(body, []byte{' '})
	return string(first), true
}

// helpReplace replaces one file over and over and says so after each time.
func helpReplace(args []string) error {
	for i := 0; ; i++ {
		if err := Write(args[0], sealed(strconv.Itoa(i), 300_000+i), 0o600); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// helpAppend appends rows of very different length and acknowledges each.
func helpAppend(args []string) error {
	rnd := rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
	for i := 0; ; i++ {
		size := rnd.IntN(200)
		if i%4 == 0 {
			size = rnd.IntN(2 << 20)
		}
		id := args[1] + "-" + strconv.Itoa(i)
		if _, err := Append(context.Background(), args[0], sealed(id, size)); err != nil {
			return err
		}
		fmt.Println(id)
	}
}

// helpRows appends a fixed number of rows.
func helpRows(args []string) error {
	n, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(uint64(os.Getpid()), 0))
	for i := range n {
		if _, err := Append(context.Background(), args[0], sealed(args[1]+"-"+strconv.Itoa(i), rnd.IntN(100_000))); err != nil {
			return err
		}
	}
	return nil
}

// helpCount adds one to the number in a file, a fixed number of times.
func helpCount(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	for range n {
		err := Update(context.Background(), args[0], 0o600, func(old []byte) ([]byte, error) {
			count := 0
			if old != nil {
				if count, err = strconv.Atoi(string(old)); err != nil {
					return nil, err
				}
			}
			return []byte(strconv.Itoa(count + 1)), nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// killAfter starts a helper, lets it acknowledge something, kills it after a
// further random moment and gives all that it acknowledged.
func killAfter(t *testing.T, cmd *exec.Cmd, moment func()) (acknowledged []string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("helper ended before it wrote anything: %v", err)
	}
	moment()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says "signal: killed"
	text := line + string(rest)
	// A line that the kill cut off was not acknowledged.
	return strings.Fields(text[:strings.LastIndexByte(text, '\n')+1])
}
