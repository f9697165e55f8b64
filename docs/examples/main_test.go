package examples

import (
	"os"
	"testing"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/run"
)

// TestMain stands for the main function of a program that searches: candidates are
// compiled and run in processes of their own, which are the program itself, started
// with arguments that it chooses.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "worker" {
		var err error
		switch os.Args[2] {
		case "build":
			err = build.Worker(os.Stdin, os.Stdout)
		case "run":
			err = run.Worker(os.Stdin, os.Stdout)
		}
		if err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}
