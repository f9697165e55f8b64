package machine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen"
	"github.com/wmtune/wmtune/codegen/build"
	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/spell"
	"github.com/wmtune/wmtune/tir/target"
)

// A level is a processor that need not be this machine's, as the text of a target names it: its architecture, and what
// LLVM calls it.
type level struct {
	*architecture
	cpu string
}

// An architecture is one that code is compiled for.
type architecture struct {
	name     string // as people call it
	triple   string
	features []string // that a processor may have, as LLVM calls them
	emulator string   // of QEMU's user mode
	package_ string   // Debian's, of the emulator
}

var (
	amd64 = &architecture{"x86-64", "x86_64-unknown-linux-gnu", model.Features(false), "qemu-x86_64", "qemu-user"}
	arm64 = &architecture{"aarch64", "aarch64-unknown-linux-gnu", model.Features(true), "qemu-aarch64", "qemu-user"}
)

// psABI are the levels of x86-64, whose names LLVM knows.
var psABI = []string{"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}

// HelpLevels says what names processors.
const HelpLevels = helpCPU + `; several: x86-64-v2,x86-64-v3`

// helpCPU says what names a processor.
const helpCPU = `this machine's CPU, or another: x86-64-v3, "llvm -mcpu=haswell", "aarch64-linux -mcpu=cortex-a72"`

// kindOf returns the kind of target of a text.
func kindOf(text string) target.Kind {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	if slices.Contains(psABI, word) || word == "aarch64-linux" {
		return target.LLVM
	}
	return target.Kind(word)
}

// parseLevel returns the processor that a text names; nil if it is this machine's.
func parseLevel(text string) (*level, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return nil, fmt.Errorf("a target is empty: want %s", helpCPU)
	}
	l := &level{architecture: amd64}
	switch {
	case slices.Contains(psABI, words[0]):
		l.cpu = words[0]
	case words[0] == "aarch64-linux":
		l.architecture, l.cpu = arm64, "generic"
	case words[0] == string(target.LLVM) && len(words) == 1:
		return nil, nil
	case words[0] != string(target.LLVM):
		known := append(slices.Clone(psABI), "aarch64-linux", string(target.LLVM))
		return nil, fmt.Errorf("target %q is unknown: want %s%s", words[0], helpCPU, spell.Hint(words[0], known))
	}
	for _, w := range words[1:] {
		cpu, ok := strings.CutPrefix(w, "-mcpu=")
		if !ok || cpu == "" || slices.Contains(psABI, words[0]) || len(words) > 2 {
			return nil, fmt.Errorf("target %q has the option %q: want %s", text, w, helpCPU)
		}
		l.cpu = cpu
	}
	return l, nil
}

// validCPU says what is wrong with the text of one processor, as far as that is known without LLVM.
func validCPU(text string) error {
	_, err := parseLevel(text)
	return err
}

// ParseLevels divides a list of processors such as "x86-64-v2,x86-64-v3", and says what is wrong with it as far as that
// is known without LLVM.
func ParseLevels(list string) ([]string, error) {
	var texts []string
	var first *level
	for i, text := range strings.Split(list, ",") {
		text = strings.TrimSpace(text)
		l, err := parseLevel(text)
		switch {
		case err != nil:
			return nil, err
		case slices.Contains(texts, text):
			return nil, fmt.Errorf("target %q stands twice in the list", text)
		case i > 0 && (l == nil || first == nil):
			return nil, fmt.Errorf("target %q: a list of several names each processor: leave out %q, which is this machine's",
				list, target.LLVM)
		case i > 0 && l.architecture != first.architecture:
			return nil, fmt.Errorf("targets %q and %q are of two architectures: compile a library for each", texts[0], text)
		case i == 0:
			first = l
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// target asks LLVM about a processor. What the hardware has follows from the features: no cache is measured.
func (l *level) target(ctx context.Context, b *build.Builder, cores int) (target.Target, error) {
	p, err := b.Processor(ctx, build.Question{Triple: l.triple, CPU: l.cpu, Features: l.features})
	if err != nil {
		return target.Target{}, err
	}
	if !slices.Contains(p.Names, l.cpu) {
		return target.Target{}, fmt.Errorf("LLVM knows no processor %q of %s%s", l.cpu, l.name, spell.Hint(l.cpu, p.Names))
	}
	slices.Sort(p.Features)
	t := target.Target{Kind: target.LLVM, CPU: l.cpu, Features: p.Features}
	t.Hardware = codegen.Hardware(t, cores)
	return t, nil
}

// For returns the processor that a text names, as Open takes it, with the build workers of m, which must be closed
// after it. Its programs are checked on this machine's processor if that has all features of the named one, else by an
// emulator, and are never timed.
func (m *CPU) For(ctx context.Context, text string) (*CPU, error) {
	l, err := parseLevel(text)
	if err != nil || l == nil {
		return m, err
	}
	c := *m
	c.borrows, c.runs, c.others, c.level, c.native = true, nil, nil, l.cpu, m
	if c.host, err = l.target(ctx, m.build, m.host.Hardware.Cores); err != nil {
		return nil, err
	}
	if m.host.Triple() != "" && l.architecture != arm64 {
		return nil, fmt.Errorf("code for %s is not checked on aarch64: compile on a machine of x86-64", l.cpu)
	}
	where := "on this machine's processor"
	if lacks := lacking(m.host, c.host); len(lacks) > 0 {
		if c.opt.Emulator, err = m.emulator(l, lacks); err == nil && l.architecture == arm64 && m.host.Triple() == "" {
			c.opt.WorkerCommand, err = m.opt.armWorker(l)
		}
		if err != nil {
			return nil, err
		}
		where, c.emulated = "under "+l.emulator, true
	}
	c.untimed = fmt.Sprintf("candidates for %s are checked %s, and not timed", l.cpu, where)
	cfg, err := c.opt.runConfig(c.host.Hardware.Cores)
	if err == nil {
		c.runs, err = run.New(cfg)
	}
	return &c, err
}

// ForAll returns the processors that texts name. They are closed with m.
func (m *CPU) ForAll(ctx context.Context, texts []string) (list []*CPU, err error) {
	for _, text := range texts {
		c, err := m.For(ctx, text)
		if err != nil {
			return nil, err
		}
		if c != m {
			m.others = append(m.others, c)
		}
		list = append(list, c)
	}
	return list, nil
}

// openLevel opens the processor that a text names.
func openLevel(ctx context.Context, text string, opt Options) (Machine, error) {
	host, err := OpenCPU(ctx, opt)
	if err != nil {
		return nil, err
	}
	m, err := host.For(ctx, text)
	if err != nil {
		host.Close()
		return nil, err
	}
	m.borrows = false // host is known to nobody else
	return m, nil
}

// lacking returns the features of a processor that this machine's does not have.
func lacking(host, other target.Target) (list []string) {
	for _, f := range other.Features {
		if !host.Has(f) {
			list = append(list, f)
		}
	}
	return list
}

// unemulated begin the names of features that QEMU does not have (7.2, whose user mode has AVX2).
var unemulated = []string{"avx512", "amx", "avxvnni", "avxifma", "avxneconvert", "gfni", "xop", "fma4", "tbm"}

// emulator returns the command that runs programs of a processor.
func (m *CPU) emulator(l *level, lacks []string) ([]string, error) {
	for _, f := range lacks {
		if slices.ContainsFunc(unemulated, func(u string) bool { return strings.HasPrefix(f, u) }) {
			return nil, fmt.Errorf("code for %s cannot be checked here: this processor lacks %s, and QEMU does not emulate it: "+
				"compile on a machine that has it", l.cpu, f)
		}
	}
	path, err := exec.LookPath(l.emulator)
	if err != nil {
		return nil, fmt.Errorf("code for %s is checked by %s, which is not installed: apt-get install %s", l.cpu, l.emulator,
			l.package_)
	}
	command := []string{path, "-cpu", "max"}
	if l.architecture == arm64 {
		if _, err := os.Stat(armRoot); err == nil {
			command = append(command, "-L", armRoot)
		}
	}
	return command, nil
}

// armWorker returns the command of a worker that runs programs for aarch64.
func (o *Options) armWorker(l *level) ([]string, error) {
	path := o.Arm64
	if self, err := os.Executable(); path == "" && err == nil {
		path = self + "-arm64"
	}
	if !isFile(path) {
		return nil, fmt.Errorf("code for %s is checked by wmtune for linux/arm64 under %s, and there is none at %s: "+
			"make build GOARCH=arm64, and name it in WMTUNE_ARM64", l.cpu, l.emulator, path)
	}
	return []string{path, "worker"}, nil
}

// armRoot is where Debian has the C library of aarch64, in the package libc6-arm64-cross.
const armRoot = "/usr/aarch64-linux-gnu"

// Level returns what LLVM calls the processor if it is not this machine's; "" if it is.
func (m *CPU) Level() string { return m.level }

// Native returns this machine's processor.
func (m *CPU) Native() *CPU {
	if m.native != nil {
		return m.native
	}
	return m
}

// Emulated reports whether programs run under an emulator.
func (m *CPU) Emulated() bool { return m.emulated }

// A checkingRunner checks candidates for another processor, and times none.
type checkingRunner struct{ m *CPU }

// Run checks candidates. A correct one is unmeasured.
func (r checkingRunner) Run(
	ctx context.Context, _ []measure.Input, built []measure.BuildResult,
) ([]measure.Result, error) {
	results, err := r.m.runs.Check(ctx, built)
	for i := range results {
		if results[i].Status == measure.OK {
			results[i] = measure.Result{Status: measure.Unmeasured, Message: r.m.origin()}
		}
	}
	return results, err
}

// Modes says that candidates are measured by Run alone.
func (checkingRunner) Modes() measure.Modes { return measure.Modes{} }

// origin says how a candidate for another processor was checked.
func (m *CPU) origin() string {
	if m.emulated {
		return "emulated"
	}
	return "checked on another processor"
}
