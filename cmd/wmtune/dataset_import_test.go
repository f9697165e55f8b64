package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/imports"
)

// sampleLog is a file of lines of public logs, of each DAG and error number.
const sampleLog = "../../dataset/ansor/testdata/sample.json.zst"

// sampleText returns the lines of sampleLog.
func sampleText(t *testing.T) string {
	t.Helper()
	f, err := os.Open(sampleLog)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// command runs a command that needs no process of its own.
func command(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = dispatch(context.Background(), args, &out, &errs)
	return code, out.String(), errs.String()
}

func writeText(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestImport: logs come in, can be shown and replayed from the log alone, and go
// out as they were.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "logs")
	code, stdout, stderr := command("dataset", "import", sampleLog, "--out", out)
	if code != exitOK {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	text := strings.ReplaceAll(stdout, dir, "DIR")
	golden(t, "import.txt", regexp.MustCompile(`[\d.]+ s, \d+ lines a second`).ReplaceAllString(text, "SPEED"))

	log := filepath.Join(out, "sample.arrow")
	if code, stdout, stderr := command("replay", "--check", "none", log); code != exitOK ||
		!strings.Contains(stdout, "141 records") || !strings.Contains(stdout, "ok             121         141\n") {
		t.Errorf("replay: exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr = command("show", log, "--record", "0,119", "--as", "state")
	if code != exitOK || strings.Count(stdout, "Placeholder: ") != 2 {
		t.Errorf("show: exit code %d\n%s%s", code, stdout, stderr)
	}

	want := sampleText(t)
	if code, stdout, stderr := command("dataset", "export", log); code != exitOK || stdout != want || stderr != "" {
		t.Errorf("export: exit code %d, the same lines: %v\n%s", code, stdout == want, stderr)
	}
	for _, ext := range []string{".json", ".json.gz", ".json.zst"} {
		file := filepath.Join(dir, "out"+ext)
		code, stdout, stderr := command("dataset", "export", log, log, "--out", file, "--json")
		if code != exitOK || !strings.Contains(stdout, `"records":282`) {
			t.Fatalf("export: exit code %d\n%s%s", code, stdout, stderr)
		}
		again := filepath.Join(dir, "again"+ext+".arrow")
		code, stdout, stderr = command("dataset", "import", file, "--log", again, "--json", "--strict")
		var s imports.Summary
		if err := json.Unmarshal([]byte(stdout), &s); code != exitOK || err != nil {
			t.Fatalf("import again: exit code %d, %v\n%s%s", code, err, stdout, stderr)
		}
		if s.Lines != 282 || s.Records != 282 || s.Status["build timeout"] != 16 || s.Malformed != 0 ||
			len(s.Unknown) != 0 || s.LinesPerSecond <= 0 ||
			len(s.Files) != 1 || s.Files[0].Log != again {
			t.Errorf("import again: %s", stdout)
		}
		if _, stdout, _ := command("dataset", "export", again); stdout != want+want {
			t.Errorf("%s: other lines after two rounds", ext)
		}
	}
}

// TestImportBadLines: a bad line is named with its file and line, and left out;
// with --strict it is the end, and no log is left.
func TestImportBadLines(t *testing.T) {
	dir := t.TempDir()
	lines := strings.SplitAfter(sampleText(t), "\n")[:6]
	lines[1] = "# a comment\n"
	lines[2] = strings.Replace(lines[2], `[\"`, `[\"0000`, 1)
	lines[3] = strings.Replace(lines[3], `[\"`, `[\"0000`, 1)
	lines[4] = lines[4][:200] + "\n"
	file := writeText(t, filepath.Join(dir, "bad.json"), strings.Join(lines, ""))
	code, stdout, stderr := command("dataset", "import", file, "--out", dir, "--json")
	var s imports.Summary
	if err := json.Unmarshal([]byte(stdout), &s); code != exitOK || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if s.Lines != 6 || s.Records != 2 || s.Malformed != 1 || len(s.Unknown) != 2 || s.Status["ok"] != 1 || s.Status["build timeout"] != 1 {
		t.Errorf("got %s", stdout)
	}
	for _, want := range []string{
		file + ":3: op: no operator is known for the DAG with hash 0000",
		file + ":5: it ends in the middle of a record; left out\n",
	} {
		if !strings.Contains(stderr, want) {
			t.Errorf("there is no %q in\n%s", want, stderr)
		}
	}
	records, _, err := dataset.ReadLog(filepath.Join(dir, "bad.arrow"))
	if err != nil || len(records) != 2 || records[0].Trial != 0 || records[1].Trial != 5 {
		t.Errorf("%d records, %v", len(records), err)
	}

	strict := filepath.Join(dir, "strict")
	code, stdout, stderr = command("dataset", "import", file, "--out", strict, "--strict")
	if want := file + ":3: op: no operator is known"; code != exitFailed || stdout != "" || !strings.Contains(stderr, want) {
		t.Errorf("--strict: exit code %d\n%s%s", code, stdout, stderr)
	}
	if left, err := os.ReadDir(strict); err != nil || len(left) > 0 {
		t.Errorf("--strict left %v, %v", left, err)
	}
}

// TestImportManyBadLines: not all of them are printed, and all are counted.
func TestImportManyBadLines(t *testing.T) {
	dir := t.TempDir()
	first, _, _ := strings.Cut(sampleText(t), "\n")
	unknown := strings.Replace(first, `[\"`, `[\"0000`, 1)
	file := writeText(t, filepath.Join(dir, "many.json"), strings.Repeat("nonsense\n"+unknown+"\n", 100)+first)
	code, stdout, stderr := command("dataset", "import", file, "--out", dir)
	if code != exitOK || strings.Count(stderr, "; left out\n") != imports.MaxSaid ||
		!strings.Contains(stderr, "and 81 lines more that cannot be imported") ||
		!strings.Contains(stdout, ": 100 lines left out; only its author") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
}

// TestImportCutOff: of a file that is cut off, what was whole is kept; the command
// fails nevertheless. Files after it are imported.
func TestImportCutOff(t *testing.T) {
	dir := t.TempDir()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	text := sampleText(t)
	b := append(z.EncodeAll([]byte(text), nil), z.EncodeAll([]byte(text), nil)...)
	file := writeText(t, filepath.Join(dir, "cut.json.zst"), string(b[:len(b)-100]))
	code, stdout, stderr := command("dataset", "import", file, sampleLog, "--out", dir)
	if code != exitFailed || !strings.Contains(stderr, file+": damaged or cut off after line 2") || !strings.Contains(stderr, "the records before it are kept") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	for name, least := range map[string]int{"cut.arrow": 141, "sample.arrow": 141} {
		if records, _, err := dataset.ReadLog(filepath.Join(dir, name)); err != nil || len(records) < least {
			t.Errorf("%s: %d records, %v", name, len(records), err)
		}
	}
	code, _, stderr = command("dataset", "import", file, "--out", filepath.Join(dir, "strict"), "--strict")
	if code != exitFailed || !strings.Contains(stderr, "damaged or cut off") {
		t.Errorf("--strict: exit code %d\n%s", code, stderr)
	}
}

// TestImportRefuses: nothing is written over, and nothing is taken for a log that
// is none.
func TestImportRefuses(t *testing.T) {
	dir := t.TempDir()
	there := writeText(t, filepath.Join(dir, "sample.arrow"), "mine")
	empty := writeText(t, filepath.Join(dir, "empty.json"), "")
	prose := writeText(t, filepath.Join(dir, "prose.json"), "Dear log,\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "name at least one log of TVM"},
		{[]string{sampleLog, "--out", dir}, exitFailed, there + " is there already; remove it"},
		{[]string{sampleLog, "--log", there}, exitFailed, there + " is there already; remove it"},
		{[]string{"a/x.json", "b/x.json.gz", "--out", dir}, exitUsage, "a/x.json and b/x.json.gz would both become"},
		{[]string{filepath.Join(dir, "none.json"), "--out", dir}, exitFailed, "none.json: no such file"},
		{[]string{"../../dataset/testdata/version3.arrow", "--log", filepath.Join(dir, "x.arrow")}, exitFailed, "it is no log of AutoScheduler, but an Arrow stream"},
		{[]string{empty, "--out", dir}, exitFailed, empty + ": none of its 0 lines is a record"},
		{[]string{prose, "--out", dir}, exitFailed, prose + ": none of its 1 line is a record"},
	} {
		code, _, stderr := command(append([]string{"dataset", "import"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit code %d\n%swant %q", c.args, code, stderr, c.want)
		}
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, exitUsage, "name at least one tuning log"},
		{[]string{there}, exitFailed, "is not a tuning log"},
		{[]string{sampleLog}, exitFailed, "import it with 'wmtune dataset import'"},
		{[]string{there, "--json"}, exitUsage, "--json needs --out"},
		{[]string{there, "--out", there}, exitFailed, "is there already"},
		{[]string{filepath.Join(dir, "none.arrow"), "--out", filepath.Join(dir, "x.json")}, exitFailed, "none.arrow: no such file"},
	} {
		code, _, stderr := command(append([]string{"dataset", "export"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("export %v: exit code %d\n%swant %q", c.args, code, stderr, c.want)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if b, err := os.ReadFile(there); err != nil || string(b) != "mine" {
		t.Errorf("a file was changed: %q, %v", b, err)
	}
}

// TestDatasetVerbs: the verbs of dataset are found, helped with and named.
func TestDatasetVerbs(t *testing.T) {
	_, help, _ := command("dataset", "--help")
	for _, v := range datasetVerbs() {
		name := strings.TrimPrefix(v.name, "dataset ")
		if !strings.Contains(help, "\n  "+name) {
			t.Errorf("the help of dataset has no %s", name)
		}
		for _, args := range [][]string{{"dataset", name, "--help"}, {"help", "dataset", name}} {
			if code, stdout, stderr := command(args...); code != exitOK || !strings.HasPrefix(stdout, "Usage: wmtune dataset "+name+" ") {
				t.Errorf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
			}
		}
		if code, _, stderr := command("dataset", name, "--nonsense"); code != exitUsage || !strings.Contains(stderr, "usage: wmtune dataset "+name) {
			t.Errorf("%s: exit code %d\n%s", name, code, stderr)
		}
	}
	if code, _, stderr := command("dataset"); code != exitUsage || !strings.Contains(stderr, "needs a command: import, export") {
		t.Errorf("dataset: exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := command("dataset", "nonsense"); code != exitUsage || !strings.Contains(stderr, `unknown command "nonsense": known are import`) {
		t.Errorf("dataset nonsense: exit code %d\n%s", code, stderr)
	}
}
