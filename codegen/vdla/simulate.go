package vdla

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Stats say how a program ran.
type Stats struct {
	Cycles   int64
	Busy     [3]int64 // cycles, by unit
	Products int64    // cycles in which 256 products were made
	Moved    int64    // bytes between the chip and the memory outside
}

// Utilization returns in which share of the cycles products were made.
func (s Stats) Utilization() float64 { return float64(s.Products) / float64(max(s.Cycles, 1)) }

// Seconds returns how long a program runs.
func (s Stats) Seconds() float64 { return float64(s.Cycles) / Clock }

// A Refusal says what a program does that the hardware would get wrong.
type Refusal struct {
	At   int    // number of the instruction; -1: of none
	Line string // its text
	Why  string
}

func (r *Refusal) Error() string {
	if r.At < 0 {
		return "vdla: " + r.Why
	}
	return fmt.Sprintf("vdla: instruction %d, %s: %s", r.At, r.Line, r.Why)
}

// Run carries a program out on the contents of its tensors: inputs are read, outputs written. The error is a *Refusal
// if an instruction does not fit its memory or reads what nothing wrote, if no token orders it behind instructions of
// other units that write what it reads or writes, or read what it writes, if all units wait for tokens, or if tokens
// are left.
func (p *Program) Run(t Timing, contents [][]byte) (Stats, error) {
	if len(contents) != len(p.Tensors) {
		return Stats{}, fmt.Errorf("vdla: %d tensors for %d", len(contents), len(p.Tensors))
	}
	for i, c := range contents {
		if int64(len(c)) != p.Tensors[i].Bytes {
			return Stats{}, fmt.Errorf("vdla: tensor %s has %d bytes, not %d", p.Tensors[i].Name, len(c), p.Tensors[i].Bytes)
		}
	}
	c := &chip{p: p, timing: t, contents: contents, order: newOrder()}
	for m := range c.memory {
		c.memory[m] = make([]byte, Memory(m).Bytes())
	}
	c.sums = make([]int32, Acc.Bytes()/4)
	c.micro = make([]MicroOp, Micro.Bytes()/microBytes)
	err := c.run()
	return c.stats, err
}

// A chip is the state of a run.
type chip struct {
	p        *Program
	timing   Timing
	contents [][]byte
	memory   [Acc][]byte // Inp and Wgt
	sums     []int32     // Acc
	micro    []MicroOp
	order    order
	queues   [3][]int // numbers of the instructions that are left
	now      [3]int64 // when a unit has done the last one
	port     int64    // when the last transfer ends: there is one at a time
	stats    Stats
}

// run has the unit go on whose next instruction can begin first, until there are none.
func (c *chip) run() error {
	for i := range c.p.Instrs {
		u := c.p.Instrs[i].unit()
		c.queues[u] = append(c.queues[u], i)
	}
	for {
		next, begin := -1, int64(0)
		for u, queue := range c.queues {
			if len(queue) == 0 {
				continue
			}
			if at, ok := c.ready(Unit(u), &c.p.Instrs[queue[0]]); ok && (next < 0 || at < begin) {
				next, begin = u, at
			}
		}
		if next < 0 {
			return c.end()
		}
		i := c.queues[next][0]
		c.queues[next] = c.queues[next][1:]
		in := &c.p.Instrs[i]
		end, why := c.carryOut(in, begin)
		if why != "" {
			return &Refusal{i, c.p.line(in), why}
		}
		c.stats.Busy[next] += end - begin
		c.now[next] = end
	}
}

// ready returns when an instruction can begin; ok is false if it waits for a token that no one has pushed.
func (c *chip) ready(u Unit, in *Instr) (at int64, ok bool) {
	if in.Op != Pop {
		return c.now[u], true
	}
	tokens := c.order.tokens[in.Other][u]
	if len(tokens) == 0 {
		return 0, false
	}
	return max(c.now[u], tokens[0].time), true
}

// end says why no unit goes on, if not because all is done.
func (c *chip) end() error {
	var waits []string
	for _, queue := range c.queues {
		if len(queue) > 0 {
			waits = append(waits, fmt.Sprintf("%d (%s)", queue[0], c.p.line(&c.p.Instrs[queue[0]])))
		}
	}
	if len(waits) > 0 {
		return &Refusal{-1, "", "deadlock: no token comes for instructions " + strings.Join(waits, ", ")}
	}
	for from, queues := range c.order.tokens {
		for to, tokens := range queues {
			if len(tokens) > 0 {
				return &Refusal{-1, "", fmt.Sprintf("%d tokens from %s to %s are left, which the next program would pop",
					len(tokens), Unit(from), Unit(to))}
			}
		}
	}
	c.stats.Cycles = slices.Max(c.now[:])
	return nil
}

// carryOut carries an instruction out and returns when it ends, or why it is refused.
func (c *chip) carryOut(in *Instr, begin int64) (end int64, why string) {
	u := in.unit()
	c.order.count[u]++
	switch in.Op {
	case Push, Pop:
		if !joined(in.Unit, in.Other) {
			return 0, fmt.Sprintf("there is no queue of tokens between %s and %s", in.Unit, in.Other)
		}
		if in.Op == Push {
			c.order.push(in.Unit, in.Other, begin)
		} else {
			c.order.pop(in.Other, in.Unit)
		}
		return begin, ""
	case Load, Zero, Store, Store8:
		if why = c.fits(in); why == "" {
			why = c.transfer(in)
		}
		return c.moved(in, begin), why
	}
	if why = c.computable(in); why == "" {
		why = c.compute(in)
	}
	if in.Op.multiplies() {
		c.stats.Products += in.cycles()
	}
	return begin + in.cycles(), why
}

// moved returns when a transfer ends. Zeros need no transfer: each cycle writes a vector.
func (c *chip) moved(in *Instr, begin int64) int64 {
	bytes := in.count() * in.Row
	switch in.Op {
	case Zero:
		return begin + (bytes+granule-1)/granule
	case Store8:
		bytes /= 4
	}
	c.stats.Moved += bytes
	first := max(begin+c.timing.Latency, c.port)
	c.port = first + (bytes+c.timing.BytesPerCycle-1)/c.timing.BytesPerCycle
	return c.port
}

// fits says why a transfer is none that memory and tensor have room for.
func (c *chip) fits(in *Instr) string {
	m, step := in.Memory, int64(granule)
	if m == Micro {
		step = microBytes
	}
	stores := in.Op == Store || in.Op == Store8
	switch {
	case stores && m != Acc || in.Op == Zero && m == Micro:
		return fmt.Sprintf("%s cannot be of memory %s", in.Op, m)
	case len(in.Rows) > maxRows:
		return fmt.Sprintf("%d loops, and there are %d", len(in.Rows), maxRows)
	case in.Row < 1 || in.Row%step != 0 || in.At%step != 0:
		return fmt.Sprintf("rows of %s are whole vectors of %d bytes", m, step)
	}
	for _, d := range in.Rows {
		if d.Extent < 1 || d.Near%step != 0 {
			return fmt.Sprintf("rows of %s are whole vectors of %d bytes, one or more", m, step)
		}
	}
	if lo, hi := span(in.At, in.Row, in.Rows, func(d Dim) int64 { return d.Near }); lo < 0 || hi > m.Bytes() {
		return fmt.Sprintf("overrun: bytes %d to %d of memory %s, which has %d", lo, hi, m, m.Bytes())
	}
	if in.Op == Zero {
		return ""
	}
	name, size, row := uops, int64(len(c.p.Micro))*microBytes, in.Row
	if m != Micro {
		name, size = c.p.Tensors[in.Tensor].Name, c.p.Tensors[in.Tensor].Bytes
		if c.p.Tensors[in.Tensor].Output != stores {
			return fmt.Sprintf("%s of tensor %s: inputs are loaded, outputs are stored", in.Op, name)
		}
	}
	if in.Op == Store8 {
		row /= 4
	}
	if lo, hi := span(in.From, row, in.Rows, func(d Dim) int64 { return d.Far }); lo < 0 || hi > size {
		return fmt.Sprintf("bytes %d to %d of %s, which has %d", lo, hi, name, size)
	}
	return ""
}

// span returns from where to where rows reach.
func span(first, row int64, dims []Dim, by func(Dim) int64) (lo, hi int64) {
	lo, hi = first, first+row
	for _, d := range dims {
		if far := by(d) * (d.Extent - 1); far < 0 {
			lo += far
		} else {
			hi += far
		}
	}
	return lo, hi
}

// transfer moves the bytes of a transfer.
func (c *chip) transfer(in *Instr) (why string) {
	u := in.unit()
	in.rows(func(near, far int64) {
		if why != "" {
			return
		}
		if why = c.order.access(u, in.Memory, near, in.Row, u == Loader); why != "" {
			return
		}
		switch {
		case in.Memory == Micro:
			copy(c.micro[near/microBytes:][:in.Row/microBytes], c.p.Micro[far/microBytes:])
		case in.Memory == Acc:
			c.moveSums(in, c.sums[near/4:][:in.Row/4], far)
		case in.Op == Zero:
			clear(c.memory[in.Memory][near:][:in.Row])
		default:
			copy(c.memory[in.Memory][near:][:in.Row], c.contents[in.Tensor][far:])
		}
	})
	return why
}

// moveSums moves a row of sums.
func (c *chip) moveSums(in *Instr, sums []int32, far int64) {
	if in.Op == Zero {
		clear(sums)
		return
	}
	bytes := c.contents[in.Tensor][far:]
	for i := range sums {
		switch in.Op {
		case Load:
			sums[i] = int32(binary.LittleEndian.Uint32(bytes[4*i:]))
		case Store:
			binary.LittleEndian.PutUint32(bytes[4*i:], uint32(sums[i]))
		case Store8:
			bytes[i] = byte(sums[i])
		}
	}
}

// computable says why a computation reads or writes outside of the memories.
func (c *chip) computable(in *Instr) string {
	if len(in.Loops) > maxLoops {
		return fmt.Sprintf("%d loops, and there are %d", len(in.Loops), maxLoops)
	}
	for _, l := range in.Loops {
		if l.Extent < 1 {
			return "a loop without iterations"
		}
	}
	if in.First < 0 || in.Count < 1 || in.First+in.Count > int64(len(c.micro)) {
		return fmt.Sprintf("overrun: micro-operations %d to %d, and memory has %d", in.First, in.First+in.Count, len(c.micro))
	}
	return c.order.access(Executor, Micro, in.First*microBytes, in.Count*microBytes, false)
}

// compute carries a computation out.
func (c *chip) compute(in *Instr) (why string) {
	in.each(c.micro[in.First:][:in.Count], func(at MicroOp) {
		if why == "" {
			why = c.step(in, at)
		}
	})
	return why
}

// step is one micro-operation.
func (c *chip) step(in *Instr, at MicroOp) string {
	used := []Memory{Acc, Inp, Wgt}
	switch {
	case in.IsImm:
		used = used[:1]
	case !in.Op.multiplies():
		used = []Memory{Acc, Acc}
	}
	for k, m := range used {
		unit := memories[m].unit
		if at[k] < 0 || (at[k]+1)*unit > m.Bytes() {
			return fmt.Sprintf("overrun: number %d of memory %s, which has %d", at[k], m, m.Bytes()/unit)
		}
		if k > 0 || in.Op != Set {
			if why := c.order.access(Executor, m, at[k]*unit, unit, false); why != "" {
				return why
			}
		}
	}
	if why := c.order.access(Executor, Acc, at[0]*accBytes, accBytes, true); why != "" {
		return why
	}
	sums := (*[Lanes]int32)(c.sums[at[0]*Lanes:])
	switch {
	case in.Op.multiplies():
		multiply(sums, c.memory[Inp][at[1]*granule:], c.memory[Wgt][at[2]*wgtBytes:], in.Op == GemmU)
	case in.IsImm:
		for i := range sums {
			sums[i] = in.Op.of(sums[i], int32(in.Imm))
		}
	default:
		with := c.sums[at[1]*Lanes:][:Lanes]
		for i := range sums {
			sums[i] = in.Op.of(sums[i], with[i])
		}
	}
	return ""
}

func multiply(sums *[Lanes]int32, a, b []byte, unsigned bool) {
	for k := range Lanes {
		x, row := int32(int8(a[k])), (*[Lanes]byte)(b[k*Lanes:])
		if unsigned {
			x = int32(a[k])
		}
		for n, y := range row {
			sums[n] += x * int32(int8(y))
		}
	}
}

// of returns what a vector operation makes of two elements. Shifts are by the lowest five bits.
func (o Op) of(x, y int32) int32 {
	switch o {
	case Set:
		return y
	case Add:
		return x + y
	case Max:
		return max(x, y)
	case Min:
		return min(x, y)
	case Shr:
		return x >> (uint32(y) % 32)
	}
	panic("BUG: vdla: " + o.String() + " is no vector operation")
}
