package cuda

import (
	"fmt"
	"slices"

	"github.com/wmtune/wmtune/tir"
)

// checkThreads returns an error if k has what its blocks and threads cannot carry
// out as the program means it:
//
//   - a store to memory that they share outside of a loop over one of the launch's
//     dimensions: all threads along it would do it;
//   - a barrier in a loop over fewer threads than the block has, or under a condition
//     that need not be the same for all of them: the others would not come by;
//   - a product of tiles where not all threads of a warp come by, or where 32 threads
//     along threadIdx.x are not one;
//   - a buffer in global memory allocated in a kernel of several threads: there is
//     one for all;
//   - loops over threads next to each other within something that is no sequence of
//     kernels: blocks of the second may start before those of the first have ended.
func checkThreads(k *Kernel, bound bool) error {
	c := threadChecker{k: k, bound: bound}
	if err := c.stmt(k.body, nil); err != nil {
		return err
	}
	if c.nests > 1 {
		return fmt.Errorf("%d nests of thread loops in one kernel: allocate what is around them in global memory", c.nests)
	}
	return nil
}

type threadChecker struct {
	k     *Kernel
	bound bool // some loop is
	nests int  // outermost bound loops

	conds []tir.Expr // around what is being checked, and lengths of loops
}

// stmt checks s, which is inside the given bound loops.
func (c *threadChecker) stmt(s tir.Stmt, around []*tir.For) error {
	switch s := s.(type) {
	case *tir.For:
		if s.Kind == tir.ThreadBound {
			if len(around) == 0 {
				c.nests++
			}
			around = append(slices.Clip(around), s)
		}
		c.conds = append(c.conds, s.Extent)
		defer func() { c.conds = c.conds[:len(c.conds)-1] }()
		return c.stmt(s.Body, around)
	case *tir.Wait:
		return nil
	case *tir.MMA:
		return c.mma(s, around)
	case *tir.Store:
		return c.store(s, around)
	case *tir.Barrier:
		for _, l := range around {
			if n := l.Extent.(*tir.IntImm).Value; isThread(l.Thread) && n < *c.k.size(l.Thread) {
				return fmt.Errorf("barrier in loop %s over %d of %d threads: the others do not come by", l.Var.Name, n,
					*c.k.size(l.Thread))
			}
		}
		for _, e := range c.conds {
			if differs(e, around) {
				return fmt.Errorf("barrier under %s, which need not be the same for all threads of a block", e)
			}
		}
		return nil
	case *tir.Alloc:
		if s.Buffer.InGlobal() && c.bound {
			return fmt.Errorf("buffer %s is allocated in global memory by a kernel of several threads: "+
				"allocate it around the kernel", s.Buffer.Name)
		}
		return c.stmt(s.Body, around)
	case *tir.Seq:
		for _, t := range s.Stmts {
			if err := c.stmt(t, around); err != nil {
				return err
			}
		}
		return nil
	case *tir.If:
		c.conds = append(c.conds, s.Cond)
		defer func() { c.conds = c.conds[:len(c.conds)-1] }()
		if err := c.stmt(s.Then, around); err != nil || s.Else == nil {
			return err
		}
		return c.stmt(s.Else, around)
	case *tir.Block:
		return c.stmt(s.Body, around)
	case *tir.Pragma:
		return c.stmt(s.Body, around)
	}
	panic(fmt.Sprintf("BUG: cuda: checking a %T", s))
}

// differs reports whether e may be another one in another thread: it uses the thread's
// number, or memory, which another thread may have written.
func differs(e tir.Expr, around []*tir.For) bool {
	return tir.HasExpr(e, func(e tir.Expr) bool {
		_, load := e.(*tir.Load)
		return load || slices.ContainsFunc(around, func(l *tir.For) bool {
			return isThread(l.Thread) && e == tir.Expr(l.Var)
		})
	})
}

// store checks a store to memory that threads share.
func (c *threadChecker) store(s *tir.Store, around []*tir.For) error {
	if s.Buffer.Scope == tir.Local {
		return nil
	}
	for _, name := range launchDims {
		if *c.k.size(name) == 1 || s.Buffer.Scope == tir.Shared && !isThread(name) {
			continue
		}
		if !slices.ContainsFunc(around, func(l *tir.For) bool { return l.Thread == name }) {
			return fmt.Errorf("a store to %s is in no loop over %s: all of its %d would do it", s.Buffer.Name, name,
				*c.k.size(name))
		}
	}
	return nil
}

// mma checks that whole warps come to a product of tiles, and that its lane is the thread's
// number in one.
func (c *threadChecker) mma(s *tir.MMA, around []*tir.For) error {
	i := slices.IndexFunc(around, func(l *tir.For) bool { return l.Thread == "threadIdx.x" })
	if i < 0 || *c.k.size("threadIdx.x") != tir.WarpLanes || around[i].Extent.(*tir.IntImm).Value != tir.WarpLanes {
		return fmt.Errorf("a product of tiles in a block of %d threads along threadIdx.x: a warp is %d",
			*c.k.size("threadIdx.x"), tir.WarpLanes)
	}
	if s.Lane != tir.Expr(around[i].Var) {
		return fmt.Errorf("a product of tiles in lane %s, which is not the loop over threadIdx.x", s.Lane)
	}
	for _, e := range c.conds {
		if tir.Uses(e, around[i].Var) {
			return fmt.Errorf("a product of tiles under %s, which is not the same for all threads of a warp", e)
		}
	}
	return nil
}
