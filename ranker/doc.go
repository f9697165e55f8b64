// Package ranker ranks candidates by what their steps say: action features, which
// need no lowering, and boosted trees over them.
//
// Features are pure functions of a compute DAG, steps and the hardware; what was
// measured has no part in them. The package must not know how candidates come
// about or what becomes of their order.
package ranker
