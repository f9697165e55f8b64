package tir

// TileLoops are the loops that an instruction of tiles takes the place of. Each of them names the instruction. Those of
// a product are
//
//	tensorize k in 16 by tdpbusd:
//	  tensorize i in 16 by tdpbusd:
//	    vectorize j in 16 by tdpbusd:
//	      tensorize g in 4 by tdpbusd:
//	        C.tile[0, i, j] = C.tile[0, i, j] + int32(A[i, 4*k + g])*int32(B[k, j, g])
//
// where A stands first,
// and those over rows and columns alone set a tile to 0, load it, or store it. At the ends of rows, columns and sums
// there are fewer iterations.
type TileLoops struct {
	By         *Instruction
	Rows, Cols *For
	Groups     *For // of steps of the sum, nil of what is no product
	Steps      *For // of a group, nil of what is no product

	Store *Store
	A, B  *Load // of a product
}

// TileLoopsOf returns the loops of which l is the outermost, if they are those of a tile.
func TileLoopsOf(l *For) (t TileLoops, ok bool) {
	if t.By = l.Instruction; t.By == nil || !t.By.IsTile() {
		return t, false
	}
	var list []*For
	var body Stmt = l
	for {
		if b, ok := body.(*Block); ok {
			body = b.Body
			continue
		}
		inner, ok := body.(*For)
		if !ok || inner.Instruction != t.By {
			break
		}
		list, body = append(list, inner), inner.Body
	}
	switch len(list) {
	case 2:
		t.Rows, t.Cols = list[0], list[1]
		t.Store, ok = body.(*Store)
		return t, ok
	case 4:
		t.Groups, t.Rows, t.Cols, t.Steps = list[0], list[1], list[2], list[3]
	default:
		return t, false
	}
	if t.Store = Accumulated(t.Steps, false); t.Store == nil {
		return t, false
	}
	x, y, ok := Factors(t.Store.Value.(*Binary).Y)
	t.A, t.B = x.Load, y.Load
	return t, ok && x.Cond == nil && y.Cond == nil
}

// Extents returns how many rows, columns, groups and steps of a group there are. Ok is false if some number is not
// known.
func (t TileLoops) Extents() (rows, cols, groups, steps int64, ok bool) {
	n := [4]int64{1, 1, 1, 1}
	for i, l := range []*For{t.Rows, t.Cols, t.Groups, t.Steps} {
		if l == nil {
			continue
		}
		e, constant := l.Extent.(*IntImm)
		if !constant {
			return 0, 0, 0, 0, false
		}
		n[i] = e.Value
	}
	return n[0], n[1], n[2], n[3], true
}

// IsWhole reports whether a product has as many rows, columns and steps as the instruction makes at once.
func (t TileLoops) IsWhole() bool {
	rows, cols, groups, steps, ok := t.Extents()
	return ok && rows == t.By.Rows && cols == t.By.Cols && groups*steps == t.By.Depth
}
