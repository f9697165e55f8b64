package lower

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wmtune/wmtune/tir"
)

// buildStage is what comes before all passes: the loop nests of the state.
const buildStage = "build"

// A PassReport says what one pass did to a program. Before is zero for "build", which has none.
type PassReport struct {
	Pass          string
	Time          time.Duration
	Before, After Size
	Changed       bool
}

// A Size counts what a program is made of, the functions that pack its inputs included.
type Size struct {
	Statements  int
	Expressions int // every node of every expression
}

func sizeOf(f *tir.Func) (n Size) {
	if f == nil {
		return n
	}
	for _, g := range append([]*tir.Func{f}, f.Packs...) {
		tir.Visit(g.Body, func(tir.Stmt) bool { n.Statements++; return true })
		tir.VisitAllExprs(g.Body, func(tir.Expr) bool { n.Expressions++; return true })
	}
	return n
}

// PassNames lists the stages in order: "build", then the passes, those for other targets included.
func PassNames() []string {
	list := []string{buildStage}
	for _, p := range passes {
		list = append(list, p.name)
	}
	return list
}

// Valid returns an error if Until or Skip names no pass, or if Skip names one that later stages cannot do without.
func (cfg Config) Valid() error {
	names := PassNames()
	for _, name := range append(slices.Clone(cfg.Skip), cfg.Until) {
		if name != "" && !slices.Contains(names, name) {
			return fmt.Errorf("there is no pass %q; the passes are %s", name, strings.Join(names, ", "))
		}
	}
	for _, name := range cfg.Skip {
		if name == buildStage {
			return fmt.Errorf("%s cannot be skipped: the passes rewrite what it makes", name)
		}
		if why := passes[slices.Index(names, name)-1].must; why != "" {
			return fmt.Errorf("pass %s cannot be skipped: %s", name, why)
		}
	}
	return nil
}
