// Package vdla is an accelerator that exists as a simulator only: the vanilla deep learning accelerator of TVM's paper
// (Chen et al., OSDI 2018, 6.4). Emit turns a lowered program into one stream of instructions, which load and store
// memory on the chip and multiply there, and puts tokens between them; Run carries the stream out in three units at
// once, counts cycles, and refuses what the hardware would get wrong.
//
// The package must not know how programs are searched, or of processes and files. What a program computes is decided by
// tir/interp, with which it shares no code.
package vdla
