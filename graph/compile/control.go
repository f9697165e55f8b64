package compile

import (
	"fmt"

	"github.com/wmtune/wmtune/graph"
)

// control returns the actions of a node that runs graphs.
func (l *layout) control(n *graph.Node) ([]*action, error) {
	return nil, fmt.Errorf("%s: %w", n.Label(), graph.ErrUnsupported)
}
