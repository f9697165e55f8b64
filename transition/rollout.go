package transition

import (
	"math"

	"github.com/wmtune/wmtune/nn"
	"github.com/wmtune/wmtune/nn/kernel"
)

// A sizes says how wide the parts of the network are.
type sizes struct {
	start  int // numbers that a task begins with
	embed  int // of an action
	latent int
	hidden int // of the residual network
}

// A batch is trajectories that are rolled out together.
type batch struct {
	starts  []float32 // distinct beginnings, one after the other
	actions []float32 // distinct actions
	rows    int       // of actions
	drop    []float32 // factors of their embeddings; nil if nothing is dropped

	// By trajectory, the longest first.
	start []int
	steps [][]int32 // rows of actions
	// probes are places on the way whose states are wanted beside the last ones.
	probes []probe
}

// A probe is the state of a trajectory after some steps.
type probe struct{ trajectory, steps int }

// active returns how many trajectories have a step t.
func (b *batch) active(t int) int {
	n := len(b.steps)
	for n > 0 && len(b.steps[n-1]) <= t {
		n--
	}
	return n
}

// The inputs of a rollout, all of them learned.
const (
	startWeight = iota // start x latent
	startBias
	embedWeight // action x embed
	embedBias
	normalWeight      // embed x latent: the hyperplane's normal, before it has length 1
	translationWeight // embed x latent
	hiddenAction      // embed x hidden
	hiddenBias
	hiddenState   // latent x hidden
	residual      // hidden x latent
	residualBias  //
	rolloutInputs // how many there are
)

// A rollout is the recurrent part of the network, as one operation: from the
// beginnings of trajectories and their actions to their states. A step is TransH's
// projection and translation (Wang et al. 2014) as a function of state and action,
// and a residual network:
//
//	a  = GELU(P x)
//	w  = Ww a / |Ww a|
//	u  = z - (w.z) w + Wd a
//	z' = u + W2 tanh(W1u u + W1a a)
//
// What depends on the action only is computed once for each distinct action of the
// batch. Backward goes through the steps in reverse order.
type rollout struct {
	sizes
	b *batch

	// Of distinct actions.
	pre, a, length, w, d, c []float32
	// Of the steps, those of all trajectories at step 0 first.
	z, u, h, s []float32
	at         []int // the first row of each step
	last       []float32

	scratch map[string][]float32
}

// buffer returns memory of n numbers, which keeps its place between batches.
func (r *rollout) buffer(name string, n int) []float32 {
	if r.scratch == nil {
		r.scratch = map[string][]float32{}
	}
	if cap(r.scratch[name]) < n {
		r.scratch[name] = make([]float32, n+n/4)
	}
	return r.scratch[name][:n]
}

// zeros is buffer with all numbers 0.
func (r *rollout) zeros(name string, n int) []float32 {
	v := r.buffer(name, n)
	clear(v)
	return v
}

// forward writes the last states of all trajectories, and after them those of the
// probes.
func (r *rollout) forward(in [][]float32, out []float32) {
	clear(out)
	if r.b == nil || len(r.b.steps) == 0 {
		return
	}
	r.table(in)
	n, d := len(r.b.steps), r.latent
	z0 := r.buffer("z0", len(r.b.starts)/r.start*d)
	affine(z0, kernel.M(r.b.starts, r.start), kernel.M(in[startWeight], d), in[startBias])
	total, longest := 0, 0
	for _, s := range r.b.steps {
		total, longest = total+len(s), max(longest, len(s))
	}
	r.z, r.u, r.h = r.buffer("z", total*d), r.buffer("u", total*d), r.buffer("h", total*r.hidden)
	r.s, r.last = r.buffer("s", total), r.buffer("last", n*d)
	for i, s := range r.b.start {
		copy(r.last[i*d:][:d], z0[s*d:])
	}
	r.at = r.at[:0]
	row := 0
	r.probe(out, 0)
	for t := range longest {
		r.at = append(r.at, row)
		active := r.b.active(t)
		r.step(in, t, row, active)
		r.probe(out, t+1)
		row += active
	}
	copy(out, r.last)
}

// probe copies the states that are wanted after t steps.
func (r *rollout) probe(out []float32, t int) {
	d := r.latent
	for k, p := range r.b.probes {
		if p.steps == t {
			copy(out[(len(r.b.steps)+k)*d:][:d], r.last[p.trajectory*d:])
		}
	}
}

// table computes what depends on actions only.
func (r *rollout) table(in [][]float32) {
	n := r.b.rows
	r.pre, r.a = r.buffer("pre", n*r.embed), r.buffer("a", n*r.embed)
	affine(r.pre, kernel.M(r.b.actions, Size), kernel.M(in[embedWeight], r.embed), in[embedBias])
	kernel.GELU(r.a, r.pre)
	if r.b.drop != nil {
		for i, f := range r.b.drop {
			r.a[i] *= f
		}
	}
	a := kernel.M(r.a, r.embed)
	r.w, r.d, r.c = r.buffer("w", n*r.latent), r.buffer("d", n*r.latent), r.buffer("c", n*r.hidden)
	kernel.Multiply(r.w, a, kernel.M(in[normalWeight], r.latent), false)
	kernel.Multiply(r.d, a, kernel.M(in[translationWeight], r.latent), false)
	affine(r.c, a, kernel.M(in[hiddenAction], r.hidden), in[hiddenBias])
	r.length = r.buffer("length", n)
	for i := range n {
		r.length[i] = normalise(r.w[i*r.latent:][:r.latent])
	}
}

// step takes step t of the first active trajectories, whose rows begin at row.
func (r *rollout) step(in [][]float32, t, row, active int) {
	d, h := r.latent, r.hidden
	z, u, hid := r.z[row*d:][:active*d], r.u[row*d:][:active*d], r.h[row*h:][:active*h]
	copy(z, r.last)
	for i := range active {
		id := int(r.b.steps[i][t])
		r.s[row+i] = project(u[i*d:][:d], z[i*d:][:d], r.w[id*d:][:d], r.d[id*d:][:d])
		copy(hid[i*h:][:h], r.c[id*h:])
	}
	next := r.last[:active*d]
	kernel.Multiply(hid, kernel.M(u, d), kernel.M(in[hiddenState], h), true)
	kernel.Tanh(hid, hid)
	for i := range active {
		add2(next[i*d:][:d], u[i*d:][:d], in[residualBias])
	}
	kernel.Multiply(next, kernel.M(hid, h), kernel.M(in[residual], d), true)
}

// project sets u to z without its part along w, plus d, and returns that part.
func project(u, z, w, d []float32) float32 {
	s := kernel.Dot(w, z)
	w, d, u = w[:len(z)], d[:len(z)], u[:len(z)]
	for k, x := range z {
		u[k] = x - s*w[k] + d[k]
	}
	return s
}

// backward sets the derivatives by all inputs.
func (r *rollout) backward(in [][]float32, grad []float32, by [][]float32) {
	for _, g := range by {
		clear(g)
	}
	if r.b == nil || len(r.b.steps) == 0 {
		return
	}
	n, d := len(r.b.steps), r.latent
	g := rolloutGrads{
		z: r.zeros("gz", n*d), w: r.zeros("gw", len(r.w)), d: r.zeros("gd", len(r.d)), c: r.zeros("gc", len(r.c)),
	}
	copy(g.z, grad[:n*d])
	for t := len(r.at) - 1; t >= 0; t-- {
		r.probeBack(g.z, grad, t+1)
		r.stepBack(in, by, &g, t, r.b.active(t))
	}
	r.probeBack(g.z, grad, 0)
	starts := r.zeros("gz0", len(r.b.starts)/r.start*d)
	for i, s := range r.b.start {
		accumulate(starts[s*d:][:d], g.z[i*d:][:d])
	}
	kernel.Multiply(by[startWeight], kernel.M(r.b.starts, r.start).T(), kernel.M(starts, d), true)
	sumRows(by[startBias], starts)
	r.tableBack(in, by, &g)
}

// rolloutGrads are derivatives by the present states of the trajectories, and by the
// table of actions.
type rolloutGrads struct{ z, w, d, c []float32 }

func (r *rollout) probeBack(gz, grad []float32, t int) {
	d := r.latent
	for k, p := range r.b.probes {
		if p.steps == t {
			accumulate(gz[p.trajectory*d:][:d], grad[(len(r.b.steps)+k)*d:][:d])
		}
	}
}

// stepBack turns the derivatives by the states after step t into those by the
// states before it.
func (r *rollout) stepBack(in, by [][]float32, g *rolloutGrads, t, active int) {
	d, h, row := r.latent, r.hidden, r.at[t]
	gz := g.z[:active*d]
	z, u, hid := r.z[row*d:][:active*d], r.u[row*d:][:active*d], r.h[row*h:][:active*h]
	gh := r.buffer("gh", active*h)
	kernel.Multiply(gh, kernel.M(gz, d), kernel.M(in[residual], d).T(), false)
	for i, x := range hid {
		gh[i] *= 1 - x*x
	}
	kernel.Multiply(by[residual], kernel.M(hid, h).T(), kernel.M(gz, d), true)
	sumRows(by[residualBias], gz)
	for i := range active {
		accumulate(g.c[int(r.b.steps[i][t])*h:][:h], gh[i*h:][:h])
	}
	kernel.Multiply(by[hiddenState], kernel.M(u, d).T(), kernel.M(gh, h), true)
	kernel.Multiply(gz, kernel.M(gh, h), kernel.M(in[hiddenState], h).T(), true) // now by u
	for i := range active {
		id := int(r.b.steps[i][t])
		gu, gw, w := gz[i*d:][:d], g.w[id*d:][:d], r.w[id*d:][:d]
		accumulate(g.d[id*d:][:d], gu)
		q, s, z := kernel.Dot(gu, w), r.s[row+i], z[i*d:][:d]
		for k, x := range gu {
			gw[k] -= s*x + q*z[k]
			gu[k] = x - q*w[k]
		}
	}
}

// tableBack turns the derivatives by the table of actions into those by weights.
func (r *rollout) tableBack(in, by [][]float32, g *rolloutGrads) {
	d, e := r.latent, r.embed
	for i, length := range r.length {
		gw, w := g.w[i*d:][:d], r.w[i*d:][:d]
		q := kernel.Dot(gw, w)
		for k := range gw {
			gw[k] = (gw[k] - q*w[k]) / length
		}
	}
	a, ga := kernel.M(r.a, e), r.buffer("ga", len(r.a))
	kernel.Multiply(by[normalWeight], a.T(), kernel.M(g.w, d), true)
	kernel.Multiply(by[translationWeight], a.T(), kernel.M(g.d, d), true)
	kernel.Multiply(by[hiddenAction], a.T(), kernel.M(g.c, r.hidden), true)
	sumRows(by[hiddenBias], g.c)
	kernel.Multiply(ga, kernel.M(g.w, d), kernel.M(in[normalWeight], d).T(), false)
	kernel.Multiply(ga, kernel.M(g.d, d), kernel.M(in[translationWeight], d).T(), true)
	kernel.Multiply(ga, kernel.M(g.c, r.hidden), kernel.M(in[hiddenAction], r.hidden).T(), true)
	if r.b.drop != nil {
		for i, f := range r.b.drop {
			ga[i] *= f
		}
	}
	kernel.GELUGrad(ga, r.pre, ga)
	kernel.Multiply(by[embedWeight], kernel.M(r.b.actions, Size).T(), kernel.M(ga, e), true)
	sumRows(by[embedBias], ga)
}

// addTo adds the operation to a network; weights are its inputs.
func (r *rollout) addTo(n *nn.Network, weights []nn.Value, rows int) nn.Value {
	return n.Fused(nn.Fused{Name: "rollout", Rows: rows, Cols: r.latent, Inputs: weights, Forward: r.forward,
		Backward: r.backward})
}

// normalise scales v to length 1 and returns the length that it had.
func normalise(v []float32) float32 {
	length := float32(math.Sqrt(float64(kernel.Dot(v, v)) + 1e-12))
	for k := range v {
		v[k] /= length
	}
	return length
}
