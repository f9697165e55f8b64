"""torch.compile(module, backend="wmtune").

Dynamo hands over each graph of a program. A graph is exported to ONNX when it runs for the first time, compiled, and
compared with eager mode. Exported, because torch.onnx keeps the decompositions and the translation of ATen's operators,
which would have to be written again otherwise, and ONNX is what the compiler reads.

Parameters and buffers become weights of the bundle, packed as the kernels read them. If a program changes one, the
graph is compiled again at its next run. torch counts changes, but not those through `.data`, and not those of tensors
of inference mode: of these the backend sees what changes one of some 16 elements of a weight that it looks at. After a
smaller change call torch.compiler.reset(). A graph that cannot be compiled runs in eager mode, with one warning that
says why.

Parameters that require gradients are no obstacle: most programs that compute none leave it so. Outputs require
gradients then, as in eager mode. If a program asks for them, eager mode runs the graph once more to compute them, and
the graph stays in eager mode.
"""

import ctypes
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import torch

from ._compile import check, compile
from ._errors import Error, UsageError
from ._export import reason
from ._model import Model

TOLERANCE = 1e-3
"""The largest difference from eager mode, over the largest output: more is a wrong translation, not rounding."""


SAMPLES = 16
"""How many elements of a weight are compared before each run, or a few more; of all weights that costs microseconds."""


class FallbackWarning(UserWarning):
    """A graph runs in eager mode."""


class _Unfit(Exception):
    """Why a graph is not compiled."""


class _WrongOptionsError(Exception):
    """The options are wrong, not the graph."""


def backend(
    module: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Return what runs a graph, as torch.compile wants it.

    options are those of wmtune.compile, and fallback: False raises an error where a graph would run in eager mode.
    Raises UsageError for wrong options, and for a mode, which is inductor's.
    """
    del example_inputs  # some have no elements yet: the first run brings true ones
    if mode not in (None, "default"):
        raise UsageError(
            f"wmtune has no mode {mode!r}, which is of torch's own backend: "
            'say how much is measured with options={"trials": 1000} or options={"time": "10m"}'
        )
    options = dict(options or {})
    fallback = options.pop("fallback", True)
    if not isinstance(fallback, bool):
        raise UsageError(f"fallback is True or False, not {fallback!r}")
    check(options)
    return Graph(module, options, fallback)


class Graph:
    """A graph of Dynamo and what it was compiled to, for each set of shapes."""

    def __init__(self, module: torch.fx.GraphModule, options: Mapping[str, Any], fallback: bool = True) -> None:
        """Note which arguments are weights, and whether shapes may differ from run to run."""
        self._module, self._options, self._fallback = module, options, fallback
        self._eager = False  # gradients were asked for
        places = [node for node in module.graph.nodes if node.op == "placeholder"]
        self._static = [i for i, node in enumerate(places) if _is_static(node)]
        self._dynamic = any(_is_symbolic(node) for node in places)
        self._compiled: dict[Any, _Compiled | None] = {}

    def __call__(self, *args: Any) -> Any:
        """Run the graph."""
        if self._eager:
            return self._module(*args)
        key = tuple(tuple(x.shape) if isinstance(x, torch.Tensor) else x for x in args) if self._dynamic else None
        try:
            compiled = self._compiled[key]
        except KeyError:
            compiled = self._compiled[key] = self._compile(args)
        if compiled is None:
            return self._module(*args)
        if not compiled.fresh(args):
            compiled = self._compiled[key] = self._compile(args)
            if compiled is None:
                return self._module(*args)
        if compiled.gradients and torch.is_grad_enabled():
            return _Run.apply(self, compiled, *args)
        return compiled(args)

    def _compile(self, args: Sequence[Any]) -> "_Compiled | None":
        """Compile the graph for arguments; return None, after a warning, if that does not work."""
        try:
            static = {i for i, x in enumerate(args) if isinstance(x, torch.nn.Parameter)} | set(self._static)
            if torch.is_grad_enabled() and any(_needs_gradient(x) for i, x in enumerate(args) if i not in static):
                raise _Unfit(_GRADIENTS)
            return _Compiled(self._module, args, static, self._options)
        except _WrongOptionsError as e:
            raise e.__cause__ or e from None
        except (_Unfit, Error) as e:
            self._fall_back(e)
            return None

    def _fall_back(self, why: Any) -> None:
        """Warn that the graph runs in eager mode, or raise Error if it must not."""
        text = f"wmtune: a graph of {len(self._module.graph.nodes)} nodes runs in eager mode: {why}"
        if not self._fallback:
            raise Error(text.replace("runs in eager mode", "would run in eager mode, and fallback is False"))
        _warn(text)

    def gradients(self, args: Sequence[Any], of: Sequence[Any]) -> list[Any]:
        """Return the gradients of arguments for those of outputs, by eager mode, in which later runs are, too.

        A program that asks for gradients trains its weights, for which the graph would be compiled at each step.
        """
        self._fall_back(_GRADIENTS)
        self._eager = True
        with torch.enable_grad():
            given = [x.detach().requires_grad_(x.requires_grad) if isinstance(x, torch.Tensor) else x for x in args]
            made = zip(self._module(*given), of, strict=True)
            outputs, known = zip(*[(y, g) for y, g in made if _needs_gradient(y)], strict=True)
        found = iter(torch.autograd.grad(outputs, [x for x in given if _needs_gradient(x)], known, allow_unused=True))
        return [next(found) if _needs_gradient(x) else None for x in given]


_GRADIENTS = "it needs gradients: run it under torch.no_grad() or torch.inference_mode()"


def _needs_gradient(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.requires_grad


class _Run(torch.autograd.Function):  # type: ignore[misc]
    """A run of a graph whose weights require gradients, which nobody may ask for."""

    @staticmethod
    def forward(ctx: Any, graph: Graph, compiled: "_Compiled", *args: Any) -> Any:
        """Run the graph, and keep its arguments."""
        ctx.graph = graph
        ctx.others = [None if isinstance(x, torch.Tensor) else x for x in args]
        ctx.save_for_backward(*[x if isinstance(x, torch.Tensor) else None for x in args])
        outputs = compiled(args)
        ctx.mark_non_differentiable(
            *[y for i, y in enumerate(outputs) if isinstance(y, torch.Tensor) and i not in compiled.gradients]
        )
        return outputs

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *of: Any) -> Any:
        """Return the gradients of the arguments."""
        args = [x if y is None else y for x, y in zip(ctx.others, ctx.saved_tensors, strict=True)]
        return None, None, *ctx.graph.gradients(args, of)


class _Compiled:
    """A graph compiled for some shapes and some weights."""

    def __init__(
        self, module: torch.fx.GraphModule, args: Sequence[Any], static: set[int], options: Mapping[str, Any]
    ) -> None:
        """Compile a graph. Raises _Unfit or Error with the reason if that does not work."""
        tensors = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor)]
        self._static = [i for i in tensors if i in static]
        self._inputs = [i for i in tensors if i not in static]
        self._weights = [_Weight(args[i]) for i in self._static]
        inputs = tuple(args[i].detach() for i in self._inputs)
        with torch.no_grad():
            program = _program(_Frozen(module, args, self._inputs), inputs)
        expected = module(*args)  # with gradients, if the caller computes any
        with torch.no_grad():
            self._outputs, self._others = _outputs(expected, args)
            self.gradients = [i for i in self._outputs if _needs_gradient(expected[i])]
            # Programs make views by the strides of outputs; here are those that are not row-major.
            made = [expected[i] for i in self._outputs]
            self._strides = {i: y.stride() for i, y in enumerate(made) if not y.is_contiguous()}
            try:
                self._model = compile(program, args=inputs, **{"name": "graph", **options})
            except UsageError as e:
                raise _WrongOptionsError from e
            self._check(args, expected)

    def fresh(self, args: Sequence[Any]) -> bool:
        """Whether the weights are those that the graph was compiled with."""
        return all(w.is_still(args[i]) for w, i in zip(self._weights, self._static, strict=True))

    def __call__(self, args: Sequence[Any]) -> Any:
        """Run the graph."""
        results = self._model(*[args[i] for i in self._inputs])
        outputs = [results] if isinstance(results, torch.Tensor) else list(results)
        for i, stride in self._strides.items():
            outputs[i] = _with_strides(outputs[i], stride)
        if not self._others and len(outputs) == len(self._outputs):
            return tuple(outputs)
        found = {**self._others, **dict(zip(self._outputs, outputs, strict=True))}
        return tuple(found[i] for i in range(len(found)))

    def _check(self, args: Sequence[Any], expected: Sequence[Any]) -> None:
        """Compare a run with eager mode."""
        _match(self._model, len(self._inputs), len(self._outputs))
        for i in self._strides:
            if self._model.outputs[i].bounded:
                raise _Unfit(f"output {self._outputs[i]} is not row-major, and its shape is known only after a run")
        for i, (ours, theirs) in enumerate(zip(self(args), expected, strict=True)):
            if i not in self._others:
                _compare(i, ours, theirs)


class _Weight:
    """What a weight was when its graph was compiled."""

    def __init__(self, x: torch.Tensor) -> None:
        self._address, self._version = x.data_ptr(), _version(x)
        self._memory = _sample(x)
        self._bytes = self._memory.tobytes()

    def is_still(self, x: torch.Tensor) -> bool:
        """Whether a tensor is the weight. The sample is looked at only while the tensor has that memory."""
        same = x.data_ptr() == self._address and _version(x) == self._version
        return same and self._memory.tobytes() == self._bytes


def _version(x: torch.Tensor) -> int:
    """Return how often torch saw a tensor change; tensors of inference mode do not count that."""
    return 0 if x.is_inference() else x._version


def _sample(x: torch.Tensor) -> memoryview:
    """Return some elements of a tensor, as they lie in its memory now and later."""
    size = x.element_size()
    room = x.untyped_storage().nbytes() - x.storage_offset() * size  # less than the elements, where they overlap
    count = min(x.numel(), room // size) if x.device.type == "cpu" else 0
    if not count:
        return memoryview(b"")
    memory = memoryview((ctypes.c_char * (count * size)).from_address(x.data_ptr())).cast("B")
    step = count // SAMPLES | 1  # an odd one meets all columns of a matrix
    whole: dict[int, Literal["B", "H", "I", "Q"]] = {1: "B", 2: "H", 4: "I"}
    return memory.cast(whole.get(size, "Q"))[::step]


class _Frozen(torch.nn.Module):  # type: ignore[misc]
    """A graph whose arguments are constants, but for its inputs."""

    def __init__(self, module: torch.fx.GraphModule, args: Sequence[Any], inputs: Sequence[int]) -> None:
        super().__init__()
        self.module, self._inputs = module, inputs
        self._args: list[Any] = [None if isinstance(x, torch.Tensor) else x for x in args]
        self._weights = []
        for i, x in enumerate(args):
            if isinstance(x, torch.Tensor) and i not in inputs:
                self.register_buffer(f"weight{i}", x.detach())  # the same memory
                self._weights.append(i)

    def forward(self, *inputs: Any) -> Any:
        """Run the graph; return its outputs that are tensors, as the exporter wants them."""
        args = list(self._args)
        for i in self._weights:
            args[i] = getattr(self, f"weight{i}")
        for i, x in zip(self._inputs, inputs, strict=True):
            args[i] = x
        return tuple(y for y in self.module(*args) if isinstance(y, torch.Tensor))


def _program(module: torch.nn.Module, inputs: tuple[Any, ...]) -> Any:
    """Return a module as a program of ATen's operators that only computes its outputs from its inputs."""
    if not inputs:
        raise _Unfit("it has no input that is a tensor")
    try:
        program = torch.export.export(module, inputs)
        functional = program.run_decompositions({})  # says what is written to
    except Exception as e:
        raise _Unfit(f"torch.export could not trace it: {reason(e)}") from e
    signature = functional.graph_signature
    changed = [*signature.buffers_to_mutate.values(), *signature.user_inputs_to_mutate.values()]
    if changed:
        raise _Unfit(f"it writes to its input {changed[0]}")
    for node in program.graph.nodes:
        if _draws(node):
            raise _Unfit(f"the operator {node.target} draws random numbers")
    return program


def _draws(node: torch.fx.Node) -> bool:
    """Whether a node draws random numbers. Dropout says by an argument whether it is at work, attention how much."""
    if torch.Tag.nondeterministic_seeded not in getattr(node.target, "tags", ()):
        return False
    arguments = node.target._schema.arguments
    given = {a.name: a.default_value for a in arguments if a.has_default_value()}
    given.update(zip([a.name for a in arguments], node.args, strict=False))
    given.update(node.kwargs)
    if "dropout_p" in given:
        return bool(given["dropout_p"] != 0)
    return bool(given.get("train", given.get("training", True)))


def _outputs(expected: Any, args: Sequence[Any]) -> tuple[list[int], dict[int, Any]]:
    """Return which outputs are tensors, and what the others are."""
    if not isinstance(expected, (tuple, list)):
        raise _Unfit(f"it returns {type(expected).__name__}, no list of tensors")
    tensors = [i for i, x in enumerate(expected) if isinstance(x, torch.Tensor)]
    given, made = _memory(args), _memory(expected)
    if not set(given).isdisjoint(made):
        raise _Unfit("an output is a view of an input")
    if len(set(made)) < len(made):
        raise _Unfit("two outputs share memory")
    if not tensors:
        raise _Unfit("it has no output that is a tensor")
    return tensors, {i: x for i, x in enumerate(expected) if not isinstance(x, torch.Tensor)}


def _memory(values: Iterable[Any]) -> list[int]:
    """Return where the memory of each tensor begins. Tensors without elements have none."""
    addresses = [x.untyped_storage().data_ptr() for x in values if isinstance(x, torch.Tensor)]
    return [a for a in addresses if a]


def _with_strides(x: torch.Tensor, strides: Sequence[int]) -> torch.Tensor:
    """Return a copy of a tensor with other strides. Where one is 0, as after expand, elements have one place."""
    copy = torch.empty_strided(x.shape, strides, dtype=x.dtype, device=x.device)
    places = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)
    copy[places].copy_(x[places])
    return copy


def _match(model: Model, inputs: int, outputs: int) -> None:
    if len(model.inputs) != inputs or len(model.outputs) != outputs:
        raise _Unfit(
            f"the exporter made {len(model.inputs)} of {inputs} inputs and {len(model.outputs)} of {outputs} outputs"
        )


def _compare(index: int, ours: torch.Tensor, theirs: torch.Tensor) -> None:
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        raise _Unfit(
            f"output {index} is {ours.dtype} {tuple(ours.shape)}, and eager mode has "
            f"{theirs.dtype} {tuple(theirs.shape)}"
        )
    if not theirs.dtype.is_floating_point:
        if not torch.equal(ours, theirs):
            raise _Unfit(f"output {index} differs from eager mode")
        return
    a, b = ours.double(), theirs.double()
    finite = torch.isfinite(b)
    same = torch.allclose(a[~finite], b[~finite], rtol=0, atol=0, equal_nan=True) and a[finite].isfinite().all()
    off = _largest((a - b)[finite])
    if not same or off > TOLERANCE * max(_largest(b[finite]), 1e-30):
        raise _Unfit(f"output {index} differs from eager mode by {off:.2g}")


def _largest(x: torch.Tensor) -> float:
    """Return the largest absolute value, 0 of no values."""
    return x.abs().max().item() if x.numel() else 0.0


def _is_static(node: torch.fx.Node) -> bool:
    """Whether a placeholder is a parameter or a buffer of a module."""
    return "_dynamo_static_input_type" in (node.meta.get("tensor_dict") or {})


def _is_symbolic(node: torch.fx.Node) -> bool:
    """Whether a placeholder is a number, or has a shape, that may differ from run to run."""
    value = node.meta.get("example_value")
    return any(isinstance(x, torch.SymInt) for x in _numbers(value))


def _numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, torch.Tensor):
        yield from value.shape
    else:
        yield value


_warned: set[str] = set()


def _warn(text: str) -> None:
    """Warn once of each text."""
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, FallbackWarning, stacklevel=3)
