// Package nn builds and trains networks in gorgonia from operations of our own:
// gorgonia has the graph, the derivatives by rule and the machine that runs it, our
// operations compute whole layers on rows of float32 (nn/kernel), where
// gorgonia's own would make many passes.
//
// Rows are ragged: the rows of several programs, one after the other, each with
// as many as it has (Segments). A graph has a fixed number of rows; what is not used
// belongs to no segment.
//
// The package must not know what rows and scores mean.
package nn
