package ansor

import (
	"encoding/json"
	"fmt"

	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/op"
)

// buildKey builds the DAG of a workload key: a JSON list of the hash of its text
// and the shapes of its inputs and outputs, one list each, or, as versions up to
// v0.5 may have it, all in one row.
//
//	["f3351bf9aef587a2fb1bf57b0fc78601", [128, 512], [512, 256], [128, 256]]
//	["f4380bb1dc62422a69ad4a1a9771f927", 1, 28, 28, 512, 1, 1, 512, 1024, 1, 14, 14, 1024]
//
// The error is an *op.UnknownHashError if nobody here knows the DAG. The key of a
// function that a user registered names no DAG; such a function is not known
// either.
func buildKey(key string) (*compute.DAG, error) {
	var list []json.RawMessage
	var hash string
	if err := json.Unmarshal([]byte(key), &list); err != nil || len(list) == 0 {
		return nil, fmt.Errorf("the workload key %s is no JSON list", clip([]byte(key)))
	}
	if err := json.Unmarshal(list[0], &hash); err != nil {
		return nil, fmt.Errorf("the workload key %s begins with no hash", clip([]byte(key)))
	}
	if !op.KnowsHash(hash) {
		return nil, &op.UnknownHashError{Hash: hash}
	}
	var flat []int64
	var shapes [][]int64
	for i, text := range list[1:] {
		var shape []int64
		var extent int64
		switch {
		case json.Unmarshal(text, &extent) == nil && len(shapes) == 0 && string(text) != "null":
			flat = append(flat, extent)
		case json.Unmarshal(text, &shape) == nil && len(flat) == 0 && string(text) != "null":
			shapes = append(shapes, shape)
		default:
			return nil, fmt.Errorf("part %d of the workload key %s is %s, no shape", i+1, clip([]byte(key)), clip(text))
		}
	}
	if len(flat) > 0 {
		var err error
		if shapes, err = op.SplitShapes(hash, flat); err != nil {
			return nil, err
		}
	}
	return op.FromHash(hash, shapes)
}
