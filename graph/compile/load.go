package compile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/codegen/machine"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/graph/npy"
	"github.com/wmtune/wmtune/tir"
)

// LoadOptions say how a bundle is loaded. The zero value uses all processors that the process may use.
type LoadOptions struct {
	Machine machine.Options // how workers are started
	Threads int             // 0: one for each processor that may be used
	Flush   bool            // denormal numbers are zero
	Timeout time.Duration   // of one run; 0: ten minutes

	Extents map[string]int64 // of a bundle of several plans, for random inputs; nil: the largest
}

// A Bundle is a bundle's folder, loaded in a worker. It is for one goroutine at a time.
type Bundle struct {
	Result *Result // what NAME.json says

	dir     string
	loaded  *model.Loaded
	inputs  []model.Port // as they are for the extents of the next run
	outputs []model.Port
	plan    int   // that the next run takes
	rows    int64 // of the state, if inputs are as long as it
}

// Describe reads what a bundle's folder says of the bundle. The path is that of the folder or of NAME.json.
func Describe(path string) (r *Result, dir string, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", fmt.Errorf("bundle: %w; 'wmtune compile MODEL.onnx' makes one", err)
	}
	if strings.HasSuffix(path, ".onnx") {
		return nil, "", fmt.Errorf("bundle: %s is a model; 'wmtune compile %s' makes a bundle of it", path, path)
	}
	if !info.IsDir() {
		if r, err = readResult(path); err != nil {
			return nil, "", fmt.Errorf("bundle: %w; name the bundle's folder", err)
		}
		return r, filepath.Dir(path), nil
	}
	files, err := fs.Glob(os.DirFS(path), "*.json") // the path may hold what a pattern has
	if err != nil {
		return nil, "", fmt.Errorf("bundle %s: %w", path, err)
	}
	var found []*Result
	var why string // a file is none
	for _, f := range files {
		if r, err := readResult(filepath.Join(path, f)); err == nil {
			found = append(found, r)
		} else {
			why = fmt.Sprintf(" (%v)", err)
		}
	}
	if len(found) != 1 {
		return nil, "", fmt.Errorf("folder %s holds %d bundles, not one%s: 'wmtune compile MODEL.onnx' makes a folder "+
			"with NAME.so and NAME.json", path, len(found), why)
	}
	return found[0], path, nil
}

// OpenBundle loads the bundle in a folder.
func OpenBundle(ctx context.Context, path string, opt LoadOptions) (*Bundle, error) {
	r, dir, err := Describe(path)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Result: r, dir: dir}
	if b.inputs, err = portsOf(r.Inputs); err == nil {
		b.outputs, err = portsOf(r.Outputs)
	}
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", path, err)
	}
	cfg := model.LoadConfig{
		Library: filepath.Join(dir, r.Name+".so"), Name: r.Name, Inputs: b.inputs, Outputs: b.outputs,
		Threads: opt.Threads, FlushDenormals: opt.Flush, Timeout: opt.Timeout,
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 10 * time.Minute
	}
	if cfg.Extents, err = b.extentsFor(opt.Extents); err != nil {
		return nil, err
	}
	if slices.Contains(r.Files, r.Name+".weights") {
		cfg.Weights = filepath.Join(dir, r.Name+".weights")
	}
	for _, path := range []string{cfg.Library, cfg.Weights} {
		if path == "" {
			continue
		}
		f, err := file.Open(path)
		if err != nil {
			return nil, fmt.Errorf("bundle: %w; compile the model again", err)
		}
		f.Close()
	}
	for _, c := range r.Calls {
		cfg.Labels = append(cfg.Labels, c.Kernel)
	}
	if cfg.Command, err = opt.Machine.Worker(model.WorkerKind); err != nil {
		return nil, err
	}
	if b.loaded, err = model.Load(ctx, cfg); err != nil {
		return nil, err
	}
	if len(r.Plans) > 0 {
		err = b.setExtents(cfg.Extents)
	}
	return b, err
}

// portsOf returns the inputs or outputs that a bundle's description has.
func portsOf(list []PortInfo) ([]model.Port, error) {
	var ports []model.Port
	for _, p := range list {
		t, err := tir.ParseDType(p.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		if graph.CheckShape(p.Shape) != nil {
			return nil, fmt.Errorf("%s has the shape %v, which no tensor has: compile the model again", p.Name, p.Shape)
		}
		ports = append(ports, model.Port{Name: p.Name, Type: t, Shape: p.Shape, Bounded: p.Bounded, Dims: p.Dims})
	}
	return ports, nil
}

// Close ends the worker.
func (b *Bundle) Close() error { return b.loaded.Close() }

// SetRandom gives the bundle random inputs: floats from a normal distribution, and whole numbers that are indices where
// the model indexes with them. The same seed gives the same inputs.
func (b *Bundle) SetRandom(seed uint64) {
	for i, p := range b.inputs {
		bound := max(b.Result.Inputs[i].Below, 1)
		x := randomTensor(p.Type, p.Shape, bound, rand.New(rand.NewPCG(seed, uint64(i))))
		copy(b.loaded.Input(i), x.Const().Data)
	}
}

// SetFile gives the bundle inputs from a .npz file with an array for each input, by its name or as in0, in1 and so on,
// or from a .npy file if it has one input. Nothing is converted: types and shapes must be those of the inputs. The
// arrays of a .npz file that are called like outputs, or out0, out1 and so on, are returned as what is expected of the
// outputs; an output that has none is nil.
func (b *Bundle) SetFile(path string) (expected []*graph.Const, err error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, out, err := b.match(f.Arrays)
	if err != nil {
		return nil, fmt.Errorf("inputs of %s: %s: %w", b.Result.Name, path, err)
	}
	for i, a := range in {
		x, err := a.Data()
		if err != nil {
			return nil, fmt.Errorf("inputs of %s: %s: %w", b.Result.Name, path, err)
		}
		copy(b.loaded.Input(i), x.Data)
	}
	for _, a := range out {
		var x *graph.Const
		if a != nil {
			if x, err = a.Data(); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			x.Type = b.outputs[len(expected)].Type
		}
		expected = append(expected, x)
	}
	return expected, nil
}

// openInputs opens a file of inputs of a program, and finds the array of each, as Bundle.SetFile does.
func openInputs(path string, inputs, outputs []model.Port) (*npy.File, []*npy.Array, error) {
	f, err := npy.Open(path)
	if err != nil {
		return nil, nil, fmt.Errorf("inputs: %w", err)
	}
	in, _, err := (&Bundle{inputs: inputs, outputs: outputs}).match(f.Arrays)
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("inputs: %s: %w", path, err)
	}
	return f, in, nil
}

// readInputs reads the inputs of a program from a file.
func readInputs(path string, inputs, outputs []model.Port) ([]*graph.Tensor, error) {
	f, in, err := openInputs(path, inputs, outputs)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list := make([]*graph.Tensor, len(in))
	for i, a := range in {
		x, err := a.Data()
		if err != nil {
			return nil, fmt.Errorf("inputs: %s: %w", path, err)
		}
		x.Type = inputs[i].Type // bfloat16 is in files as uint16
		list[i] = x.Tensor()
	}
	return list, nil
}

// match finds the array of each input, and of the outputs those that there are. The error lists all that is wrong.
func (b *Bundle) match(arrays []*npy.Array) (in, out []*npy.Array, err error) {
	in, out = make([]*npy.Array, len(b.inputs)), make([]*npy.Array, len(b.outputs))
	var wrong []string
	for _, a := range arrays {
		switch i, o := portNamed(b.inputs, "in", a.Name), portNamed(b.outputs, "out", a.Name); {
		case a.Alone && len(b.inputs) == 1:
			in[0] = a
		case i >= 0:
			in[i] = a
		case o >= 0:
			out[o] = a
		default:
			wrong = append(wrong, fmt.Sprintf("there is no input called %s", a.Name))
		}
	}
	if b.Result != nil && len(b.Result.Plans) > 0 && !slices.Contains(in, nil) {
		if err := b.follow(in); err != nil {
			return nil, nil, err
		}
	}
	for i, p := range b.inputs {
		switch a := in[i]; {
		case a == nil:
			wrong = append(wrong, fmt.Sprintf("input %s is missing: want an array %s or in%d, %s%v", p.Name, p.Name, i, p.Type,
				p.Shape))
		case !holds(a, p.Type) || !slices.Equal(a.Shape, p.Shape):
			wrong = append(wrong, fmt.Sprintf("input %s is %s%v: want %s%v", p.Name, a.Type, a.Shape, p.Type, p.Shape))
		}
	}
	for i, a := range out {
		if a != nil && !holds(a, b.outputs[i].Type) {
			wrong = append(wrong, fmt.Sprintf("output %s is %s: the model's is %s", a.Name, a.Type, b.outputs[i].Type))
		}
	}
	if wrong != nil {
		return nil, nil, errors.New(strings.Join(wrong, "; "))
	}
	return in, out, nil
}

// holds reports whether an array has the bits of a type. NumPy has no bfloat16, so that uint16 may hold it.
func holds(a *npy.Array, t tir.DType) bool { return a.Type == t || t == tir.BF16 && a.Type == tir.U16 }

// portNamed returns the index of a port by its name, or by its place after a prefix; -1 if there is none.
func portNamed(ports []model.Port, prefix, name string) int {
	if i := slices.IndexFunc(ports, func(p model.Port) bool { return p.Name == name }); i >= 0 {
		return i
	}
	for i := range ports {
		if name == fmt.Sprintf("%s%d", prefix, i) {
			return i
		}
	}
	return -1
}

// RunSet runs the bundle once for the inputs that Set, SetFile or SetRandom gave it. It returns the outputs, bounded
// ones in their true shapes.
func (b *Bundle) RunSet(ctx context.Context) ([]*graph.Const, error) {
	if err := b.loaded.Run(ctx); err != nil {
		return nil, err
	}
	return outputs(b.loaded, b.outputs), b.lengthen(ctx)
}

// Compare returns the largest difference of outputs from what is expected of them, divided by the largest element
// that is expected, or by 1 if that is 0, and whether anything was. Other shapes, and other whole numbers, are an
// error.
func (b *Bundle) Compare(got, expected []*graph.Const) (largest float64, known bool, err error) {
	for i, want := range expected {
		if want == nil {
			continue
		}
		w := want.Tensor()
		d, err := compare(b.outputs[i].Name, got[i].Tensor(), w)
		if err == nil && d.Wrong > 0 {
			err = d.beyond(w, Difference{})
		}
		if err != nil {
			return 0, true, err
		}
		largest, known = max(largest, d.Relative), true
	}
	return largest, known, nil
}

// Save writes outputs to a .npz file, by their names, or a single one to a .npy file.
func (b *Bundle) Save(path string, outputs []*graph.Const) error {
	var list []npy.Named
	for i, c := range outputs {
		list = append(list, npy.Named{Name: b.outputs[i].Name, Const: c})
	}
	return npy.Write(path, list)
}

// Time runs the bundle so many times after a run that does not count, and returns how long each took, sorted.
func (b *Bundle) Time(ctx context.Context, runs int) ([]time.Duration, error) {
	times, err := b.Sample(ctx, model.Repeat{Warm: 1, Calls: runs})
	slices.Sort(times)
	return times, err
}

// Sample runs the bundle several times and returns how long each run took, in order.
func (b *Bundle) Sample(ctx context.Context, repeat model.Repeat) ([]time.Duration, error) {
	times, err := b.loaded.Time(ctx, repeat)
	if err == nil {
		err = b.lengthen(ctx)
	}
	return times, err
}
