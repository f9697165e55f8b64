// Package bench times contenders in turns, so that all see the same phases of a
// noisy machine, and shows what came out: as a table, and as a page with curves
// that needs no network.
//
// It must not know how programs are searched, built or run: who takes part is a
// Contender. Libraries that users would pick instead of wmtune take part as
// Peers, processes of the script peers.py.
package bench
