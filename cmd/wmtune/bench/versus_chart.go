package bench

import (
	"fmt"
	"math"
)

// VersusCharts draws, for each workload, the best so far of each scorer with a budget:
// the geometric mean over seeds, from the trial on after which all of them have found
// one.
func VersusCharts(list []Found, scorers []string, budget int) (charts []Chart, legend []Line) {
	for _, name := range workloadsOf(list) {
		c := Chart{Title: fmt.Sprintf("%s, %d trials", name, budget)}
		for k, s := range scorers {
			var curves [][]float64
			for _, f := range list {
				if f.Workload == name && f.Scorer == s && f.Budget == budget {
					curves = append(curves, f.Curve)
				}
			}
			c.Lines = append(c.Lines, Line{Name: s, Color: Colors[k%len(Colors)], Times: meanCurve(curves)})
		}
		charts = append(charts, c)
	}
	for k, s := range scorers {
		legend = append(legend, Line{Name: s, Color: Colors[k%len(Colors)]})
	}
	return charts, legend
}

// meanCurve is the geometric mean of curves at each trial; 0 where one has no time.
// A curve that ends early, as nothing was left to try, stays as it is.
func meanCurve(curves [][]float64) []float64 {
	n := 0
	for _, c := range curves {
		n = max(n, len(c))
	}
	out := make([]float64, n)
	for i := range out {
		sum := 0.0
		for _, c := range curves {
			if len(c) == 0 || c[min(i, len(c)-1)] == 0 {
				sum = math.Inf(-1)
				break
			}
			sum += math.Log(c[min(i, len(c)-1)])
		}
		out[i] = math.Exp(sum / float64(len(curves)))
	}
	return out
}

// QualityPlot draws the best kernel known / the best so far after each trial, geometric
// mean over workloads and seeds, by the times that the searches measured.
func QualityPlot(list []Found, scorers []string, budget int) Plot {
	p := Plot{Title: fmt.Sprintf("Best known / best so far, searches of %d trials, geometric mean over workloads and seeds", budget), Across: "trials"}
	for n := 1; n < budget; n *= 2 {
		p.At = append(p.At, n)
	}
	p.At = append(p.At, budget)
	for k, s := range scorers {
		c := Curve{Name: s, Color: Colors[k%len(Colors)]}
		for _, n := range p.At {
			c.Y = append(c.Y, qualityAt(list, Side{s, budget}, n))
		}
		p.Curves = append(p.Curves, c)
	}
	return p
}

// qualityAt is the geometric mean of a side's searches after n trials; NaN as long as
// one of them has found nothing.
func qualityAt(list []Found, s Side, n int) float64 {
	sum, count := 0.0, 0
	for _, name := range workloadsOf(list) {
		best := bestMeasured(list, name)
		for _, f := range list {
			if f.Workload != name || f.Scorer != s.Scorer || f.Budget != s.Budget || len(f.Curve) == 0 {
				continue
			}
			t := f.Curve[min(n, len(f.Curve))-1]
			if t == 0 {
				return math.NaN()
			}
			sum += math.Log(best / t)
			count++
		}
	}
	if count == 0 {
		return math.NaN()
	}
	return math.Exp(sum / float64(count))
}

// bestMeasured is the smallest time that any search of a workload measured.
func bestMeasured(list []Found, workload string) float64 {
	best := math.Inf(1)
	for _, f := range list {
		if n := len(f.Curve); f.Workload == workload && n > 0 && f.Curve[n-1] > 0 {
			best = min(best, f.Curve[n-1])
		}
	}
	return best
}
