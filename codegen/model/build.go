package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/ld"
	"github.com/wmtune/wmtune/codegen/llvm"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
	"golang.org/x/sync/errgroup"
)

// Options say how to build a program.
type Options struct {
	Cache Cache  // of compiled code; nil: none
	Embed []byte // the weights, if they are to be inside of the object and the library; else nil

	// FlushDenormals says that new contexts count denormal numbers as 0, unless
	// NAME_flush_denormals says otherwise.
	FlushDenormals bool

	// Progress, if not nil, is called after each module that was compiled, or found in the
	// cache, by one goroutine at a time.
	Progress func(done, total int)
}

// maxEmbed bounds the weights inside of a library, in bytes: code reaches no further.
const maxEmbed = 1 << 30

// A Cache keeps objects by a hash of what they were compiled from. It must be safe for concurrent use.
type Cache interface {
	Get(key [32]byte) []byte // nil: it has none
	Put(key [32]byte, object []byte)
}

// A Bundle is a program that was compiled.
type Bundle struct {
	Program  *Program
	Target   target.Target
	Object   []byte // ELF relocatable
	Shared   []byte // ELF shared library
	Scratch  int64  // bytes of temporaries for each thread, beside the arena
	Embedded bool   // the weights are inside
	Flush    bool   // new contexts flush denormals
}

// Build compiles a program. An error about one kernel names it, and wraps a
// *build.CompileError. Kernels compile as many at once as b has workers.
func Build(ctx context.Context, b *build.Builder, p *Program, t target.Target, opt Options) (*Bundle, error) {
	c := &compilation{name: p.Name, b: b.Patient(), opt: opt}
	for _, level := range p.levels(t) {
		one := *p
		one.Kernels, one.Steps, one.Plans, one.Levels = level.Kernels, level.Steps, level.Plans, nil
		l, err := newLayout(&one)
		if err != nil {
			return nil, err
		}
		c.levels = append(c.levels, variant{layout: l, name: level.Name, target: level.Target})
	}
	if len(opt.Embed) > maxEmbed {
		return nil, fmt.Errorf("model: program %s: the limit of embedded weights is %d bytes, and there are %d: "+
			"keep them in a file", p.Name, maxEmbed, len(opt.Embed))
	}
	if opt.Embed != nil && (int64(len(opt.Embed)) != p.Weights || sha256.Sum256(opt.Embed) != p.WeightsHash) {
		return nil, fmt.Errorf("model: program %s: the weights to embed are not the program's", p.Name)
	}
	d := description{features: ^uint64(0), embedded: opt.Embed != nil && p.Weights > 0, flush: opt.FlushDenormals}
	for i := range c.levels {
		v := &c.levels[i]
		if err := c.kernels(ctx, v); err != nil {
			return nil, err
		}
		d.features &= featureBits(v.target)
		for i, fn := range v.p.Kernels {
			d.scratch = max(d.scratch, v.scratch[i].Main+v.scratch[i].Body)
			d.parallel = d.parallel || isParallel(fn)
		}
	}
	d.scratch += int64(apart)
	if err := c.sequence(ctx, d); err != nil {
		return nil, err
	}
	if d.embedded {
		c.add("weights", ld.Data(placeholder+"data", opt.Embed, tensorAlign))
	}
	bundle := &Bundle{Program: p, Target: t, Scratch: d.scratch, Embedded: d.embedded, Flush: d.flush}
	whole, err := c.join()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	bundle.Object = whole.Bytes()
	// The library may be unloaded: NAME_close ends the threads that run in it.
	if bundle.Shared, err = whole.Shared(ld.Options{Name: p.Name + ".so"}); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return bundle, nil
}

// apart is how many bytes lie between the temporaries of two threads, so that they do not
// share cache lines, prefetched ones included, nor places in the cache.
const apart = 1<<12 + 1<<8

func isParallel(fn *tir.Func) bool {
	return tir.Has(fn.Body, func(s tir.Stmt) bool {
		f, ok := s.(*tir.For)
		return ok && f.Kind == tir.Parallel
	})
}

// A compilation collects objects.
type compilation struct {
	name    string // of the program
	levels  []variant
	b       *build.Builder
	opt     Options
	objects []*ld.Object
	texts   [][32]byte // hashes of the kernels that were compiled, by number

	mu   sync.Mutex
	done int // modules compiled
}

// A variant is a level while it is compiled.
type variant struct {
	*layout
	name    string
	target  target.Target
	numbers []int // of its kernels, in the library
	scratch []llvm.Scratch
}

// otherModules is how many modules there are beside those of kernels.
const otherModules = 2

// add gives the symbols of an object the names of the program, the kernel's the name of the
// object, and puts it among the objects to be joined.
func (c *compilation) add(name string, object *ld.Object) {
	object.Rename(func(s string) string {
		if s == llvm.KernelSymbol {
			return c.name + "_" + name
		}
		rest, ok := strings.CutPrefix(s, placeholder)
		switch {
		case !ok:
			return s
		case name == "runtime" && len(c.levels) > 1 && slices.Contains(opens, rest):
			rest = "base_" + rest // levels.c has the function of the name
		}
		return c.name + "_" + rest
	})
	c.objects = append(c.objects, object)
}

// atOnce bounds the kernels whose texts are in memory, waiting for a worker.
const atOnce = 8

// kernels compiles the kernels of a level that no lower one has: of equal texts the one of the lowest level is enough.
func (c *compilation) kernels(ctx context.Context, v *variant) error {
	fns := v.p.Kernels
	v.scratch, v.numbers = make([]llvm.Scratch, len(fns)), make([]int, len(fns))
	objects, texts := make([]*ld.Object, len(fns)), make([][32]byte, len(fns))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i, fn := range fns {
		g.Go(func() error {
			text, scratch, err := emitKernel(fn, v.target)
			_, body, _ := bytes.Cut(text, []byte("\n\n")) // without the comment that names the target
			v.scratch[i], texts[i] = scratch, sha256.Sum256(body)
			if v.numbers[i] = slices.Index(c.texts, texts[i]); err == nil && v.numbers[i] < 0 {
				objects[i], err = c.compile(ctx, text, build.For(v.target))
			}
			if err != nil {
				return fmt.Errorf("model: kernel %d, %s: %w", i, fn.Name, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i, object := range objects {
		if object != nil {
			v.numbers[i] = len(c.texts)
			c.add(fmt.Sprintf("kernel_%d", len(c.texts)), object)
			c.texts = append(c.texts, texts[i])
		}
	}
	return nil
}

// compile compiles a module, or has it from the cache.
func (c *compilation) compile(ctx context.Context, text []byte, opt build.Options) (*ld.Object, error) {
	key, cache := cacheKey(text, opt, c.b.Info()), c.opt.Cache
	var object []byte
	if cache != nil {
		object = cache.Get(key)
	}
	if object == nil {
		var err error
		if object, err = c.b.Compile(ctx, text, opt); err != nil {
			return nil, err
		}
		if cache != nil {
			cache.Put(key, object)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done++
	if c.opt.Progress != nil {
		n := otherModules
		for _, v := range c.levels {
			n += len(v.p.Kernels)
		}
		c.opt.Progress(c.done, n)
	}
	return ld.Read(object)
}

// emitKernel turns a panic of the emitter, which is a defect, into an error about one
// kernel.
func emitKernel(fn *tir.Func, t target.Target) (text []byte, s llvm.Scratch, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("llvm: %v", p)
		}
	}()
	var w bytes.Buffer
	s, err = llvm.EmitKernel(&w, fn, t)
	return w.Bytes(), s, err
}

// cacheKey is the hash of all that an object depends on.
func cacheKey(text []byte, opt build.Options, info build.Info) [32]byte {
	head, err := json.Marshal(struct {
		Options build.Options
		Info    build.Info
	}{opt, info})
	if err != nil {
		panic("BUG: model: " + err.Error())
	}
	h := sha256.New()
	h.Write(head)
	h.Write(text)
	return [32]byte(h.Sum(nil))
}

// sequence compiles the steps and the run-time. They run on any processor of the
// architecture, so that NAME_open can say which instructions are missing.
func (c *compilation) sequence(ctx context.Context, d description) error {
	opt, runtime, levels, plans := build.Options{CPU: "x86-64"}, runtimeIR, levelsIR, plansIR
	if c.levels[0].p.State != nil {
		plans = stateIR
	}
	if triple := c.levels[0].target.Triple(); triple != "" {
		opt = build.Options{CPU: "generic", Triple: triple}
		runtime, levels, plans = runtimeArm, levelsArm, strings.ReplaceAll(plans, targetAttributes, "")
	}
	parts := []struct{ name, text string }{{"steps", emitSequence(c.levels, d)}, {"runtime", runtime}}
	if len(c.levels) > 1 {
		parts = append(parts, struct{ name, text string }{"levels", levels})
	}
	if len(c.levels[0].plans) > 0 {
		parts = append(parts, struct{ name, text string }{"plans", plans})
	}
	for _, part := range parts {
		object, err := c.compile(ctx, []byte(part.text), opt)
		if err != nil {
			return fmt.Errorf("model: the %s of %s: %w", part.name, c.name, err)
		}
		c.add(part.name, object)
	}
	return nil
}

// join makes one object, which shows the functions of the header only.
func (c *compilation) join() (*ld.Object, error) {
	joined, err := ld.Join(c.objects...)
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	for _, f := range c.levels[0].p.api() {
		shown[c.name+"_"+f] = true
	}
	shown[c.name+"_level"] = true
	joined.Hide(func(s string) bool { return shown[s] })
	return joined, nil
}
