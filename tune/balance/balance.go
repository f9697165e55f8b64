// Package balance says how evenly the threads of a processor share the work of a program.
//
// It must not know how programs are chosen, measured or put into libraries.
package balance

import (
	"github.com/wmtune/wmtune/ranker"
	"github.com/wmtune/wmtune/ranker/lowered"
	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/target"
)

// A Division says how threads divide a stretch of a program.
type Division = lowered.Division

// Of returns how a lowered function is divided on a processor.
func Of(f *tir.Func, t target.Target) []Division { return ranker.Divisions(f, t) }

// Idle returns the share of the time of so many threads in which they have nothing to do, while a program that is
// divided like this runs, and the cycles that it takes them.
func Idle(list []Division, threads int) (idle, cycles float64) { return lowered.Idle(list, threads) }
