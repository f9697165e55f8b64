package ranker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/nn/onnx"
)

// Python's xgboost scores the shipped record of trees as leaves scores what ships
// beside it: on 10,000 rows at thresholds of the trees and beside them.
func TestShippedTreesInPython(t *testing.T) {
	python := os.Getenv("WMTUNE_PYTHON")
	if python == "" || exec.Command(python, "-c", "import xgboost, numpy").Run() != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("WMTUNE_PYTHON must name a Python that has xgboost (make test makes one)")
		}
		t.Skip("SKIPPED: nobody checks that Python's xgboost reads the shipped trees: set WMTUNE_PYTHON to a Python that " +
			"has it (pip install xgboost-cpu)")
	}
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpack.Close()
	for name, table := range map[string]Table{"cpu": Steps, "gpu": Launched} {
		files := map[string][]byte{}
		for file, path := range map[string]string{
			NetworkFile: "../models/" + name + "/" + NetworkFile + ".planes.zst",
			TreesFile:   "../models/" + name + "/" + TreesFile + ".zst",
			RecordFile:  "../lab/models/trees/" + name + ".json.zst",
		} {
			data, err := os.ReadFile(path)
			if err == nil {
				data, err = unpack.DecodeAll(data, nil)
			}
			if err == nil && file == NetworkFile {
				data, err = onnx.FromPlanes(data)
			}
			if err != nil {
				t.Fatal(err)
			}
			files[file] = data
		}
		m, err := table.Load(files)
		if err != nil {
			t.Fatal(err)
		}
		rows := atThresholds(t, files[RecordFile], m.trees.columns, 10_000)
		dir := t.TempDir()
		in, record := filepath.Join(dir, "rows"), filepath.Join(dir, RecordFile)
		if err := os.WriteFile(record, files[RecordFile], 0o666); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		for _, row := range rows {
			_ = binary.Write(&b, binary.LittleEndian, row) // a buffer takes everything
		}
		if err := os.WriteFile(in, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(python, "-c", `import sys, numpy as np, xgboost
rows = np.fromfile(sys.argv[2], "<f4").reshape(-1, int(sys.argv[3]))
margin = xgboost.Booster(model_file=sys.argv[1]).predict(xgboost.DMatrix(rows), output_margin=True)
sys.stdout.buffer.write(margin.astype("<f4").tobytes())`,
			record, in, jsonOf(m.trees.columns))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float32, len(rows))
		if err := binary.Read(bytes.NewReader(out), binary.LittleEndian, want); err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(rows))
		m.trees.model.Predict(rows, got)
		worst := 0.0
		for i, v := range got {
			worst = max(worst, math.Abs(v-float64(want[i])))
		}
		t.Logf("%s: xgboost differs by at most %.2g on %d rows of %d columns", name, worst, len(rows), m.trees.columns)
		members := max(DefaultTrees(m.table)[0].Members, 1) // whose sums of float32 are added up
		if !(worst < 1e-5*float64(members)) {
			t.Errorf("%s: xgboost differs by %v", name, worst)
		}
	}
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v) // of a number
	return string(b)
}

// atThresholds returns rows whose columns are at thresholds of trees, or next to one.
func atThresholds(t *testing.T, record []byte, columns, n int) [][]float32 {
	t.Helper()
	var read struct {
		Learner struct {
			Booster struct {
				Model struct {
					Trees []struct {
						Left       []int     `json:"left_children"`
						Indices    []int     `json:"split_indices"`
						Conditions []float32 `json:"split_conditions"`
					} `json:"trees"`
				} `json:"model"`
			} `json:"gradient_booster"`
		} `json:"learner"`
	}
	if err := json.Unmarshal(record, &read); err != nil {
		t.Fatal(err)
	}
	at := make([][]float32, columns)
	for _, tree := range read.Learner.Booster.Model.Trees {
		for i, left := range tree.Left {
			if left >= 0 {
				at[tree.Indices[i]] = append(at[tree.Indices[i]], tree.Conditions[i])
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 5))
	rows := make([][]float32, n)
	for i := range rows {
		rows[i] = make([]float32, columns)
		for k, list := range at {
			if len(list) == 0 {
				continue
			}
			v := list[rng.IntN(len(list))]
			switch rng.IntN(3) {
			case 0:
				v = math.Nextafter32(v, float32(math.Inf(1)))
			case 1:
				v = math.Nextafter32(v, float32(math.Inf(-1)))
			}
			rows[i][k] = v
		}
	}
	return rows
}
