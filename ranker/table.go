package ranker

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/ranker/lowered"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// A Table says what the columns of a model's rows are.
type Table uint8

// The tables.
const (
	Steps    Table = iota // Features on a CPU, which need no lowering
	Lowered               // these, and behind them those of the lowered program (Closer)
	Launched              // Features on a GPU
)

// TableOf returns the table of Features on a kind of target.
func TableOf(kind target.Kind) Table {
	if kind == target.CUDA {
		return Launched
	}
	return Steps
}

// Columns is the number of columns.
func (t Table) Columns() int {
	if t == Lowered {
		return Columns + lowered.Columns
	}
	return Columns
}

// Names returns the names of the columns.
func (t Table) Names() []string {
	switch t {
	case Lowered:
		return append(names(target.LLVM), lowered.Names()...)
	case Launched:
		return names(target.CUDA)
	}
	return names(target.LLVM)
}

// Version is that of the features: it changes when a column means something else.
const Version = 1

// Digest identifies what the columns mean. A model has that of the features it was
// trained on.
func (t Table) Digest() string {
	version := Version
	switch t {
	case Lowered:
		version = Version<<8 | lowered.Version
	case Launched:
		version = Version<<8 | launchVersion
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", version, strings.Join(t.Names(), "\n")))
	return hex.EncodeToString(sum[:8])
}

// Closer returns a row of Lowered: features of a state, which Features returned, and what only its lowered program
// shows; zeros for a GPU, whose programs are not lowered for it. The error is that of lowering.
func Closer(features []float32, s *schedule.State, t target.Target, layout target.Layout) ([]float32, error) {
	if t.Kind != target.LLVM {
		return append(slices.Clone(features), make([]float32, lowered.Columns)...), nil
	}
	f, err := lower.Lower(s, lower.Config{Target: t, Layout: layout})
	if err != nil {
		return nil, fmt.Errorf("ranker: %w", err)
	}
	return slices.Concat(features, lowered.Of(f, s.DAG.FLOPs(), loweredMachine(t))), nil
}

func loweredMachine(t target.Target) lowered.Machine {
	m := machineOf(t)
	return lowered.Machine{Cores: m.cores, Vector: m.vector, Registers: m.registers, Line: m.line, Cache: m.cache}
}

// Divisions returns how threads divide a lowered function.
func Divisions(f *tir.Func, t target.Target) []lowered.Division {
	return lowered.Divisions(f, loweredMachine(t))
}
