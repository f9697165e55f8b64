package run

import "github.com/wmtune/wmtune/codegen/driver"

func (c *gpuCandidate) ready() (bad string, err error) {
	if err := c.e.graph.forget(); err != nil {
		return "", failed("", err)
	}
	c.bound, err = c.bind(c.e.places[atUpper], atUpper)
	return "", err
}

// graphLaunches bounds the launches of a graph.
const graphLaunches = 1024

// A callGraph is the graph of the calls of a candidate whose turn it is to be timed. A GPU
// has one at a time.
type callGraph struct {
	of    *gpuCandidate // nil if there is none
	g     *driver.Graph
	calls int
}

// forget ends the graph, if there is one.
func (g *callGraph) forget() error {
	old := *g
	*g = callGraph{}
	if old.of == nil {
		return nil
	}
	return old.g.Close()
}

// calls returns what launches several calls at once, how many those are, and how often it is to
// be launched for n calls or a few more. A new graph has run once, as the first run takes longer.
func (c *gpuCandidate) calls(n int) (launch func() error, at, times int, err error) {
	if n*len(c.bound) == 1 {
		return c.launch, 1, 1, nil
	}
	at = min(n, max(graphLaunches/len(c.bound), 1))
	times = (n + at - 1) / at
	g := &c.e.graph
	if g.of == c && g.calls == at {
		return g.g.Launch, at, times, nil
	}
	if err := g.forget(); err != nil {
		return nil, 0, 0, err
	}
	made, err := c.e.ctx.Graph(c.bound, at)
	if err != nil {
		return nil, 0, 0, err
	}
	*g = callGraph{c, made, at}
	if err = made.Launch(); err == nil {
		err = c.e.ctx.Synchronize()
	}
	return made.Launch, at, times, err
}

// worthPriming is the time, in seconds, of a call that hides how long the first launch
// takes to reach an idle GPU.
const worthPriming = 1e-3

// call times n calls with events. The caller may have asked for a cold cache; then it
// is written full before each call, which has events of its own.
func (c *gpuCandidate) call(n int) (seconds float64, err error) {
	c.e.w.page.begin()
	defer c.e.w.page.end()
	if c.e.flush != nil {
		seconds, err = c.coldCalls(n)
	} else {
		seconds, err = c.warmCalls(n)
	}
	c.seconds = seconds / float64(n)
	return seconds, failed("", err)
}

// warmCalls times n calls, one after the other.
func (c *gpuCandidate) warmCalls(n int) (seconds float64, err error) {
	launch, at, times, err := c.calls(n)
	if err == nil && c.seconds < worthPriming {
		// While the GPU is busy with these calls, the others queue up behind them.
		err = launch()
	}
	if err == nil {
		seconds, err = c.e.timed(launch, times)
	}
	return seconds * float64(n) / float64(at*times), err
}

// coldCalls times n calls, with the cache written full before each.
func (c *gpuCandidate) coldCalls(n int) (seconds float64, err error) {
	launch, _, _, err := c.calls(1)
	for i := 0; i < n && err == nil; i++ {
		var s float64
		if err = c.e.flush.Set(0, c.e.flushBytes, byte(i)); err == nil {
			s, err = c.e.timed(launch, 1)
		}
		seconds += s
	}
	return seconds, err
}

// timed launches so many times between two events.
func (e *gpuEngine) timed(launch func() error, times int) (seconds float64, err error) {
	if err := e.start.Record(); err != nil {
		return 0, err
	}
	for range times {
		if err := launch(); err != nil {
			return 0, err
		}
	}
	if err := e.stop.Record(); err != nil {
		return 0, err
	}
	if err := e.stop.Wait(); err != nil {
		return 0, err
	}
	return e.stop.Since(e.start)
}

// launch launches all kernels once.
func (c *gpuCandidate) launch() error {
	for _, l := range c.bound {
		if err := l.Launch(); err != nil {
			return err
		}
	}
	return nil
}
