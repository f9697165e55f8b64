"""The library of a bundle, through ctypes. A call of it releases the interpreter's lock."""

from __future__ import annotations

import ctypes
import os
import platform
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ._bundle import Description
from ._errors import ClosedError, Error, UsageError
from ._options import number_of_threads


class Context:
    """The memory and the threads that one run needs; one run at a time may use it."""

    __slots__ = ("extents", "handle", "inputs", "inputs_address", "outputs", "outputs_address", "run")

    def __init__(self, handle: int, run: Callable[..., int], inputs: int, outputs: int, dims: int | None) -> None:
        """Make tables of so many addresses, and of extents, which are written anew for each run."""
        self.handle, self.run = handle, run
        if dims is not None:
            self.extents = (ctypes.c_int64 * dims)()
            where = ctypes.addressof(self.extents)
            self.run = lambda handle, inputs, outputs: run(handle, where, inputs, outputs)
        self.inputs = (ctypes.c_void_p * max(inputs, 1))()
        self.outputs = (ctypes.c_void_p * max(outputs, 1))()
        self.inputs_address = ctypes.addressof(self.inputs)
        self.outputs_address = ctypes.addressof(self.outputs)


_loaded: dict[Path, tuple[int, int]] = {}  # device and number of the file that each path was when it was first loaded


def _load(path: Path) -> ctypes.CDLL:
    """Load a library. The loader of the system knows libraries by path: what has come to lie at the path of another one
    is loaded by a link of its own, or calls would run the one before. Raises Error for another processor's."""
    with path.open("rb") as head:
        of = {62: "x86_64", 183: "aarch64"}.get(int.from_bytes(head.read(20)[18:20], "little"))  # e_machine of ELF
    if of not in (None, platform.machine()):
        raise Error(f"{path} is for {of}, and this is {platform.machine()}: copy its folder to such a machine")
    status = path.stat()
    file = status.st_dev, status.st_ino
    if _loaded.setdefault(path, file) == file:
        return ctypes.CDLL(os.fspath(path))
    with tempfile.TemporaryDirectory(prefix="wmtune-") as folder:
        link = Path(folder, path.name)
        link.symlink_to(path)
        return ctypes.CDLL(os.fspath(link))


class _Weights:
    """A file of weights that stays open: another may come to lie at its path, and the library is that of before."""

    def __init__(self, path: Path) -> None:
        """Open the file. Raises Error."""
        try:
            file = open(path, "rb")  # noqa: SIM115
        except OSError as e:
            raise Error(f"cannot open the weights file: {e}") from e
        self.close = weakref.finalize(self, file.close)  # the weights that contexts have mapped stay
        link = f"/proc/self/fd/{file.fileno()}"
        self.path = os.fsencode(link if os.path.exists(link) else path)


class Library:
    """A loaded bundle and its contexts: one for each run that is under way at the same time.

    A run takes a context that is free, or opens one. So a thread that runs the model again and again has its own, and
    threads that end leave none behind. Weights are mapped from one file, so contexts share them.
    """

    def __init__(self, description: Description, threads: int, flush: bool | None) -> None:
        """Load the library and open the first context. Raises Error with the library's sentence."""
        self._name, self._threads, self._flush = description.name, number_of_threads(threads), flush
        outputs = sum(2 if p.bounded else 1 for p in description.outputs)
        self._tables = len(description.inputs), outputs, len(description.dims) if description.plans else None
        try:
            library = _load(description.library.resolve())
        except OSError as e:
            raise Error(f"{description.library}: {e}") from e
        void, integer = ctypes.c_void_p, ctypes.c_int
        self._open = self._function(library, "open", [void, ctypes.c_char_p, integer])
        if description.plans:
            self._run = self._function(library, "run_dims", [void] * 4)
        else:
            self._run = self._function(library, "run", [void] * 3)
        self._flush_denormals = self._function(library, "flush_denormals", [void, integer])
        self._close = self._function(library, "close", [void])
        self._error = self._function(library, "error", [integer])
        self._error.restype = ctypes.c_char_p
        self._state, self._follows = description.state, description.length is not None
        if self._state:
            self._length = self._function(library, "length", [void])
            self._length.restype = ctypes.c_int64
            self._truncate = self._function(library, "truncate", [void, ctypes.c_int64])
            self._fork = self._function(library, "fork", [void, void])
        self._free: deque[Context] = deque()
        self._closed = False
        self._weights = None if description.weights is None else _Weights(description.weights)
        self._free.append(self._new())

    def _function(self, library: ctypes.CDLL, name: str, types: list[type]) -> ctypes._NamedFuncPointer:
        try:
            function = library[f"{self._name}_{name}"]
        except AttributeError as e:
            raise Error(f"{library._name} is not the library of a bundle called {self._name}: {e}") from None
        function.argtypes = types
        return function

    def _new(self) -> Context:
        handle = ctypes.c_void_p()
        weights = None if self._weights is None else self._weights.path
        self.check(self._open(ctypes.addressof(handle), weights, self._threads))
        assert handle.value is not None
        if self._flush is not None:
            self._flush_denormals(handle, self._flush)
        return Context(handle.value, self._run, *self._tables)

    def check(self, code: int) -> None:
        """Raise Error with the library's sentence unless code is 0."""
        if code:
            raise Error(f"{self._name}: {self._error(code).decode()}")

    def length(self) -> int:
        """Return how many rows the state has."""
        with self._own() as context:
            return int(self._length(context.handle))

    def length_of(self, context: Context) -> int:
        """Return how many rows a context's state has, if inputs are as long as it; else 0."""
        return int(self._length(context.handle)) if self._follows else 0

    def truncate(self, rows: int) -> None:
        """Forget all rows of the state but the first so many. Raises Error."""
        with self._own() as context:
            self.check(self._truncate(context.handle, rows))

    def fork(self, to: Library) -> None:
        """Copy the state to another library of the same bundle. Raises Error."""
        with self._own() as context, to._own() as other:
            self.check(self._fork(other.handle, context.handle))

    @contextmanager
    def _own(self) -> Iterator[Context]:
        """Lend the context that has the state. Raises UsageError if there is no state."""
        if not self._state:
            raise UsageError(f"{self._name} keeps no state: compile it with state=")
        context = self.acquire()
        try:
            yield context
        finally:
            self.release(context)

    def acquire(self) -> Context:
        """Return a context for one run: of a model with a state the only one. Raises ClosedError after close."""
        while not self._closed:
            try:
                if self._state and not self._free:
                    raise Error(f"{self._name}: another thread is using the model, which keeps a state: fork it")
                return self._free.pop() if self._free else self._new()
            except IndexError:
                continue  # another thread took the one that was free
            except Error:
                if not self._closed:  # else another thread closed the weights meanwhile
                    raise
        raise ClosedError(f"{self._name}: the model was closed; load it again with wmtune.load")

    def release(self, context: Context) -> None:
        """Take a context back after a run."""
        self._free.append(context)
        if self._closed:
            self.close()

    def close(self) -> None:
        """Free the contexts, those of runs that are under way as soon as they end."""
        self._closed = True
        if self._weights is not None:
            self._weights.close()
        while True:
            try:
                context = self._free.pop()
            except IndexError:
                return
            self._close(context.handle)
