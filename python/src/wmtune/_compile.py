"""Compiles models of ONNX and torch."""

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from . import _command, _options
from ._errors import MissingFileError, UsageError
from ._model import Model
from ._progress import bar
from ._temporary import Temporary


def compile(
    model: Any,
    /,
    *,
    args: Sequence[Any] | None = None,
    dims: Mapping[str, int | str | Sequence[int]] | None = None,
    trials: int = 0,
    time: float | str | timedelta | None = None,
    out: str | PathLike[str] | None = None,
    name: str | None = None,
    threads: int = 0,
    strict: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> Model:
    """Compile a model for this processor, compare it with a float64 reference, and open it.

    Args:
        model: the path of an ONNX file, an onnx.ModelProto, or a torch.nn.Module.
        args: of a module, a tuple of example inputs; their shapes are the model's.
        dims: extents of open dimensions, such as {"batch": 1, "seq": 128}. With lists, such as {"seq": [16, 128]}, the
            model has a plan for each combination, and a run takes the one that its arrays have. "1..128" is a range,
            and "past+seq" a sum of others.
        trials: how many candidates of all kernels together are measured; 0 measures none.
        time: for how long candidates are chosen and measured, in seconds or as "10m".
        out: the folder for the bundle; without one it lasts as long as the model, and Model.save copies it.
        name: the name of the bundle; the default is the file's.
        threads: how many threads a run uses; 0 stands for one for each processor.
        strict: rejects arrays that would have to be copied.
        progress: shows a bar of tqdm; None: if tqdm is installed and somebody watches.
        options: further flags of the command, such as seed=1, database="none", precision="int4w", max_error=0.05,
            embed_weights=True, require_tuned=True, or model=FOLDER for the world model in a folder. With
            state="present.*=past.*,max=1024" the model keeps a decoder's cache (docs/manual/decoders.md).

    Raises Error, or one of its kinds, with the sentence of `wmtune compile`; an unknown option is an OptionError, also
    a TypeError, and a missing file a MissingFileError, also a FileNotFoundError. Ctrl-C finishes the round under way
    and raises KeyboardInterrupt; the same call goes on from there, because the record database keeps what was measured.
    """
    threads = _options.number_of_threads(threads)
    temporary = Temporary()
    folder = temporary.path / "bundle" if out is None else Path(out)
    flags = _options.flags({
        "dim": _options.dimensions(dims), "trials": trials or None, "time": time, "name": name, "out": folder,
        "threads": threads, **options,
    })  # fmt: skip
    if not isinstance(model, (str, PathLike)):
        check(options)  # the export takes long
    path = _file(model, args, temporary.path)
    with bar(progress, name or path.stem) as show:
        _command.run(["compile", "--json", *flags, "--", fspath(path)], show)
    keep = temporary if out is None else None
    shutil.rmtree(temporary.path / "model", ignore_errors=True)
    return Model(folder, threads=threads, strict=strict, _temporary=keep)


def check(options: Mapping[str, Any]) -> None:
    """Raise UsageError if options of compile are wrong, as far as that is known before there is a model."""
    flags = {name: value for name, value in options.items() if name not in ("args", "strict", "progress", "dims")}
    if flags:
        _command.check(["compile", *_options.flags(flags)])


def _name(model: Any) -> str:
    """Return the name for the file of a model that has none. The bundle is named after it."""
    return str(getattr(model, "_get_name", lambda: "model")()).lower()


def _file(model: Any, args: Sequence[Any] | None, folder: Path) -> Path:
    """Return the path of an ONNX file of the model, which is written to a folder if there is none."""
    if isinstance(model, (str, PathLike)):
        if args is not None:
            raise UsageError("args are the example inputs of a torch.nn.Module, and a file needs none")
        if not os.path.lexists(model):
            raise MissingFileError(errno.ENOENT, os.strerror(errno.ENOENT), fspath(model))
        return Path(model)
    path = folder / "model" / f"{_name(model)}.onnx"
    path.parent.mkdir()
    kinds = {k.__module__.partition(".")[0] for k in type(model).__mro__}
    if "torch" in kinds:  # a module, or an ExportedProgram
        if args is None:
            raise UsageError("a torch.nn.Module needs example inputs: wmtune.compile(module, args=(x,))")
        if not isinstance(args, (tuple, list)):
            raise UsageError(f"args is a tuple of inputs, args=(x,), not {type(args).__name__}")
        if getattr(model, "training", False):
            raise UsageError("the module is in training mode: call module.eval() first")
        from ._export import export

        export(model, tuple(args), path)
    elif "onnx" in kinds or hasattr(model, "SerializeToString"):
        _write(model, path)
    else:
        raise UsageError(
            f"a model is the path of an ONNX file, an onnx.ModelProto or a torch.nn.Module, not {type(model).__name__}"
        )
    return path


def _write(model: Any, path: Path) -> None:
    """Write an onnx.ModelProto; tensors lie in a file beside it, since a message has at most 2 GB."""
    import onnx

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    onnx.save_model(copy, path, save_as_external_data=True, location="model.data", size_threshold=1024)
