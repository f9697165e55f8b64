package compile

import (
	"debug/elf"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/dataset/workload"
	"github.com/wmtune/wmtune/graph/graphtest"
	"github.com/wmtune/wmtune/graph/pass"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// leveled compiles a small model for processors, in a list as --target takes it.
func leveled(t *testing.T, list string, opt Options) (*Result, error) {
	t.Helper()
	return leveledOn(t, needBundles(t).machine, list, opt)
}

func leveledOn(t *testing.T, host Machine, list string, opt Options) (*Result, error) {
	t.Helper()
	texts, err := machine.ParseLevels(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		cpu, err := host.For(t.Context(), text)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cpu.Close)
		opt.Levels = append(opt.Levels, cpu)
	}
	g := graphtest.MustParse(`input x: float32[1, 8, 12, 12]
const w: float32[16, 8, 3, 3]
const v: float32[2304, 10]
a = Conv(x, w) pads=[1, 1, 1, 1]
b = Relu(a)
c = Flatten(b)
y = MatMul(c, v)
output y`, 18)
	m, err := New(t.Context(), g, pass.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Name = "m"
	return Run(t.Context(), host, m, opt)
}

// has reports whether this machine's processor has a feature.
func has(t *testing.T, feature string) bool { return needBundles(t).machine.Target().Has(feature) }

// TestLevels: a library for several processors computes the same on each of them, and is opened on none that has less.
func TestLevels(t *testing.T) {
	dir, want := t.TempDir(), []string{"x86-64-v2", "x86-64-v3", "x86-64-v4"}
	if !has(t, "avx512f") { // QEMU does not have it either
		want = want[:2]
	}
	one, err := leveled(t, "x86-64-v3", Options{Out: filepath.Join(dir, "one")})
	if err != nil {
		t.Fatal(err)
	}
	r, err := leveled(t, strings.Join(append(slices.Clone(want[1:]), want[0]), ","), Options{Out: filepath.Join(dir, "all")})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range r.Levels {
		names = append(names, l.Name)
		if l.Emulated || l.LatencyUS <= 0 || len(l.Sources) == 0 {
			t.Errorf("level %+v", l)
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("levels %v, want %v", names, want)
	}
	if len(one.Levels) != 1 || one.Levels[0].Name != "x86-64-v3" || !strings.Contains(one.Target, "-mcpu=x86-64-v3") {
		t.Errorf("one level: %s, %+v", one.Target, one.Levels)
	}
	if a, b := size(t, one.Out+"/m.so"), size(t, r.Out+"/m.so"); b > 3*a {
		t.Errorf("the library has %d bytes, and %d for one level", b, a)
	}
	header, err := os.ReadFile(r.Out + "/m.h")
	if err != nil || !strings.Contains(string(header), "const char *m_level(void);") ||
		!strings.Contains(string(header), " *   x86-64-v2: llvm -mcpu=x86-64-v2") {
		t.Errorf("%v\n%s", err, header)
	}
	right := runUnder(t, r.Out)
	for _, level := range append(names, "x86-64-v1") {
		t.Setenv("WMTUNE_LEVEL", level)
		if got := runUnder(t, r.Out); (got == right) != slices.Contains(names, level) {
			t.Errorf("level %s: %s, want %s", level, got, right)
		}
	}
	t.Setenv("WMTUNE_LEVEL", "")
	qemu, err := exec.LookPath("qemu-x86_64")
	if err != nil {
		buildtest.Lack(t, "nobody checks levels on older processors: apt-get install qemu-user")
	}
	for _, c := range []struct{ cpu, level, want string }{
		{"Nehalem", "", right}, {"Haswell", "", right}, {"Skylake-Server", "x86-64-v3", right},
		{"Nehalem", "x86-64-v3", "lacks instructions"}, {"core2duo", "", "lacks instructions"},
	} {
		t.Setenv("WMTUNE_LEVEL", c.level)
		if got := runUnder(t, r.Out, qemu, "-cpu", c.cpu); !strings.Contains(got, c.want) {
			t.Errorf("%s, level %q: %s, want %s", c.cpu, c.level, got, c.want)
		}
	}
	t.Setenv("WMTUNE_LEVEL", "")
	if got := runUnder(t, one.Out, qemu, "-cpu", "Nehalem"); !strings.Contains(got, "lacks instructions") {
		t.Errorf("a library for x86-64-v3 on a Nehalem: %s", got)
	}
}

// runUnder runs a bundle by way of a command, and says how it went: right, by what the bundle computes here, or what is
// wrong.
func runUnder(t *testing.T, dir string, command ...string) string {
	t.Helper()
	b, err := OpenBundle(t.Context(), dir, LoadOptions{Threads: 2,
		Machine: machine.Options{WorkerCommand: append(command, os.Args[0], "worker")}})
	if err != nil {
		return err.Error()
	}
	defer b.Close()
	b.SetRandom(3)
	got, err := b.RunSet(t.Context())
	if err != nil {
		return err.Error()
	}
	sum := 0.0
	for i := range got[0].Tensor().Len() {
		sum += math.Abs(got[0].Tensor().At(i))
	}
	return fmt.Sprintf("ran: %.4g", sum) // as far as sums of float32 in any order are alike
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestLevelErrors: what cannot be had for another processor is said before anything is written.
func TestLevelErrors(t *testing.T) {
	out := filepath.Join(t.TempDir(), "m")
	_, err := leveled(t, "x86-64-v2", Options{Out: out, Trials: 10})
	if err == nil || !strings.Contains(err.Error(), "x86-64-v2 are checked on this machine's processor, and not timed: leave out --trials") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a folder was written")
	}
}

// TestAarch64: libraries for aarch64 are right under an emulator, where the workers are those of wmtune for arm64, and so
// are candidates. Neither is timed.
func TestAarch64(t *testing.T) {
	needBundles(t)
	tool := buildtest.Arm64(t)
	cpu, err := machine.OpenCPU(t.Context(), machine.Options{Arm64: tool})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cpu.Close)
	r, err := leveledOn(t, Machine{cpu}, "aarch64-linux -mcpu=cortex-a53,aarch64-linux -mcpu=neoverse-n1",
		Options{Out: filepath.Join(t.TempDir(), "m")})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Levels) != 2 || !r.Levels[0].Emulated || r.Levels[1].LatencyUS != 0 || r.LatencyUS != 0 || r.MaxError > 1e-5 {
		t.Errorf("%+v, error %g", r.Levels, r.MaxError)
	}
	f, err := elf.Open(filepath.Join(r.Out, "m.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.ImportedSymbols()
	if err != nil || f.Machine != elf.EM_AARCH64 || len(symbols) == 0 {
		t.Errorf("%v, %s, %v", err, f.Machine, symbols)
	}
	for _, s := range symbols {
		if s.Version != "GLIBC_2.17" {
			t.Errorf("needs %s of %q", s.Name, s.Version)
		}
	}
	on, err := cpu.For(t.Context(), "aarch64-linux -mcpu=cortex-a72")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	w, err := workload.Find("matmul:m=32,n=32,k=32")
	if err != nil {
		t.Fatal(err)
	}
	if err := on.SetTask(t.Context(), w.DAG, 1, measure.Repeated); err != nil {
		t.Fatal(err)
	}
	in := []measure.Input{measure.NewInput(schedule.New(w.DAG), on.Target(), target.Keep)}
	built, err := on.Builder().Build(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	results, err := on.Runner().Run(t.Context(), in, built)
	if err != nil || results[0].Status != measure.Unmeasured || results[0].Message != "emulated" {
		t.Errorf("%v, %+v, built %v %s", err, results, built[0].Status, built[0].Message)
	}
}
