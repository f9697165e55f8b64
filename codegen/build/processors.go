package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/codegen/worker"
)

// A Question asks LLVM about a processor that need not be this machine's.
type Question struct {
	Triple   string   // of the architecture
	CPU      string   // LLVM's name of the processor
	Features []string // LLVM's names of what the processor may have
}

// A Processor is what LLVM knows of a processor.
type Processor struct {
	Names    []string // of all processors of the architecture
	Features []string // those asked for that it has, in order; nil if Names lacks it
}

// Processor asks LLVM about a processor, in a worker of its own: LLVM lists names once in a process.
func (b *Builder) Processor(ctx context.Context, q Question) (Processor, error) {
	p, _, err := start(ctx, b.cfg)
	if err != nil {
		return Processor{}, err
	}
	defer p.Kill()
	var r response
	if _, err := p.Ask(ctx, worker.Limit{Total: startTimeout}, request{Question: &q}, &r); err != nil {
		return Processor{}, fmt.Errorf("build: asking LLVM about processors: %w", err)
	}
	if r.Processor == nil {
		return Processor{}, errors.New(r.Error)
	}
	return *r.Processor, nil
}

// processor answers a question.
func (c *compiler) processor(q *Question) (*Processor, error) {
	help, err := told(func() error {
		_, err := c.machine(Options{Triple: q.Triple, CPU: "help"})
		return err
	})
	if err != nil {
		return nil, err
	}
	p := &Processor{Names: namesIn(help)}
	if slices.Contains(p.Names, q.CPU) {
		p.Features, err = c.has(q)
	}
	return p, err
}

// namesIn returns the processors in what LLVM lists: lines such as "  haswell - Select the haswell processor.".
func namesIn(help string) (names []string) {
	for line := range strings.Lines(help) {
		name, what, ok := strings.Cut(strings.TrimSpace(line), " - Select the ")
		if ok && strings.HasSuffix(what, "processor.") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// has returns which features a processor has: LLVM inlines a function only where its caller has all of its features, so
// that of the processor with a feature only if the processor has it.
func (c *compiler) has(q *Question) ([]string, error) {
	var text strings.Builder
	for i, f := range q.Features {
		fmt.Fprintf(&text, "define i32 @f%d() #%d {\n  ret i32 1\n}\ndefine i32 @p%[1]d() #0 {\n  %%r = call i32 @f%[1]d()\n"+
			"  ret i32 %%r\n}\nattributes #%[2]d = { \"target-cpu\"=%[3]q \"target-features\"=%[4]q }\n", i, i+1, q.CPU, "+"+f)
	}
	fmt.Fprintf(&text, "attributes #0 = { \"target-cpu\"=%q }\n", q.CPU)
	l := c.lib
	ctx := l.ContextCreate()
	defer l.ContextDispose(ctx)
	module, err := c.parse(ctx, []byte(text.String()))
	if err != nil {
		return nil, err
	}
	defer l.DisposeModule(module)
	machine, err := c.machine(Options{Triple: q.Triple, CPU: q.CPU})
	if err != nil {
		return nil, err
	}
	l.SetTarget(module, q.Triple)
	if err := c.run(module, machine, "cgscc(inline)"); err != nil {
		return nil, err
	}
	after, has := l.message(l.PrintModuleToString(module)), []string{}
	for i, f := range q.Features {
		if !strings.Contains(after, fmt.Sprintf("call i32 @f%d()", i)) {
			has = append(has, f)
		}
	}
	return has, nil
}

// told returns what a function writes to the standard error of the process.
func told(do func() error) (string, error) {
	fd, err := unix.MemfdCreate("stderr", unix.MFD_CLOEXEC)
	if err != nil {
		return "", err
	}
	f := os.NewFile(uintptr(fd), "stderr")
	defer f.Close()
	before, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return "", err
	}
	defer unix.Close(before)
	if err := unix.Dup3(fd, 2, 0); err != nil {
		return "", err
	}
	err = errors.Join(do(), unix.Dup3(before, 2, 0))
	text, failed := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
	return string(text), errors.Join(err, failed)
}
