"""wmtune compiles ONNX and torch models to verified libraries for this processor, and runs them.

    import wmtune

    model = wmtune.compile("resnet18.onnx")
    y = model(x)

docs/manual/python.md shows more. `python -m wmtune` is the command.
"""

from ._arrays import empty
from ._bundle import Port
from ._compile import compile
from ._errors import (
    ClosedError,
    CopyWarning,
    Error,
    MissingFileError,
    NothingFoundError,
    OptionError,
    UsageError,
)
from ._model import Model, Outputs, load
from ._profile import Profile
from ._scorer import Scorer, Task
from ._search import SearchResult, search
from ._summary import Summary

__version__ = "0.1.0"

__all__ = [
    "ClosedError",
    "CopyWarning",
    "Error",
    "MissingFileError",
    "Model",
    "NothingFoundError",
    "OptionError",
    "Outputs",
    "Port",
    "Profile",
    "Scorer",
    "SearchResult",
    "Summary",
    "Task",
    "UsageError",
    "compile",
    "empty",
    "load",
    "search",
]
