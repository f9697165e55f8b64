// Package sketch makes the sketches of a compute DAG: states whose structure
// (inlining, caches, tiling, fusion, factored reductions) is chosen and whose
// tile sizes are still open. Rules are those of AutoScheduler ("Ansor", Zheng et
// al., OSDI 2020; src/auto_scheduler/search_policy/sketch_policy_rules.cc), in
// its order, so that the same DAG gives the same sketches in the same order.
//
// To add a rule, write a file with its condition and its application and add a
// row to a target's table in policy.go.
//
// The package must not know how open sizes are filled (search/annotate), how
// states are ranked, or how long anything takes to run.
package sketch
