"""The tag of the wheel: any Python 3, because nothing is compiled against it, on Linux x86-64."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The binary needs no versioned symbol of glibc; 2.17 is the oldest for which its library libLLVM is made.
TAG = "py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64"


class WheelTag(BuildHookInterface):  # type: ignore[type-arg]
    """Tells hatchling that the wheel holds a program for one platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it builds the wheel."""
        build_data["pure_python"] = False
        build_data["tag"] = TAG
