// Package bench measures what wmtune is for. Contenders are timed in turns, so that all
// see the same phases of a noisy machine. Libraries that users would pick instead of
// wmtune take part as Peers, processes of the script peers.py.
//
// It must not print: package report of the command shows what is found here.
package bench
