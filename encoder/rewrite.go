package encoder

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// A node is a line of a program and the lines inside of it.
type node struct {
	line string
	in   []*node

	reads, writes map[string]bool // buffers, of the line and of what is in it
}

// Rewrite returns a text that means the same: what the order of first use decides is
// decided by chance. Of
//
//	b0 f32[2^3]
//	out b1 f32[2^3]
//	for l0 2^3
//	 b1[l0]=b0[l0]
//
// it may make
//
//	out b1 f32[2^3]
//	b0 f32[2^3]
//	for l0 1
//	 for l1 2^3
//	  b1[l1]=b0[l1]
//
// Neighbours of which neither needs the other change places, and names follow; some
// names change places; and there may be a loop of one iteration.
func Rewrite(text string, rng *rand.Rand) string {
	root := &node{in: parse(text)}
	root.effects()
	shuffle(root.in, rng)
	if rng.IntN(4) == 0 {
		wrap(root, rng)
	}
	var b strings.Builder
	for _, n := range root.in {
		n.print(&b, 0)
	}
	if rng.IntN(2) == 0 {
		return rename(b.String(), nil)
	}
	return rename(b.String(), rng)
}

// parse reads lines by their indentation. An else stays with its if.
func parse(text string) []*node {
	root := &node{}
	stack := []*node{root}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		content := strings.TrimLeft(line, " ")
		n := &node{line: content}
		depth := min(len(line)-len(content), len(stack)-1)
		stack = append(stack[:depth+1], n)
		parent := stack[depth]
		if content == "else" && len(parent.in) > 0 {
			last := parent.in[len(parent.in)-1]
			both := &node{line: "\n", in: []*node{last, {line: "else"}}}
			stack[depth+1] = both.in[1]
			parent.in[len(parent.in)-1] = both
			continue
		}
		parent.in = append(parent.in, n)
	}
	return root.in
}

// effects fills in what is read and written.
func (n *node) effects() {
	n.reads, n.writes = map[string]bool{}, map[string]bool{}
	target := strings.Index(n.line, "]=")
	for i := 0; i < len(n.line); {
		name := symbol(n.line, i)
		if name == "" {
			i++
			continue
		}
		declaration := target < 0 && strings.HasPrefix(n.line[i+len(name):], " ")
		if name[0] == 'b' && (i == 0 && target >= 0 || declaration) {
			n.writes[name] = true
		} else {
			n.reads[name] = true
		}
		i += len(name)
	}
	if strings.HasPrefix(n.line, "barrier") {
		n.writes["barrier"] = true // nothing passes it: see independent
	}
	for _, c := range n.in {
		c.effects()
		for b := range c.reads {
			n.reads[b] = true
		}
		for b := range c.writes {
			n.writes[b] = true
		}
	}
}

// symbol returns the name of a buffer or of a loop at a place, if there is one.
func symbol(s string, at int) string {
	if s[at] != 'b' && s[at] != 'l' || at > 0 && (s[at-1] >= 'a' && s[at-1] <= 'z' || s[at-1] >= '0' && s[at-1] <= '9') {
		return ""
	}
	end := at + 1
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == at+1 || end < len(s) && s[end] >= 'a' && s[end] <= 'z' {
		return ""
	}
	return s[at:end]
}

// independent reports whether neighbours may change places.
func independent(a, b *node) bool {
	if a.writes["barrier"] || b.writes["barrier"] {
		return false
	}
	for w := range a.writes {
		if b.reads[w] || b.writes[w] {
			return false
		}
	}
	for w := range b.writes {
		if a.reads[w] {
			return false
		}
	}
	return true
}

// shuffle lets neighbours change places, here and inside.
func shuffle(list []*node, rng *rand.Rand) {
	for range len(list) {
		for i := 1; i < len(list); i++ {
			if rng.IntN(2) == 0 && independent(list[i-1], list[i]) {
				list[i-1], list[i] = list[i], list[i-1]
			}
		}
	}
	for _, n := range list {
		if n.line != "\n" { // an if and its else
			shuffle(n.in, rng)
		}
	}
}

// wrap puts a loop of one iteration around some line that is no declaration.
func wrap(root *node, rng *rand.Rand) {
	loops := 0
	var places []**node
	var find func(n *node)
	find = func(n *node) {
		for i, c := range n.in {
			words := strings.Fields(c.line)
			if len(words) == 3 && strings.HasPrefix(words[1], "l") {
				loops++
				places = append(places, &n.in[i])
			} else if strings.Contains(c.line, "]=") {
				places = append(places, &n.in[i])
			}
			find(c)
		}
	}
	find(root)
	if len(places) == 0 {
		return
	}
	place := places[rng.IntN(len(places))]
	*place = &node{line: "for l" + strconv.Itoa(loops) + " 1", in: []*node{*place}}
}

func (n *node) print(b *strings.Builder, depth int) {
	if n.line == "\n" {
		depth--
	} else {
		for range depth {
			b.WriteByte(' ')
		}
		b.WriteString(n.line)
		b.WriteByte('\n')
	}
	for _, c := range n.in {
		c.print(b, depth+1)
	}
}

// rename gives buffers and loops the names that the order of first use gives them, as
// texts have them; with rng two buffers and two loops then take each other's.
func rename(text string, rng *rand.Rand) string {
	scan := func(f func(at int, name string)) {
		for i := 0; i < len(text); {
			name := symbol(text, i)
			if f(i, name); name == "" {
				i++
			} else {
				i += len(name)
			}
		}
	}
	numbers := map[string]int{}
	met := map[byte]int{}
	scan(func(_ int, name string) {
		if _, ok := numbers[name]; !ok && name != "" {
			numbers[name] = met[name[0]]
			met[name[0]]++
		}
	})
	to := map[byte][]int{}
	for _, letter := range []byte{'b', 'l'} { // in this order: rng
		list := make([]int, met[letter])
		for i := range list {
			list[i] = i
		}
		if len(list) > 1 && rng != nil {
			i, j := rng.IntN(len(list)), rng.IntN(len(list))
			list[i], list[j] = list[j], list[i]
		}
		to[letter] = list
	}
	var b strings.Builder
	scan(func(at int, name string) {
		if name == "" {
			b.WriteByte(text[at])
			return
		}
		b.WriteByte(name[0])
		b.WriteString(strconv.Itoa(to[name[0]][numbers[name]]))
	})
	return b.String()
}
