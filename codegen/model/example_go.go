package model

import (
	"fmt"
	"go/format"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

const exampleGoText = `// How to run @NAME@ from Go, without cgo. Do it in a folder that is not the bundle's: compile
// does not replace a bundle that holds other files.
//
//	cp BUNDLE/example.go .
//	go mod init example && go get github.com/ebitengine/purego@v0.9.1
//	CGO_ENABLED=0 go run example.go BUNDLE
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Inputs of the model: dense arrays in row-major order.
type Inputs struct {
@INPUTS@}

// Outputs of the model. A shape is the true one, known after a run; so many elements are
// valid.
type Outputs struct {
@OUTPUTS@}

// A Model is a context of the model. Goroutines that run it at once need one each.
type Model struct {
	context uintptr
	run     func(context uintptr, inputs, outputs *unsafe.Pointer) int32
	close   func(context uintptr)
	text    func(code int32) string
}

// Open loads the library. Weights is the path of the weights file, or "" if there is none.
// Threads 0 stands for one for each processor.
func Open(library, weights string, threads int) (*Model, error) {
	lib, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	var open func(context *uintptr, weights *byte, threads int32) int32
	purego.RegisterLibFunc(&open, lib, "@NAME@_open")
	purego.RegisterLibFunc(&m.run, lib, "@NAME@_run")
	purego.RegisterLibFunc(&m.close, lib, "@NAME@_close")
	purego.RegisterLibFunc(&m.text, lib, "@NAME@_error")
	var path *byte
	if weights != "" {
		path = unsafe.StringData(weights + "\x00")
	}
	if code := open(&m.context, path, int32(threads)); code != 0 {
		return nil, fmt.Errorf("@NAME@: %s", m.text(code))
	}
	return m, nil
}

// Close frees the memory. The model cannot be run any more.
func (m *Model) Close() { m.close(m.context) }

// Run runs the model.
func (m *Model) Run(in *Inputs, out *Outputs) error {
	inputs := []unsafe.Pointer{@INPUT_LIST@}
	outputs := []unsafe.Pointer{@OUTPUT_LIST@}
	code := m.run(m.context, unsafe.SliceData(inputs), unsafe.SliceData(outputs))
	runtime.KeepAlive(in)
	runtime.KeepAlive(out)
	if code != 0 {
		return fmt.Errorf("@NAME@: %s", m.text(code))
	}
	return nil
}

// at returns the address of an array, which must have n elements.
func at[T any](list []T, n int) unsafe.Pointer {
	if len(list) != n {
		panic(fmt.Sprintf("an array has %d elements, not %d", len(list), n))
	}
	return unsafe.Pointer(unsafe.SliceData(list))
}

// random returns n elements of either value.
func random[T any](n int, values ...T) []T {
	list, state := make([]T, n), uint32(1)
	for i := range list {
		state = state*1664525 + 1013904223
		list[i] = values[int(state>>8)%len(values)]
	}
	return list
}

func example() error {
	bundle := "."
	if len(os.Args) > 1 {
		bundle = os.Args[1]
	}
	bundle, err := filepath.Abs(bundle) // the loader takes a name without a folder for one of the system's
	if err != nil {
		return err
	}
	m, err := Open(filepath.Join(bundle, "@NAME@.so"), @WEIGHTS@, 0)
	if err != nil {
		return err
	}
	defer m.Close()
	in := &Inputs{
@RANDOM@	}
	out := &Outputs{
@MAKE@	}
	best := time.Hour
	for range 10 {
		begin := time.Now()
		if err := m.Run(in, out); err != nil {
			return err
		}
		best = min(best, time.Since(begin))
	}
	fmt.Println("@NAME@:", best)
@PRINT@	return nil
}

func main() {
	if err := example(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// goTypes are Go's types of elements, and random ones.
var goTypes = map[tir.DType]struct{ typ, values, note string }{
	tir.Bool: {"bool", "false, true", ""},
	tir.I8:   {"int8", "0, 1", ""},
	tir.U8:   {"uint8", "0, 1", ""},
	tir.I16:  {"int16", "0, 1", ""},
	tir.U16:  {"uint16", "0, 1", ""},
	tir.I32:  {"int32", "0, 1", ""},
	tir.U32:  {"uint32", "0, 1", ""},
	tir.I64:  {"int64", "0, 1", ""},
	tir.U64:  {"uint64", "0, 1", ""},
	tir.F16:  {"uint16", "0x3800, 0x3c00", "bits of float16"},
	tir.BF16: {"uint16", "0x3f00, 0x3f80", "bits of bfloat16"},
	tir.F32:  {"float32", "0.25, 0.5, 1", ""},
	tir.F64:  {"float64", "0.25, 0.5, 1", ""},
}

// exampleGo returns a Go program that runs the model.
func (n *names) exampleGo() []byte {
	var inputs, outputs, fills, makes, prints strings.Builder
	var in, out []string
	fields := n.goFields()
	field := func(c string) string { return fields[c] }
	note := func(p portName) string {
		text := fmt.Sprintf("%q %v", p.Name, p.Shape)
		if extra := goTypes[p.Type].note; extra != "" {
			text += ", " + extra
		}
		return text
	}
	for _, p := range n.inputs {
		t := goTypes[p.Type]
		fmt.Fprintf(&inputs, "\t%s []%s // %s\n", field(p.c), t.typ, note(p))
		fmt.Fprintf(&fills, "\t\t%s: random[%s](%d, %s),\n", field(p.c), t.typ, p.Elements(), t.values)
		in = append(in, fmt.Sprintf("at(in.%s, %d)", field(p.c), p.Elements()))
	}
	for _, p := range n.outputs {
		t := goTypes[p.Type]
		fmt.Fprintf(&outputs, "\t%s []%s // %s\n", field(p.c), t.typ, note(p))
		fmt.Fprintf(&makes, "\t\t%s: make([]%s, %d),\n", field(p.c), t.typ, p.Elements())
		out = append(out, fmt.Sprintf("at(out.%s, %d)", field(p.c), p.Elements()))
		shape := fmt.Sprintf("%q", fmt.Sprint(p.Shape))
		if p.Bounded {
			shape = "out." + field(p.shape)
			fmt.Fprintf(&outputs, "\t%s []int64\n", field(p.shape))
			fmt.Fprintf(&makes, "\t\t%s: make([]int64, %d),\n", field(p.shape), len(p.Shape))
			out = append(out, fmt.Sprintf("at(out.%s, %d)", field(p.shape), len(p.Shape)))
		}
		fmt.Fprintf(&prints, "\tfmt.Println(%q, %s, out.%s[:%d])\n", p.Name, shape, field(p.c), min(p.Elements(), 8))
	}
	weights := fmt.Sprintf("filepath.Join(bundle, %q)", n.name+".weights")
	if n.Embedded || n.Program.Weights == 0 {
		weights = `""`
	}
	return formatted(fillIn(exampleGoText, map[string]string{
		"NAME": n.name, "INPUTS": inputs.String(), "OUTPUTS": outputs.String(), "WEIGHTS": weights,
		"INPUT_LIST": wrapped(in, "\t\t"), "OUTPUT_LIST": wrapped(out, "\t\t"), "RANDOM": fills.String(),
		"MAKE": makes.String(), "PRINT": prints.String(),
	}))
}

// goFields returns exported names for the fields of ports, by the names of the parameters.
func (n *names) goFields() map[string]string {
	var params, list []string
	for _, p := range n.inputs {
		params = append(params, p.c)
	}
	params = append(params, n.pointers()...)
	for _, c := range params {
		list = append(list, strings.ToUpper(c[:1])+c[1:])
	}
	fields := map[string]string{}
	for i, name := range cNames(list) {
		fields[params[i]] = name
	}
	return fields
}

// formatted is text as gofmt writes it.
func formatted(text []byte) []byte {
	pretty, err := format.Source(text)
	if err != nil {
		panic("BUG: model: example.go: " + err.Error())
	}
	return pretty
}
