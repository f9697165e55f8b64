"""Modules and tensors of torch, and torch.compile(backend="wmtune")."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from models import dense_of

import wmtune

torch = pytest.importorskip("torch", reason="SKIPPED: nobody tests what wmtune does with torch")
pytest.importorskip("onnxscript")

from wmtune import torch_backend  # noqa: E402

OPTIONS = {"threads": 2}


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Each test compiles its own graphs and gets its own warnings, and no warning goes unseen."""
    torch._dynamo.reset()
    torch_backend._warned.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("error", torch_backend.FallbackWarning)
        yield


def small() -> Any:
    """Return a module with weights, a buffer and a shape in its outputs."""

    class Small(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)
            self.norm = torch.nn.BatchNorm2d(4)
            self.linear = torch.nn.Linear(4 * 6 * 6, 5)
            self.dropout = torch.nn.Dropout()

        def forward(self, x: Any) -> Any:
            return self.linear(self.dropout(torch.relu(self.norm(self.conv(x))).flatten(1)))

    torch.manual_seed(0)
    return Small().eval()


def compiled(module: Any, **options: Any) -> Any:
    """Return the module with our backend."""
    return torch.compile(module, backend="wmtune", options={**OPTIONS, **options})


def test_tensors(opened: Callable[..., wmtune.Model]) -> None:
    """Tensors in, tensors out; a tensor and an array in, tensors out."""
    model = opened("dense")
    x = torch.randn(4, 8)
    y = model(x)
    assert isinstance(y, torch.Tensor)
    np.testing.assert_allclose(y.numpy(), dense_of(x.numpy()), rtol=1e-5, atol=1e-6)
    kept = torch.empty(4, 3)
    assert model(x.numpy(), out=kept) is kept
    assert torch.equal(kept, y)
    with pytest.warns(wmtune.CopyWarning, match="not contiguous"):
        assert torch.equal(model(x.T.contiguous().T), y)
    for bad, text in [(x.double(), "float64"), (x.T, "shape"), (x.to("meta"), "is on meta")]:
        with pytest.raises(wmtune.UsageError, match="input x.*" + text):
            model(bad)
    with pytest.raises(wmtune.UsageError, match="output y"):
        model(x, out=torch.empty(3, 4).T)
    negated = opened("bfloat16")(torch.tensor([1.0, -2, 0, 3], dtype=torch.bfloat16))
    assert negated.tolist() == [-1, 2, 0, -3]


def test_odd_tensors(opened: Callable[..., wmtune.Model]) -> None:
    """Outputs are on the processor whatever the default device is; views of negated elements are read as such."""
    model = opened("dense")
    x = torch.ones(4, 8)
    with torch.device("meta"):
        y = model(x)
    assert y.device.type == "cpu"
    np.testing.assert_allclose(y.numpy(), dense_of(x.numpy()), rtol=1e-5, atol=1e-6)
    with pytest.warns(UserWarning, match="negated"):
        y = model(torch._neg_view(x))
    np.testing.assert_allclose(y.numpy(), dense_of(-x.numpy()), rtol=1e-5, atol=1e-6)
    for sparse in (x.to_sparse(), x.to_sparse_csr()):
        with pytest.raises(wmtune.UsageError, match=r"input x: the tensor is sparse, .*to_dense"):
            model(sparse)
        with pytest.raises(wmtune.UsageError, match=r"output y: the tensor is sparse"):
            model(x, out=torch.zeros(4, 3).to_sparse())


def test_module() -> None:
    """A module and example inputs are compiled."""
    module, x = small(), torch.randn(2, 3, 6, 6)
    model = wmtune.compile(module, args=(x,))
    with torch.no_grad():
        torch.testing.assert_close(model(x), module(x), rtol=1e-5, atol=1e-5)
    with pytest.raises(wmtune.UsageError, match=r"args=\(x,\)"):
        wmtune.compile(module)
    for args in (x, {"x": x}):
        with pytest.raises(wmtune.UsageError, match=r"args=\(x,\), not"):
            wmtune.compile(module, args=args)  # type: ignore[arg-type]
    with pytest.raises(wmtune.UsageError, match=r"in training mode: call module\.eval\(\)"):
        wmtune.compile(module.train(), args=(x,))


def test_backend() -> None:
    """The entry point is found by its name, and changed weights are noticed."""
    module, x = small(), torch.randn(2, 3, 6, 6)
    fast = compiled(module)
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-5)
        module.linear.weight.mul_(2)
        torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-5)


def test_data() -> None:
    """A weight that a program changes behind torch's back is noticed: one that is averaged, scaled, or permuted."""
    module, other, x = small(), small(), torch.randn(2, 3, 6, 6)
    module.conv.weight.data = module.conv.weight.data.contiguous(memory_format=torch.channels_last)
    fast = compiled(module)
    with torch.no_grad():
        fast(x)
        version = module.linear.weight._version
        for p, q in zip(module.parameters(), other.parameters(), strict=True):
            q.mul_(3)
            p.data.copy_(0.5 * q.data + 0.5 * p.data)
        assert module.linear.weight._version == version
        torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-5)
        module.conv.weight.data.mul_(2)
        torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-5)
        weight = module.linear.weight
        weight.data[0, 1] = 100  # one element of 720, which is not looked at
        torch.compiler.reset()
        torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "x",
    [
        torch.zeros(0),
        torch.tensor(2.0),
        torch.zeros(1).expand(1000),
        torch.arange(100.0).reshape(10, 10)[2:, :5],
        torch.ones(40, dtype=torch.complex128),
        torch.ones(40, dtype=torch.bool),
        torch.ones(40, dtype=torch.bfloat16).requires_grad_(),
    ],
)
def test_weight(x: Any) -> None:
    """A weight of any form is itself until its first element changes, and no other tensor is it."""
    weight = torch_backend._Weight(x)
    assert weight.is_still(x)
    if x.numel():
        assert not weight.is_still(x.clone())
        x.data.view(-1)[:1].logical_not_() if x.is_contiguous() else x.data[:1].add_(1)
        assert not weight.is_still(x)


def test_inference_mode() -> None:
    """A module that was built under inference mode is compiled, and its changed weights are noticed."""
    with torch.inference_mode():
        module, x = small(), torch.randn(2, 3, 6, 6)
        assert module.linear.weight.is_inference()
        fast = compiled(module)
        torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-5)
        module.linear.weight.mul_(2)
        torch.testing.assert_close(fast(x), module(x), rtol=1e-5, atol=1e-5)


def test_shapes() -> None:
    """A graph is compiled for each shape that it meets."""
    fast = compiled(lambda x: (torch.softmax(x, -1), x.shape[0]))
    with torch.no_grad():
        for n in (3, 5, 7, 5):
            x = torch.randn(n, 4)
            y, rows = fast(x)
            torch.testing.assert_close(y, torch.softmax(x, -1))
            assert rows == n


def attention(x: Any, dropout: float = 0.0) -> Any:
    """Attend to rows by themselves."""
    heads = x.reshape(1, 1, *x.shape)
    return torch.nn.functional.scaled_dot_product_attention(heads, heads, heads, dropout_p=dropout)


def test_attention() -> None:
    """Attention draws no random numbers unless it is asked to."""
    fast, x = compiled(attention), torch.randn(8, 16)
    with torch.no_grad():
        torch.testing.assert_close(fast(x), attention(x), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda x: torch.rand_like(x) + x, "aten.rand_like.default draws random numbers"),
        (lambda x: torch.nn.functional.dropout(x, 0.5, training=True), "aten.dropout.default draws random numbers"),
        (lambda x: attention(x, 0.5), "scaled_dot_product_attention.default draws random numbers"),
        (lambda x: x.add_(1) * 2, "writes to its input"),
        (lambda x: (x + 1, x.T), "an output is a view of an input"),
        (lambda x: (lambda y: (y, y[0]))(x * 2), "two outputs share memory"),
        (lambda x: torch.linalg.eigvals(x + 1), "linalg_eig"),
    ],
)
def test_fallback(function: Callable[[Any], Any], text: str) -> None:
    """What cannot be compiled runs in eager mode, with one warning that says why."""
    fast, x = compiled(function), torch.eye(3)
    with torch.no_grad():
        with pytest.warns(torch_backend.FallbackWarning, match=text) as caught:
            y = fast(x.clone())
        assert len([w for w in caught if w.category is torch_backend.FallbackWarning]) == 1
        if "random" not in text:
            torch.testing.assert_close(y, function(x.clone()))
        fast(x.clone())


def test_shared_memory() -> None:
    """What a program writes to one of two outputs with one memory is seen in the other."""

    def program(x: Any) -> Any:
        y = x * 2
        whole = y.view(-1)
        torch._dynamo.graph_break()
        y.add_(100)
        return whole

    x = torch.ones(2, 2)
    with torch.no_grad(), warnings.catch_warnings(record=True) as caught:  # the second graph writes to its input
        warnings.simplefilter("always")
        assert torch.equal(compiled(program)(x), program(x))
    assert any("two outputs share memory" in str(w.message) for w in caught)
    nothing = x[:0] * 2  # has the address 0 in common with other tensors without elements
    assert torch_backend._outputs([nothing, nothing + 1], [nothing * 2]) == ([0, 1], {})


def test_strides() -> None:
    """Outputs have the strides of eager mode, by which programs make views."""
    functions: list[Callable[[Any], Any]] = [
        lambda x: x.t() * 2,
        lambda x: (x + 1, x.shape, (x * 2).t()),
        lambda x: (x * 2)[:, 1:],
        lambda x: x.sum(0).expand(5, 4),
        lambda x: (x * 2).unfold(1, 2, 1),
    ]
    for function in functions:
        fast, x = compiled(function), torch.randn(3, 4)
        with torch.no_grad():
            for _ in range(2):
                ours, theirs = fast(x), function(x)
                if not isinstance(ours, tuple):
                    ours, theirs = (ours,), (theirs,)
                for y, z in zip(ours, theirs, strict=True):
                    if isinstance(z, torch.Tensor):
                        torch.testing.assert_close(y, z)
                        assert y.stride() == z.stride()


def test_nothing_finite() -> None:
    """A graph whose first results are all NaN or infinite is compiled like any other."""
    functions: list[Callable[[Any], Any]] = [lambda x: x / x, lambda x: 1 / x]
    for function in functions:
        fast, x = compiled(function), torch.zeros(4)
        with torch.no_grad():
            torch.testing.assert_close(fast(x), function(x), equal_nan=True)
            torch.testing.assert_close(fast(x + 2), function(x + 2))


def test_parameters() -> None:
    """Parameters that require gradients are no obstacle: the library runs; outputs require them as in eager mode."""
    module, x = small(), torch.randn(2, 3, 6, 6)
    for p in module.conv.parameters():
        p.requires_grad_(False)
    programs: list[Callable[[Any], Any]] = [
        module,
        lambda x: (module(x), x * 2, (module(x) > 0), x.shape[0]),
        torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(108, 4)),
    ]
    for program in programs:
        fast = compiled(program, fallback=False)
        for _ in range(2):
            ours, theirs = fast(x), program(x)
            if not isinstance(ours, tuple):
                ours, theirs = (ours,), (theirs,)
            for y, z in zip(ours, theirs, strict=True):
                if isinstance(z, torch.Tensor):
                    torch.testing.assert_close(y, z, rtol=1e-5, atol=1e-5)
                    assert y.requires_grad == z.requires_grad
                else:
                    assert y == z


def test_gradients() -> None:
    """A program that asks for gradients gets those of eager mode, and the graph stays in eager mode."""
    module, other, x = small(), small(), torch.randn(2, 3, 6, 6)
    fast = compiled(module)
    y = fast(x)
    with pytest.warns(torch_backend.FallbackWarning, match="needs gradients") as caught:
        (y * y).sum().backward()
    assert len(caught) == 1
    z = other(x)
    (z * z).sum().backward()
    for p, q in zip(module.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(p.grad, q.grad, rtol=1e-4, atol=1e-4)
    with torch.no_grad():
        for p in module.parameters():
            p.sub_(0.1)
    torch.testing.assert_close(fast(x), module(x), rtol=0, atol=0)  # eager mode itself


def test_gradients_of_inputs() -> None:
    """A graph whose input requires gradients runs in eager mode and has them."""
    module, x = small(), torch.randn(2, 3, 6, 6, requires_grad=True)
    with pytest.warns(torch_backend.FallbackWarning, match="needs gradients"):
        compiled(module)(x).sum().backward()
    assert x.grad is not None
    torch._dynamo.reset()
    with pytest.raises(RuntimeError, match="would run in eager mode, and fallback is False: it needs gradients"):
        compiled(module, fallback=False)(x)
    y = compiled(module, fallback=False)(x.detach())
    with pytest.raises(wmtune.Error, match="fallback is False"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"trails": 3}, "wmtune.compile has no option trails: did you mean trials?"),
        ({"scorrer": "random"}, "did you mean scorer?"),
        ({"fallbacks": False}, "wmtune.compile has no option fallbacks"),
        ({"fallback": "no"}, "fallback is True or False, not 'no'"),
        ({"seed": "x"}, 'seed="x": must be a whole number'),
        ({"seed": object()}, "seed is a number, a text or a path"),
        ({"scorer": "nobody"}, "unknown scorer"),
        ({"threads": -1}, "threads"),
    ],
)
def test_wrong_options(options: dict[str, Any], text: str) -> None:
    """A wrong option is an error, and nothing runs in eager mode."""
    with torch.no_grad(), pytest.raises(RuntimeError, match=re.escape(text)):
        torch.compile(small(), backend="wmtune", options=options)(torch.randn(2, 3, 6, 6))


def test_mode() -> None:
    """A mode, which is of torch's own backend, is an error that says what there is instead."""
    with torch.no_grad():
        for mode in ("max-autotune", "reduce-overhead"):
            with pytest.raises(RuntimeError, match=f"no mode '{mode}'.*trials"):
                torch.compile(small(), backend="wmtune", mode=mode)(torch.randn(2, 3, 6, 6))
        torch.compile(lambda x: x * 2, backend="wmtune", mode="default")(torch.ones(3))


def test_no_fallback() -> None:
    """With fallback=False a graph that cannot be compiled is an error."""
    with torch.no_grad(), pytest.raises(RuntimeError, match="fallback is False: it writes to its input"):
        compiled(lambda x: x.add_(1) * 2, fallback=False)(torch.ones(3))


def test_compare() -> None:
    """Whole numbers are those of eager mode, and so are infinities and NaNs; floats differ by rounding only."""

    def fits(ours: list[Any], theirs: list[Any]) -> bool:
        try:
            torch_backend._compare(0, torch.tensor(ours), torch.tensor(theirs))
        except torch_backend._Unfit:
            return False
        return True

    inf, nan = float("inf"), float("nan")
    assert fits([1.0, inf, -inf, nan], [1.0001, inf, -inf, nan])
    assert not fits([1.0, inf], [1.0, -inf])
    assert not fits([1.0, nan], [1.0, inf])
    assert not fits([1.0, inf], [1.0, 2.0])
    assert not fits([1.0], [1.1])
    assert fits([5000, 1], [5000, 1])
    assert not fits([5000, 1], [5000, 2])
