// Package rivalstest has a program that stands for the Python of peers in tests.
package rivalstest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/graph/rivals"
)

// word is the first argument of a test binary that serves as a peer.
const word = "fakepeer"

// Python writes a program that stands for the Python of peers: ort takes a second for any call, openvino is missing,
// and torch fails. What is asked of them is in a file. The test binary must call Main first in its TestMain.
func Python(t testing.TB) (path, asked string) {
	t.Helper()
	dir := t.TempDir()
	path, asked = filepath.Join(dir, "python"), filepath.Join(dir, "asked")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := `#!/bin/sh
test -s "$1" || { echo "the script is not there" >&2; exit 1; }
exec ` + self + ` ` + word + ` ` + asked + ` "$2" "$3"
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, asked
}

// Main serves as a peer if the test binary was started as one by Python's program. It reports whether it was.
func Main() bool {
	if len(os.Args) != 5 || os.Args[1] != word {
		return false
	}
	log, err := os.OpenFile(os.Args[2], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	name, cores := os.Args[3], os.Args[4]
	answer := func(r *rivals.PeerRequest, _ [][]byte) (any, [][]byte) {
		if text, err := json.Marshal(r); err == nil && r.Do != "version" {
			fmt.Fprintln(log, name, cores, string(text))
		}
		switch {
		case r.Do == "version" && name == "openvino":
			return rivals.PeerAnswer{Missing: "No module named openvino"}, nil
		case r.Do == "version":
			return rivals.PeerAnswer{Version: name + " 1.0"}, nil
		case name == "torch" && r.Do == "round":
			return rivals.PeerAnswer{Error: "RuntimeError: no"}, nil
		case r.Model != nil && r.Model.Inputs != "":
			off := 0.25
			return rivals.PeerAnswer{MaxError: &off}, nil
		}
		return rivals.PeerAnswer{Samples: []float64{1.5, 1}}, nil
	}
	if err := worker.Serve(worker.Service{Kind: rivals.PeerKind}, os.Stdin, os.Stdout, answer); err != nil {
		panic(err)
	}
	return true
}
