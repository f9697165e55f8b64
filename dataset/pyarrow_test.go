package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// pythonVariable names the environment variable with the Python interpreter that
// has pyarrow; make test makes one.
const pythonVariable = "WMTUNE_PYTHON"

// A seen is what testdata/readlog.py says of a log.
type seen struct {
	Rows    int
	Version string
	Columns int
	Costs   string
	Steps   string
	Texts   string
	Readers []string
}

// TestPyarrow: another implementation of Arrow sees the records that we do.
func TestPyarrow(t *testing.T) {
	python := os.Getenv(pythonVariable)
	switch {
	case python != "":
	case os.Getenv("CI") != "":
		t.Fatalf("%s is not set: it must name a Python that has pyarrow (make test makes one)", pythonVariable)
	default:
		t.Skipf("SKIPPED: nobody checks that pyarrow reads our logs: set %s to a Python that has it (pip install pyarrow)", pythonVariable)
	}
	deployed, _, _ := writeDeployed(t, 9)
	logs := []string{writeLog(t, 1, 5, 64), writeCompressed(t, 200, 3), deployed}
	versions := []int{repeatedVersion, repeatedVersion, SchemaVersion}
	cmd := exec.Command(python, append([]string{"testdata/readlog.py"}, logs...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", python, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(logs) {
		t.Fatalf("of %d logs it printed\n%s", len(logs), out)
	}
	for i, line := range lines {
		var got seen
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d rows, read by %v", logs[i], got.Rows, got.Readers)
		want := see(mustRead(t, logs[i]), versions[i])
		want.Readers = got.Readers
		if !reflect.DeepEqual(got, want) {
			t.Errorf("pyarrow sees\n%+v\nand we see\n%+v", got, want)
		}
	}
}

// see says of records, of a version of the log, what readlog.py says of the rows of a log.
func see(records []Record, version int) seen {
	var costs, steps, texts []byte
	for _, r := range records {
		for _, c := range append(append([]float64(nil), r.Costs...), r.Source.Costs...) {
			costs = binary.LittleEndian.AppendUint64(costs, math.Float64bits(c))
		}
		for _, s := range r.Steps {
			for _, v := range encodeStep(s).ints {
				steps = binary.LittleEndian.AppendUint64(steps, uint64(v))
			}
		}
		for _, s := range []string{r.WorkloadKey, r.Workload, r.Target.String(), r.Trajectory, r.Status.String(), r.Message} {
			texts = append(binary.LittleEndian.AppendUint64(texts, uint64(len(s))), s...)
		}
	}
	hash := func(b []byte) string {
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:])
	}
	return seen{
		Rows: len(records), Version: strconv.Itoa(version), Columns: columnsIn[version-1],
		Costs: hash(costs), Steps: hash(steps), Texts: hash(texts),
	}
}
