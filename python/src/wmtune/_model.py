"""Compiled models."""

import operator
import shutil
import weakref
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NoReturn, overload

import numpy as np

from . import _bundle
from ._arrays import Place, address, is_tensor
from ._context import Library
from ._errors import Error, UsageError
from ._plans import Fitted
from ._profile import Profile
from ._summary import Summary
from ._temporary import Temporary


class Outputs(dict[str, Any]):
    """Outputs of a run by name, in order. A number is a key, too."""

    def __missing__(self, key: Any) -> Any:
        """Return output number key."""
        if isinstance(key, int) and 0 <= key < len(self):
            return list(self.values())[key]
        raise KeyError(key)


class Model:
    """A compiled model: calling it with arrays runs it.

    Threads may run one model at the same time. numpy arrays, torch tensors and other arrays with `__dlpack__` go in
    where they are. Outputs are torch tensors if an input is one, else numpy arrays.
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        threads: int = 0,
        strict: bool = False,
        flush_denormals: bool | None = None,
        _temporary: Temporary | None = None,
    ) -> None:
        """Open the bundle in a folder; wmtune.load has the arguments."""
        self._temporary = _temporary  # lives as long as the model
        self._about = _bundle.read(Path(folder).absolute())
        self._library = Library(self._about, threads, flush_denormals)
        self._inputs = [Place(p, "input", strict) for p in self._about.inputs]
        self._outputs = [Place(p, "output", strict) for p in self._about.outputs]
        self._fitted = Fitted(self._about, strict) if self._about.plans else None
        self._options: dict[str, Any] = {"threads": threads, "strict": strict, "flush_denormals": flush_denormals}
        self._names = {p.name: i for i, p in enumerate(self._about.inputs)}
        self._bounded = any(p.bounded for p in self._about.outputs)
        self._finish = weakref.finalize(self, self._library.close)

    name = property(lambda self: self._about.name, doc="The name of the bundle.")
    folder = property(lambda self: self._about.folder, doc="The folder of the bundle.")
    inputs = property(lambda self: self._about.inputs, doc="The inputs, in order, as Port.")
    outputs = property(lambda self: self._about.outputs, doc="The outputs, in order, as Port.")
    description = property(lambda self: self._about.data, doc="What NAME.json says; docs/manual/models.md explains it.")

    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        """Run the model for an array for each input, in order or by name.

        Returns the output, or a tuple of them if the model has several; of a dict of arrays, as OpenVINO takes it, a
        dict of outputs, whose keys are their names, and their numbers too. out is an array, or a list of them, that the
        outputs are written to; it is returned. Raises UsageError if an array does not fit, and Error if a check of the
        model fails, such as an index that is out of range.
        """
        if len(arrays) == 1 and isinstance(arrays[0], Mapping) and not named and out is None:
            return Outputs(self.run(arrays[0]))
        if named:
            arrays = self._ordered(arrays, named)
        if len(arrays) != len(self._inputs):
            names = ", ".join(map(str, self.inputs))
            raise UsageError(f"{self.name} takes {len(self._inputs)} arrays ({names}), not {len(arrays)}")
        results = self._run(arrays, None if out is None else out if isinstance(out, (list, tuple)) else [out])
        return results[0] if len(results) == 1 else tuple(results)

    @overload
    def run(self, inputs: Mapping[str, Any], out: Mapping[str, Any] | None = None) -> dict[str, Any]: ...

    @overload
    def run(self, inputs: Sequence[str] | None, out: Mapping[str, Any]) -> list[Any]: ...

    def run(
        self, inputs: Mapping[str, Any] | Sequence[str] | None, out: Mapping[str, Any] | None = None
    ) -> dict[str, Any] | list[Any]:
        """Run the model with inputs by name; return the outputs by name.

        out has arrays that outputs are written to, by name. The others are new. `run(names, inputs)` is ONNX Runtime's
        form: it returns a list of the outputs of these names, or of all if names is None.
        """
        names = [p.name for p in self.outputs]
        if inputs is None or (isinstance(inputs, (list, tuple)) and isinstance(out, Mapping)):
            wanted = names if inputs is None else inputs
            if unknown := [name for name in wanted if name not in names]:
                missing = ", ".join(map(str, unknown))
                raise UsageError(f"{self.name} has the outputs {', '.join(names)}, and no {missing}")
            results = self.run({} if out is None else out)
            return [results[name] for name in wanted]
        if not isinstance(inputs, Mapping):
            kind = type(inputs).__name__
            raise UsageError(f"run takes a dict of arrays, or ONNX Runtime's run(None, inputs), not {kind}")
        if unknown := sorted(set(out or ()) - set(names)):
            raise UsageError(f"{self.name} has the outputs {', '.join(names)}, and no {', '.join(unknown)}")
        given = None if out is None else [out.get(name) for name in names]
        return dict(zip(names, self._run(self._ordered((), inputs), given), strict=True))

    def _ordered(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return all inputs in their order, first those without a name."""
        names = list(self._names)[len(arrays) :]
        if named.keys() != set(names):
            raise UsageError(f"{self.name} takes the inputs {', '.join(self._names)}, not {', '.join(map(str, named))}")
        return arrays + tuple(named[name] for name in names)

    def _run(self, arrays: tuple[Any, ...], out: list[Any] | tuple[Any, ...] | None) -> list[Any]:
        """Run the model for arrays that are in order; an entry of out that is None stands for a new array."""
        tensors, keep = False, []  # what is kept stays in memory until the run is over
        library, inputs, outputs, extents = self._library, self._inputs, self._outputs, None
        context = library.acquire()
        try:
            if self._fitted is not None:
                extents, inputs, outputs = self._fitted.to(arrays, library.length_of(context))
            table = context.inputs
            if extents is not None:
                for k, n in enumerate(extents):
                    context.extents[k] = n
            for i, x in enumerate(arrays):
                table[i], kept = inputs[i].find(x)
                keep.append(kept)
                if type(x) is not np.ndarray and is_tensor(x):
                    tensors = True
            results = self._results(outputs, context.outputs, tensors, out)
            code = context.run(context.handle, context.inputs_address, context.outputs_address)
        finally:
            library.release(context)
        if code:
            library.check(code)
        if self._bounded:
            return [array if shape is None else _true(array, shape) for array, shape in results]
        return [array for array, _ in results]

    def _results(
        self, places: list[Place], table: Any, tensors: bool, out: list[Any] | tuple[Any, ...] | None
    ) -> list[tuple[Any, Any]]:
        """Write the addresses of outputs to a table; return the outputs, each with the array of its true shape."""
        if out is not None and len(out) != len(self._outputs):
            raise UsageError(f"{self.name} has {len(self._outputs)} outputs, and out has {len(out)} arrays")
        at, results = 0, []
        for i, place in enumerate(places):
            array = None if out is None else out[i]
            if array is not None:
                table[at], array = place.destination(array)
            elif tensors:
                array = place.new_tensor()
                table[at] = array.data_ptr()
            else:
                array = place.new()
                table[at] = address(array)
            at += 1
            shape = None
            if place.port.bounded:
                shape = np.empty(len(place.shape), np.int64)
                table[at] = address(shape)
                at += 1
            results.append((array, shape))
        return results

    def save(self, folder: str | PathLike[str]) -> Path:
        """Copy the bundle to a folder, which must not hold other files; wmtune.load opens it there.

        Returns the folder. C and Go programs can use it, too (docs/manual/models.md).
        """
        to, files = Path(folder), self._now().data["files"]
        if to.exists() and (not to.is_dir() or any(to.iterdir())):
            raise UsageError(f"{to} exists and is not an empty folder: choose another one")
        to.mkdir(parents=True, exist_ok=True)
        copied: list[Path] = []
        try:
            for name in files:
                copied.append(to / Path(name).name)
                shutil.copy2(self.folder / name, copied[-1])
        except BaseException:  # half a bundle is none
            for path in copied:
                path.unlink(missing_ok=True)
            raise
        return to

    @staticmethod
    def load(folder: str | PathLike[str], **options: Any) -> "Model":
        """Open a bundle, as wmtune.load does."""
        return Model(folder, **options)

    def length(self) -> int:
        """Return how many tokens a decoder's cache has, of a model that was compiled with state."""
        return self._library.length()

    def truncate(self, rows: int) -> None:
        """Have a decoder's cache forget all tokens but the first so many; 0 begins anew."""
        self._library.truncate(operator.index(rows))

    def fork(self) -> "Model":
        """Return a copy of the model whose cache has the same tokens, and goes on from there: a beam."""
        self._now()
        copy = Model(self.folder, **self._options, _temporary=self._temporary)
        self._library.fork(copy._library)
        return copy

    def profile(self, threads: int = 0, dims: Mapping[str, int] | None = None) -> Profile:
        """Time each kernel with random inputs: a table that prints, and whose rows are in `kernels`.

        dims are extents, of a model of several plans; None stands for the largest.
        """
        return Profile.measure(self._now().folder, threads, dims)

    def _now(self) -> _bundle.Description:
        """Return the bundle as its folder has it now. Raises Error if another one was compiled into the folder."""
        now = _bundle.read(self.folder)
        if now != self._about:
            raise Error(f"{self.folder}: the folder holds another model now, which was compiled later: load it")
        return now

    def summary(self) -> Summary:
        """Return what the model consists of: a table that prints."""
        return Summary(self.description)

    def close(self) -> None:
        """Free the memory and end the threads: those of a run that is under way as soon as it ends.

        Later runs raise ClosedError.
        """
        self._finish()

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> NoReturn:
        raise Error("a compiled model cannot be pickled: save it, and load it in the other process")

    def __repr__(self) -> str:
        ports = [", ".join(map(str, list)) for list in (self.inputs, self.outputs)]
        return f"<wmtune.Model {self.name}({ports[0]}) -> {ports[1]}>"

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()


Model.load.__annotations__["return"] = Model  # help() shows it without quotes


def load(
    folder: str | PathLike[str], *, threads: int = 0, strict: bool = False, flush_denormals: bool | None = None
) -> Model:
    """Open a bundle that wmtune compile or Model.save has written.

    A run uses so many threads; 0 stands for one for each processor. strict rejects arrays that would have to be copied.
    flush_denormals has numbers so small that they are denormal count as 0; None leaves that to the bundle. Raises Error
    if the folder has no bundle, or one for another processor.
    """
    return Model(folder, threads=threads, strict=strict, flush_denormals=flush_denormals)


def _true(array: Any, shape: np.ndarray[Any, Any]) -> Any:
    """Return a bounded output in its true shape: the elements lie densely at its beginning."""
    sizes = tuple(map(int, shape))
    if sizes == tuple(array.shape):
        return array
    return array.reshape(-1)[: int(np.prod(sizes))].reshape(sizes)
