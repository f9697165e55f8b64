package ranker

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/wmtune/wmtune/tir/schedule"
)

// Version is that of the features: it changes when a column means something else.
const Version = 1

// Names returns the names of the columns of Features.
func Names() []string {
	list := make([]string, 0, Columns)
	list = append(list, actionNames()...)
	list = append(list, tilingNames()...)
	for _, n := range wholeNames {
		list = append(list, "all."+n)
	}
	for k := range described {
		for _, n := range nestNames {
			list = append(list, fmt.Sprintf("nest%d.%s", k, n))
		}
	}
	for _, n := range hardwareNames {
		list = append(list, "hardware."+n)
	}
	return list
}

// Digest identifies the columns: their names, their order and their version.
func Digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%s", Version, strings.Join(Names(), "\n")))
	return hex.EncodeToString(sum[:8])
}

// numbered returns names with numbers.
func numbered(name string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s%d", name, i)
	}
	return list
}

func actionNames() []string {
	var list []string
	for _, k := range kinds {
		list = append(list, "steps."+string(k))
	}
	list = append(list, "steps")
	for a := range annotations {
		list = append(list, fmt.Sprintf("annotations.%s", schedule.Annotation(a)))
	}
	list = append(list, "unroll", "unrolls")
	for k := range splitSlots {
		list = append(list, fmt.Sprintf("split%d.extent", k), fmt.Sprintf("split%d.outer", k))
		list = append(list, numbered(fmt.Sprintf("split%d.length", k), splitLengths)...)
	}
	list = append(list, "fused", "fused.most", "at", "at.most", "inner", "inner.most", "last")
	return append(list, numbered("extent", dims)...)
}

func tilingNames() []string {
	var list []string
	for _, c := range []struct {
		name string
		n    int
	}{{"tile.spatial", 5}, {"tile.reduce", 3}, {"tile.uneven", 3}, {"tile.last", 5}} {
		list = append(list, numbered(c.name, c.n)...)
	}
	list = append(list, "loops.blocks", "loops.threads", "loops.vthreads", "loops.vector", "loops.parallel",
		"waste.threads", "waste.warp", "waste.wave", "waste.cores", "waste.waves", "waste.turns")
	list = append(list, numbered("vector", 4)...)
	list = append(list, "tile.register", "tile.steps", "tile.work", "tile.results", "tile.all", "tile.unroll")
	list = append(list, numbered("tile.block", 4)...)
	list = append(list, numbered("tile.registers", 4)...)
	list = append(list, "tile.read0", "tile.read1", "tile.written", "tile.bytes", "tile.intensity",
		"register.last", "register.rest", "register.intensity")
	for k := range 3 {
		for _, n := range []string{"extent", "last", "left"} {
			list = append(list, fmt.Sprintf("fetch%d.%s", k, n))
		}
	}
	return list
}
