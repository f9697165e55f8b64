package compile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
	"golang.org/x/sys/unix"
)

// fallocate gives a file its blocks of the disk. It is replaced in tests.
var fallocate = unix.Fallocate

// noSpace has the errors of fallocate that say that there is no room. Others say that a file system does not do it.
var noSpace = []error{unix.ENOSPC, unix.EDQUOT, unix.EFBIG, unix.EIO}

// write writes the weights file: constants as they are, and packed ones, which a program of their own makes.
func (w *weights) write(ctx context.Context, m Machine, path string) (hash [32]byte, err error) {
	f, err := os.Create(path)
	if err != nil {
		return hash, fmt.Errorf("weights: %w", err)
	}
	defer f.Close()
	if err := f.Truncate(w.size); err != nil {
		return hash, fmt.Errorf("weights of %d bytes: %w", w.size, err)
	}
	// Packed weights are written by way of memory: without blocks of the disk that would be a fault.
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		err = fallocate(int(f.Fd()), 0, 0, w.size)
	}
	if slices.ContainsFunc(noSpace, func(e error) bool { return errors.Is(err, e) }) {
		return hash, fmt.Errorf("weights of %d bytes in %s: %w; free space or choose another folder with --out", w.size,
			filepath.Dir(filepath.Dir(path)), err)
	}
	for _, b := range w.blobs {
		if b.pack == nil {
			if _, err := f.WriteAt(b.konst.Data, b.offset); err != nil {
				return hash, fmt.Errorf("weights of %d bytes: %w", w.size, err)
			}
		}
	}
	if err := w.packAll(ctx, m, path); err != nil {
		return hash, fmt.Errorf("pack weights: %w", err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, w.size)); err != nil {
		return hash, fmt.Errorf("weights: %w", err)
	}
	h.Sum(hash[:0])
	if err := f.Sync(); err != nil {
		return hash, err
	}
	// The kernel has what was written in small pages. It may read the file in huge ones, as NAME_open asks for.
	unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	return hash, nil
}

// packAll runs the functions that pack weights, as a program whose inputs are the plain constants, in a file beside the
// weights, and whose outputs are places of the weights file.
func (w *weights) packAll(ctx context.Context, m Machine, path string) error {
	p := &model.Program{Name: "pack"}
	cfg := model.LoadConfig{Name: p.Name, InputFiles: map[int]model.FilePart{}, OutputFiles: map[int]model.FilePart{}}
	plain := path + ".plain"
	f, err := os.Create(plain)
	if err != nil {
		return err
	}
	defer os.Remove(plain)
	defer f.Close()
	kernels := map[*tir.Func]int{}
	inputs := map[graph.ConstID]int{}
	at := int64(0)
	for _, b := range w.blobs {
		if b.pack == nil {
			continue
		}
		in, ok := inputs[b.konst.ID()]
		if !ok {
			in = len(p.Inputs)
			inputs[b.konst.ID()] = in
			p.Inputs = append(p.Inputs, model.Port{Name: fmt.Sprintf("in%d", in), Type: b.konst.Type, Shape: b.konst.Shape})
			if _, err := f.WriteAt(b.konst.Data, at); err != nil {
				return err
			}
			cfg.InputFiles[in] = model.FilePart{Path: plain, Offset: at}
			at = align(at + int64(len(b.konst.Data)))
		}
		k, ok := kernels[b.pack]
		if !ok {
			k = len(p.Kernels)
			kernels[b.pack] = k
			p.Kernels = append(p.Kernels, b.pack)
		}
		out := len(p.Outputs)
		to := b.pack.Params[1]
		p.Outputs = append(p.Outputs, model.Port{Name: fmt.Sprintf("out%d", out), Type: to.Type, Shape: []int64{to.Extent()}})
		cfg.OutputFiles[out] = model.FilePart{Path: path, Offset: b.offset}
		p.Steps = append(p.Steps, model.Call{Kernel: k, Label: b.pack.Name, Args: []model.Place{
			{Space: model.Input, Index: in}, {Space: model.Output, Index: out},
		}})
	}
	if len(p.Steps) == 0 {
		return nil
	}
	built, err := model.Build(ctx, m.Compiler(), p, m.Target(), model.Options{})
	if err != nil {
		return err
	}
	cfg.Library = path + ".pack.so"
	defer os.Remove(cfg.Library)
	if err := os.WriteFile(cfg.Library, built.Shared, 0o777); err != nil {
		return err
	}
	cfg.Inputs, cfg.Outputs = p.Inputs, p.Outputs
	return m.run(ctx, cfg)
}

// run runs a bundle once.
func (m Machine) run(ctx context.Context, cfg model.LoadConfig) error {
	l, err := m.load(ctx, cfg)
	if err != nil {
		return err
	}
	defer l.Close()
	return l.Run(ctx)
}

func (m Machine) load(ctx context.Context, cfg model.LoadConfig) (*model.Loaded, error) {
	var err error
	if cfg.Command, err = m.WorkerCommand(model.WorkerKind); err != nil {
		return nil, err
	}
	return model.Load(ctx, cfg)
}

// give has a bundle of so many inputs run with them. What follows these are extents.
func give(l *model.Loaded, inputs []*graph.Tensor, ports int) {
	for i, x := range inputs {
		if i < ports {
			copy(l.Input(i), x.Const().Data)
		} else {
			l.SetExtents(x.I)
		}
	}
}

// results runs a loaded bundle for inputs and returns its outputs.
func results(ctx context.Context, l *model.Loaded, p *model.Program, inputs []*graph.Tensor) ([]*graph.Tensor, error) {
	give(l, inputs, len(p.Inputs))
	if err := l.Run(ctx); err != nil {
		return nil, err
	}
	list := make([]*graph.Tensor, len(p.Outputs))
	for i, c := range outputs(l, p.Outputs) {
		list[i] = c.Tensor()
	}
	return list, nil
}

// outputs returns copies of what a run made, bounded outputs in their true shapes.
func outputs(l *model.Loaded, ports []model.Port) []*graph.Const {
	list := make([]*graph.Const, len(ports))
	for i, p := range ports {
		shape := l.Shape(i)
		data := l.Output(i)[:graph.Elems(shape)*int64(p.Type.Bytes())]
		list[i] = &graph.Const{Type: p.Type, Shape: shape, Data: slices.Clone(data)}
	}
	return list
}

// loadConfig says how to load a program that was built into a folder.
func loadConfig(dir string, p *model.Program, threads int, flush bool) model.LoadConfig {
	cfg := model.LoadConfig{
		Library: filepath.Join(dir, p.Name+".so"), Name: p.Name, Inputs: p.Inputs, Outputs: p.Outputs,
		Threads: threads, FlushDenormals: flush,
	}
	if p.Weights > 0 {
		cfg.Weights = filepath.Join(dir, p.Name+".weights")
	}
	for _, c := range p.Calls() {
		cfg.Labels = append(cfg.Labels, c.Label)
	}
	return cfg
}
