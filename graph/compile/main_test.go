package compile

import (
	"os"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
)

func TestMain(m *testing.M) {
	machine.WorkerMain()
	os.Exit(m.Run())
}
