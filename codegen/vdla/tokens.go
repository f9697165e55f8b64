package vdla

// order puts tokens between instructions of different units: each instruction waits for the last one of another unit
// that wrote what it reads or writes, or read what it writes. Pushes and pops of a queue are in one order, that of the
// stream, so each pop gets the token of the instruction that it waits for; and as none waits for a later one, there is
// no deadlock. Where buffers are a virtual thread's own, these are the tokens of figure 8 of TVM's paper but for the
// first and the last ones of each thread, which stand for buffers that are free and are dropped.
func (p *Program) order() {
	t := &tokens{before: make([][]Instr, len(p.Instrs)), after: make([][]Instr, len(p.Instrs))}
	for m := range memories {
		t.last[m] = make([][3]lastUse, memories[m].bytes/memories[m].unit)
	}
	for j := range p.Instrs {
		in := &p.Instrs[j]
		need := t.needs(p, in, j+1)
		for u, i := range need {
			t.wait(Unit(u), in.unit(), i, j)
		}
	}
	var list []Instr
	for j, in := range p.Instrs {
		list = append(append(append(list, t.before[j]...), in), t.after[j]...)
	}
	p.Instrs = list
}

// tokens are the pushes and pops before and after each instruction.
type tokens struct {
	before, after [][]Instr
	last          [len(memories)][][3]lastUse // of each number of a memory, by unit
	knows         [3][3]int                   // from 1, the last instruction of the second unit that the first waited for
}

// A lastUse has the numbers of the last instructions that wrote and read, from 1.
type lastUse struct{ wrote, read int }

// needs returns the instructions of each unit that in has to wait for, and notes what it uses.
func (t *tokens) needs(p *Program, in *Instr, number int) (need [3]int) {
	u := in.unit()
	use := func(m Memory, at int64, write bool) {
		if at < 0 || at >= int64(len(t.last[m])) {
			return // refused when it is carried out
		}
		uses := &t.last[m][at]
		for v := range uses {
			if Unit(v) == u {
				continue
			}
			need[v] = max(need[v], uses[v].wrote)
			if write {
				need[v] = max(need[v], uses[v].read)
			}
		}
		if write {
			uses[u].wrote = number
		} else {
			uses[u].read = number
		}
	}
	switch in.Op {
	case Load, Zero, Store, Store8:
		unit := memories[in.Memory].unit
		in.rows(func(near, _ int64) {
			for i := near / unit; i*unit < near+in.Row; i++ {
				use(in.Memory, i, u == Loader)
			}
		})
		return need
	}
	for i := range in.Count {
		use(Micro, in.First+i, false)
	}
	in.each(p.Micro[in.First:][:in.Count], func(at MicroOp) {
		if in.Op.multiplies() {
			use(Inp, at[1], false)
			use(Wgt, at[2], false)
		} else if !in.IsImm {
			use(Acc, at[1], false)
		}
		use(Acc, at[0], false)
		use(Acc, at[0], true)
	})
	return need
}

// wait has unit to wait at instruction j for instruction i of unit from, if it does not yet. Loads and stores hear of
// each other through the unit between them.
func (t *tokens) wait(from, to Unit, i, j int) {
	if i <= t.knows[to][from] {
		return
	}
	t.knows[to][from] = i
	if joined(from, to) {
		t.after[i-1] = append(t.after[i-1], Instr{Op: Push, Unit: from, Other: to})
		t.before[j] = append(t.before[j], Instr{Op: Pop, Unit: to, Other: from})
		return
	}
	t.wait(from, Executor, i, j)
	t.before[j] = append(t.before[j], Instr{Op: Push, Unit: Executor, Other: to},
		Instr{Op: Pop, Unit: to, Other: Executor})
	t.knows[to][Executor] = j // so that no later push comes before this one
}
