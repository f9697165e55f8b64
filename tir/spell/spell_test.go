package spell

import "testing"

// TestMeant: a slip of the fingers finds its name, and another word finds none.
func TestMeant(t *testing.T) {
	verbs := []string{"compile", "run", "profile", "search", "show", "train", "completion"}
	flags := []string{"trials", "time", "threads", "out", "json", "dim", "input_ids"}
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"compil", verbs, "compile"}, {"serach", verbs, "search"}, {"man", verbs, ""}, {"comp", verbs, "compile"},
		{"completon", verbs, "completion"}, {"Run", verbs, "run"}, {"rn", verbs, "run"}, {"x", verbs, ""}, {"", verbs, ""},
		{"help", verbs, ""}, {"trails", flags, "trials"}, {"trial", flags, "trials"}, {"thread", flags, "threads"}, {"tread", flags, ""},
		{"outt", flags, "out"}, {"jsno", flags, "json"}, {"frobnicate", flags, ""}, {"inputids", flags, "input_ids"},
		{"dmi", flags, "dim"}, {"trials", nil, ""},
	} {
		if got := Meant(c.name, c.known); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Hint("trails", flags); got != `; did you mean "trials"?` {
		t.Error(got)
	}
}

// TestDistance: an exchange of neighbours is one change, and the order of the words does not matter.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != got {
			t.Errorf("%q, %q: got %d and %d, want %d", c.a, c.b, got, distance(c.b, c.a), c.want)
		}
	}
}
