package examples

import (
	"os"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
)

// TestMain stands for the main function of a program that opens machines: candidates are
// compiled and run in processes of their own, which are this program, started again.
func TestMain(m *testing.M) {
	machine.WorkerMain()
	os.Exit(m.Run())
}
