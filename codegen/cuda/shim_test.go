package cuda_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/build/buildtest"
	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/interp"
	"github.com/wmtune/wmtune/tir/target"
)

// gpu is the target of the tests.
var gpu = target.Target{Kind: target.CUDA, Arch: "sm_75"}

// A shimProgram is a program whose text is compiled as C++; see testdata/shim.h.
type shimProgram struct {
	fn   *tir.Func
	text string // "" means what Emit gives
	args []*interp.Tensor
}

// A shim is a program that runs a list of kernels on the CPU.
type shim struct {
	path     string
	programs []shimProgram
}

// newShim compiles the programs' texts. Without g++ it skips the test, or fails it
// where CI is set.
func newShim(t *testing.T, programs []shimProgram) *shim {
	t.Helper()
	compiler := buildtest.NeedTool(t, "g++", "on Debian, apt-get install g++")
	header, err := filepath.Abs(filepath.Join("testdata", "shim.h"))
	if err != nil {
		t.Fatal(err)
	}
	var src strings.Builder
	fmt.Fprintf(&src, "#include %q\n", header)
	for i, p := range programs {
		text, call := hostText(t, p)
		fmt.Fprintf(&src, "namespace p%d {\n%s\n%s}\n", i, text, call)
	}
	src.WriteString("int main(int n, char **args) {\n  FILE *in = fopen(args[1], \"rb\"), *out = fopen(args[2], \"wb\");\n  backwards = n > 3;\n")
	for i := range programs {
		fmt.Fprintf(&src, "  fprintf(stderr, \"program %d\\n\");\n  p%d::run(in, out);\n", i, i)
	}
	src.WriteString("}\n")
	dir := t.TempDir()
	s := &shim{path: filepath.Join(dir, "kernels"), programs: programs}
	file := filepath.Join(dir, "kernels.cc")
	if err := os.WriteFile(file, []byte(src.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(compiler, "-std=c++17", "-O1", "-w", "-fno-strict-aliasing",
		"-fsanitize=alignment,signed-integer-overflow,bounds,integer-divide-by-zero", "-fno-sanitize-recover=all", "-o", s.path, file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, src.String())
	}
	return s
}

// hostText returns the text of a program and of a function that runs it.
func hostText(t *testing.T, p shimProgram) (text, call string) {
	t.Helper()
	text = p.text
	if text == "" {
		text = emit(t, p.fn)
	}
	text = strings.ReplaceAll(text, `extern "C" `, "")
	for _, h := range cuda.DeviceOnly() {
		text = strings.ReplaceAll(text, h, "")
	}
	kernels, err := cuda.Kernels(p.fn)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("static void run(FILE *in, FILE *out) {\n")
	names := map[*tir.Buffer]string{}
	for i, param := range p.fn.Params {
		names[param] = fmt.Sprintf("arg%d", i)
		fmt.Fprintf(&b, "  char *arg%d = take(%d, in);\n", i, param.Bytes())
	}
	for i, ws := range cuda.Workspaces(p.fn, kernels) {
		names[ws] = fmt.Sprintf("workspace%d", i)
		fmt.Fprintf(&b, "  char *workspace%d = take(%d, nullptr);\n", i, ws.Bytes())
	}
	for _, k := range kernels {
		args := make([]string, len(k.Args))
		for i, a := range k.Args {
			args[i] = fmt.Sprintf("(%s *)%s", pointee[a.Type], names[a])
		}
		fmt.Fprintf(&b, "  launch({%d, %d, %d}, {%d, %d, %d}, [=] { %s(%s); });\n", k.Grid.X, k.Grid.Y, k.Grid.Z,
			k.Block.X, k.Block.Y, k.Block.Z, k.Name, strings.Join(args, ", "))
	}
	for i := len(p.fn.Inputs()); i < len(p.fn.Params); i++ {
		fmt.Fprintf(&b, "  fwrite(arg%d, 1, %d, out);\n", i, p.fn.Params[i].Bytes())
	}
	b.WriteString("}\n")
	return text, b.String()
}

var pointee = map[tir.DType]string{
	tir.Bool: "bool", tir.I8: "signed char", tir.U8: "unsigned char", tir.I32: "int", tir.I64: "long long",
	tir.F16: "unsigned short", tir.BF16: "unsigned short", tir.F32: "float", tir.F64: "double",
	tir.I16: "short", tir.U16: "unsigned short", tir.U32: "unsigned", tir.U64: "unsigned long long",
}

// run returns the arguments of each program as it leaves them, its threads in
// ascending order or in descending. The error says in which program the shim
// found fault.
func (s *shim) run(t *testing.T, backwards bool) ([][]*interp.Tensor, error) {
	t.Helper()
	var in bytes.Buffer
	for _, p := range s.programs {
		for _, a := range p.args {
			in.Write(a.Data)
		}
	}
	from, to := s.path+".in", s.path+".out"
	if err := os.WriteFile(from, in.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{from, to}
	if backwards {
		args = append(args, "backwards")
	}
	if text, err := exec.Command(s.path, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text[max(0, len(text)-400):])
	}
	data, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	var results [][]*interp.Tensor
	for _, p := range s.programs {
		list := make([]*interp.Tensor, len(p.args))
		for i, a := range p.args {
			list[i] = a.Clone()
			if i >= len(p.fn.Inputs()) {
				data = data[copy(list[i].Data, data):]
			}
		}
		results = append(results, list)
	}
	return results, nil
}

// ampere is the oldest GPU that copies asynchronously and multiplies tiles.
var ampere = target.Target{Kind: target.CUDA, Arch: "sm_80"}

// targetOf returns the oldest GPU of the tests that a program runs on.
func targetOf(f *tir.Func) target.Target {
	on := gpu
	tir.Visit(f.Body, func(s tir.Stmt) bool {
		switch s.(type) {
		case *tir.Wait, *tir.MMA:
			on = ampere
		}
		return true
	})
	return on
}

func emit(t testing.TB, f *tir.Func) string {
	t.Helper()
	var b bytes.Buffer
	if err := cuda.Emit(&b, f, targetOf(f)); err != nil {
		t.Fatalf("%v\n%s", err, f)
	}
	return b.String()
}
