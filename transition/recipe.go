package transition

// A Recipe says what network is trained and how.
type Recipe struct {
	Form   Form
	Embed  int   // width of an action inside the network
	Latent int   // of a state
	Hidden int   // of the residual network of a step
	Head   []int // widths of the hidden layers of the value head

	// Weights of the parts of what is minimised; 0 leaves one out.
	Rank   float64 // logistic loss of pairs of a task whose qualities differ by more than MinGap
	Facts  float64 // Huber loss of a linear decoder of facts about states
	Match  float64 // 1 - cosine between a linear map of states and the encoder's vectors
	Plan   float64 // the same loss as Rank, of partial states: what may become of them
	Margin float64 // by how much the hardest negative must be farther than the true vector, if Match

	Windows float64 // share of trajectories that begin on the way, if Match: they teach steps, not ranks

	Tasks, PerTask int // a batch is so many trajectories of so many tasks
	Probes         int // states on the way of a trajectory that Facts and Match see, beside the last
	Steps          int // batches
	Rate, Decay    float64
	Drop           float64
	Blind          float64 // how often a number of the encoder's vector is left out: a task has one vector, which is easily learned by heart
	Members        int     // networks with seeds of their own, whose values are averaged
}

// MinGap is by how much qualities differ that are worth telling apart.
const MinGap = 0.02

// Default is the recipe of the shipped models (learned-models note, B.8).
func Default() Recipe {
	return Recipe{
		Form: Free, Embed: 128, Latent: 128, Hidden: 256, Head: []int{128, 128},
		Rank: 1, Facts: 0.5, Plan: 0.3, Tasks: 8, PerTask: 64, Steps: 400,
		Rate: 2e-3, Decay: 0.02, Drop: 0.1, Blind: 0.8, Members: 1,
	}
}

// probes is how many states on the way of a trajectory are looked at.
func (r *Recipe) probes() int {
	if r.Plan > 0 {
		return r.Probes + 1
	}
	return r.Probes
}
