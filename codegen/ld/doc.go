// Package ld joins relocatable ELF objects for x86-64 or aarch64, and makes shared libraries of them: what the ld of a
// system does with -r and -shared. Slim images have no ld, and the smallest package of PyPI that brings one has 336 MB.
//
//	files --Read--> objects --Rename, Join--> one object --Hide, Bytes--> NAME.o
//	                                                     --Hide, Shared--> NAME.so
//
// It knows what LLVM emits for position-independent code without exceptions, and rejects what it does not know:
// constructors, thread-local variables, indirect functions, groups. Sections that are not loaded, such as
// debugging information, and tables for unwinding are left out.
//
// The format is that of the System V ABI and its AMD64 supplement. The package must not know what the objects compute.
package ld
