package imports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/ansor"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/schedule"
)

func TestLogName(t *testing.T) {
	for in, want := range map[string]string{
		"a/b.json.zst": "b.arrow", "b.log": "b.arrow", "b": "b.arrow", "b.json": "b.arrow", "v1.2.jsonl.gz": "v1.2.arrow",
		"a/b/database_tuning_record.json": "b.arrow", "a/b/database_workload.json.zst": "b.arrow", "a/b/": "b.arrow",
	} {
		if got := logName(in); got != want {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

const testdata = "../metaschedule/testdata"

// TestDatabases: every record of eleven databases becomes one, whose steps apply to its workload. Three of them are in a
// clone only.
func TestDatabases(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(testdata, "*-*", "database_workload.json.zst"))
	more, _ := filepath.Glob("../../lab/testdata/metaschedule/*-*/database_workload.json.zst")
	folders = append(folders, more...)
	n := len(folders)
	if err != nil || n != 11 && (n != 8 || os.Getenv("CI") != "") {
		t.Fatal(folders, err)
	}
	for i, f := range folders {
		if i%2 == 0 {
			folders[i] = filepath.Dir(f)
		}
	}
	path := filepath.Join(t.TempDir(), "all.arrow")
	s, err := Import(context.Background(), folders, Options{Log: path})
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	if s.Lines != 16*n || s.Records != 16*n || s.Malformed != 0 || len(s.Unmapped) != 0 || s.Status["ok"] != 16*n {
		t.Errorf("%+v", s)
	}
	records, _, err := dataset.ReadLog(path)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := 0
	for _, r := range records {
		dag, err := compute.Parse(r.Workload)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := schedule.Replay(dag, r.Steps); err != nil {
			t.Error(err)
		}
		if r.Layout != 0 {
			rewritten++
		}
		if !r.Timed() || !r.Target.Has("avx2") || r.Target.Hardware.Cores != 2 || r.Source.Format != "metaschedule" {
			t.Errorf("%+v", r)
		}
	}
	if len(records) != 16*n || n == 11 && rewritten != 64 {
		t.Errorf("%d records, %d of them with the layout of a weight chosen; want %d and 64", len(records), rewritten, 16*n)
	}
}

// unpack writes a database of testdata as plain text, each line of the records by edit.
func unpack(t *testing.T, name string, edit func(file string, number int, line string) string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"database_workload.json", "database_tuning_record.json"} {
		in, err := ansor.Open(filepath.Join(testdata, name, file+".zst"))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var list []string
		for {
			text, number, err := in.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, edit(file, number, string(text)+"\n"))
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Join(list, "")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// times matches those of a line, and the target behind them.
var times = regexp.MustCompile(`\[[0-9.,e-]+\],\{"keys"`)

// TestAccounted: lines that have no counterpart, failed or are broken are counted, and named once.
func TestAccounted(t *testing.T) {
	dir := unpack(t, "opt-t1", func(file string, i int, line string) string {
		if file != "database_tuning_record.json" {
			return line
		}
		switch i {
		case 1, 2:
			return strings.Replace(line, `["Parallel",`, `["Bind",`, 1)
		case 3:
			return line[:len(line)/2] + "\n"
		case 4:
			return "[7" + line[2:]
		case 5:
			return strings.Replace(line, `[0.00`, `[1e10,0.00`, 1)
		case 6:
			return strings.Replace(line, `["l2"],[4,64]`, `["l999"],[4,64]`, 1)
		case 8, 9, 10, 11:
			return times.ReplaceAllString(line, []string{"[]", "[0.0]", "[-1.0]", "[0.001,1e-13]"}[i-8]+`,{"keys"`)
		case 7:
			return strings.Replace(line, `"GetLoops",["b0"]`, `"GetLoops",["b9"]`, 1)
		}
		return line
	})
	var said []string
	opts := Options{Dir: t.TempDir(), Say: func(text string) { said = append(said, text) }}
	s, err := Import(context.Background(), []string{dir}, opts)
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	if s.Lines != 16 || s.Records != 11 || s.Malformed != 3 || s.Unmapped["an instruction Bind"] != 2 ||
		s.Status["ok"] != 6 || s.Status["unmeasured"] != 5 {
		t.Errorf("%+v", s)
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{
		"tuning_record.json:2: an instruction Bind has no counterpart here", "record.json:4: no tuning record",
		"record.json:5: its workload has number 7, of 1", `record.json:8: instruction 3 (GetLoops): its input 0 is no block`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "record.json:3:") {
		t.Errorf("what has no counterpart is named twice:\n%s", text)
	}
	opts = Options{Dir: t.TempDir(), Strict: true}
	if _, err := Import(context.Background(), []string{dir}, opts); err == nil || !strings.Contains(err.Error(), "Bind") {
		t.Errorf("strict: %v", err)
	}
}

// TestWithoutWorkloads: a database whose workloads have no counterpart has no records, which is said.
func TestWithoutWorkloads(t *testing.T) {
	dir := unpack(t, "opt-t1", func(file string, _ int, line string) string {
		if file == "database_workload.json" {
			return "[\"1\", \"e30=\"]\n"
		}
		return line
	})
	s, err := Import(context.Background(), []string{dir}, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Err()
	if err == nil || !strings.Contains(err.Error(), "none of its 16 lines is a record") || s.Malformed != 16 {
		t.Errorf("%v, %+v", err, s)
	}
}

// TestNamedTwice: the two files of a database, or its folder beside one of them, are one input.
func TestNamedTwice(t *testing.T) {
	keep := func(_ string, _ int, line string) string { return line }
	dir, other := unpack(t, "opt-t1", keep), unpack(t, "opt-t1", keep)
	records, workloads := filepath.Join(dir, "database_tuning_record.json"), filepath.Join(dir, "database_workload.json")
	for i, opts := range []Options{{Dir: t.TempDir()}, {Log: filepath.Join(t.TempDir(), "one.arrow")}} {
		var said []string
		opts.Say = func(text string) { said = append(said, text) }
		s, err := Import(context.Background(), []string{records, workloads, dir}, opts)
		if err != nil || s.Records != 16 || len(s.Files) != 1 {
			t.Errorf("%d: %v, %+v", i, err, s)
		}
		if len(said) != 2 || said[0] != workloads+" is imported with "+records {
			t.Errorf("%d: %q", i, said)
		}
	}
	_, err := Import(context.Background(), []string{dir, other}, Options{Dir: t.TempDir()})
	if !errors.Is(err, ErrSameLog) {
		t.Errorf("two databases of one name: %v", err)
	}
}

// TestAutoTVM: a file is of AutoTVM by its first line.
func TestAutoTVM(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tophub.arrow")
	s, err := Import(context.Background(), []string{"../autotvm/testdata/tophub.json.zst"}, Options{Log: path})
	if err != nil || s.Err() != nil {
		t.Fatal(err, s.Err())
	}
	const other = "the template conv2d_nchw_winograd.cuda"
	if s.Lines != 104 || s.Records != 71 || s.Malformed != 0 || s.Unmapped[other] != 12 {
		t.Errorf("%+v", s)
	}
	records, _, err := dataset.ReadLog(path)
	if err != nil || len(records) != 71 {
		t.Error(len(records), err)
	}
}

// TestNoDatabase: a folder that holds no database is refused by what it lacks.
func TestNoDatabase(t *testing.T) {
	s, err := Import(context.Background(), []string{t.TempDir()}, Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Err(); err == nil || !strings.Contains(err.Error(), "holds no database_workload.json") {
		t.Error(err)
	}
}

// TestBadFiles: a file that is missing, or cut off in its header, does not keep the others from being imported, each
// into a log of its own or all into one.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	cut, missing := filepath.Join(dir, "cut.json.gz"), filepath.Join(dir, "missing.json")
	if err := os.WriteFile(cut, []byte{0x1f, 0x8b, 8}, 0o666); err != nil {
		t.Fatal(err)
	}
	files := []string{cut, missing, "../autotvm/testdata/tophub.json.zst"}
	for _, opts := range []Options{{Dir: filepath.Join(dir, "out")}, {Log: filepath.Join(dir, "out", "all.arrow")}} {
		var said []string
		opts.Say = func(text string) { said = append(said, text) }
		s, err := Import(context.Background(), files, opts)
		if err != nil || s.Records != 71 || len(s.Files) != 3 || s.Files[2].Error != "" {
			t.Fatalf("%v: %+v", err, s)
		}
		if text := fmt.Sprint(s.Err()); !strings.Contains(text, cut+": its gzip header is damaged or cut off") ||
			!strings.Contains(text, missing+": no such file") {
			t.Error(text)
		}
		if text := strings.Join(said, "\n"); !strings.Contains(text, missing+": no such file or directory; no record") {
			t.Error(text)
		}
		list, _, err := dataset.ReadLog(s.Files[2].Log)
		if err != nil || len(list) != 71 {
			t.Errorf("%d records, %v", len(list), err)
		}
		opts.Strict, opts.Dir = true, filepath.Join(dir, "strict")
		if opts.Log != "" {
			opts.Log = filepath.Join(dir, "strict.arrow")
		}
		if _, err := Import(context.Background(), files, opts); err == nil || !strings.Contains(err.Error(), cut) {
			t.Errorf("strict: %v", err)
		}
	}
}
