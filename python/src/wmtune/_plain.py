"""Values of TVM as JSON has them."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """Return a value of TVM as JSON has it."""
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return str(value)
    if hasattr(value, "items"):
        return {str(k): plain(v) for k, v in value.items()}
    if hasattr(value, "value"):  # an IntImm
        return value.value
    return [plain(v) for v in value]
