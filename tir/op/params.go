package op

import "slices"

// params are the values of an operator's keys.
type params struct {
	op     *Operator
	values map[string]value
}

func (p *params) get(key string) value {
	v, ok := p.values[key]
	if !ok {
		panic("BUG: op: " + p.op.Name + " has no key " + key)
	}
	return v
}

func (p *params) int(key string) int64     { return p.get(key).numbers[0] }
func (p *params) text(key string) string   { return p.get(key).text }
func (p *params) flag(key string) bool     { return p.get(key).numbers[0] == 1 }
func (p *params) shape(key string) []int64 { return slices.Clone(p.get(key).numbers) }

// has reports whether the operator takes a key.
func (p *params) has(key string) bool { _, ok := p.values[key]; return ok }

func (p *params) transposed() transposed { return transposed{p.flag("ta"), p.flag("tb")} }

func (p *params) layout() layout {
	if p.text("layout") == "NCHW" {
		return channelsFirst
	}
	return channelsLast
}

// spatial returns the sizes of the image, from d to w.
func (p *params) spatial() []int64 {
	var list []int64
	for _, key := range []string{"d", "h", "w"} {
		if p.has(key) {
			list = append(list, p.int(key))
		}
	}
	return list
}

// windows returns the windows along n dimensions.
func (p *params) windows(n int) []window {
	list := make([]window, n)
	for i := range list {
		list[i] = window{size: p.per("k", i), stride: p.per("s", i), dilation: 1, pad: p.per("p", i)}
		if p.has("dilation") {
			list[i].dilation = p.per("dilation", i)
		}
	}
	return list
}

// per returns the value of a key for spatial dimension i.
func (p *params) per(key string, i int) int64 {
	v := p.get(key).numbers
	if len(v) == 1 {
		return v[0]
	}
	return v[i]
}
