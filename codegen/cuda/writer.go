package cuda

import (
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/arith"
)

// A writer writes the body of one kernel.
type writer struct {
	m       *module
	kernel  *Kernel
	text    strings.Builder
	depth   int
	names   *names
	buffers map[*tir.Buffer]string
	vars    map[*tir.Var]value
	known   *arith.Simplifier // ranges of variables

	loops     int  // around what is being written
	entered   bool // there was a thread loop
	inThreads bool // in a thread loop
}

func newWriter(m *module, k *Kernel) *writer {
	w := &writer{
		m: m, kernel: k, names: newNames(), known: arith.NewSimplifier(),
		buffers: map[*tir.Buffer]string{}, vars: map[*tir.Var]value{},
	}
	for i, b := range k.Args {
		w.buffers[b] = k.Names[i]
		w.names.used[k.Names[i]] = true
	}
	return w
}

func (w *writer) line(format string, args ...any) {
	w.text.WriteString(strings.Repeat("  ", w.depth))
	fmt.Fprintf(&w.text, format, args...)
	w.text.WriteByte('\n')
}

// block writes head, body and a brace.
func (w *writer) block(head string, body func()) {
	w.line("%s {", head)
	w.depth++
	body()
	w.depth--
	w.line("}")
}

// declare gives a buffer its name.
func (w *writer) declare(b *tir.Buffer) string {
	name := w.names.fresh(b.Name)
	w.buffers[b] = name
	return name
}

// bind gives a variable its value, which is in lo..hi.
func (w *writer) bind(v *tir.Var, as value, lo, hi int64) {
	w.vars[v] = as
	w.known.Bind(v, lo, hi)
}
