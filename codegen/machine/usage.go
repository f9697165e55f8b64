package machine

import (
	"context"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/codegen/cuda"
	"github.com/wmtune/wmtune/codegen/nvrtc"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// restRegisters are those of a thread for pointers, indices and counters: the median of
// what the fastest programs of the RTX 2080 Ti logs take beyond accumulators and
// operands if only their tiles are unrolled (docs/results/gpu-2026-11-23.md).
const restRegisters = 16

// usageText says what each kernel of a GPU's program takes of a GPU that need not be
// here, beside what its tile needs, and how wide it reads and writes.
func usageText(ctx context.Context, p *Printer, f *tir.Func, t target.Target) (string, error) {
	g, err := p.gpuCompiler(ctx, t)
	if err != nil {
		return "", err
	}
	kernels, out, err := g.translate(ctx, f, cuda.Emit, nvrtc.Options{PTX: true})
	if err != nil {
		return "", err
	}
	_, tile, err := g.translate(ctx, f, cuda.EmitRolled, nvrtc.Options{}) // the plain code of the same tile
	if err != nil {
		return "", err
	}
	usage, tileOnly, accesses := byKernel(out.Kernels), byKernel(tile.Kernels), nvrtc.Accesses(string(out.PTX))
	var b strings.Builder
	for _, k := range kernels {
		b.WriteString(g.kernelText(k, k.Tile(), usage[k.Name], tileOnly[k.Name], accesses))
	}
	return b.String(), nil
}

// kernelText is what is said of one kernel.
func (g *GPUCompiler) kernelText(
	k cuda.Kernel, tile cuda.Tile, u, tileOnly nvrtc.Usage, accesses []nvrtc.Access,
) string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "%s: %d blocks of %d threads\n", k.Name, k.Grid.Count(), k.Block.Count())
	row("registers", "%d; %d if only the tile is unrolled, which should need %d: %d accumulators, %d "+
		"operands, %d for the rest",
		u.Registers, tileOnly.Registers, tile.Accumulators+tile.Operands+restRegisters, tile.Accumulators,
		tile.Operands, restRegisters)
	occupancy, err := g.limits.Occupancy(u, int(k.Block.Count()))
	if err != nil {
		row("rejected", "%v", err)
	} else {
		row("occupancy", "%.2f, with %d bytes of shared memory a block", occupancy, u.SharedBytes)
	}
	if u.Spills() || u.StackBytes > 0 {
		row("local", "%d bytes a thread; spilled: %d bytes written, %d read back", u.StackBytes, u.SpillStores, u.SpillLoads)
	}
	for _, space := range []string{"global", "shared"} {
		var list []string
		for _, a := range accesses {
			if a.Kernel == k.Name && a.Space == space {
				list = append(list, fmt.Sprintf("%s %d x %d bytes", a.Op, a.Count, a.Bytes))
			}
		}
		if len(list) > 0 {
			row(space, "%s", strings.Join(list, ", "))
		}
	}
	return b.String()
}
