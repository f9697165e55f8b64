"""Sentences of the command as Python says them: flags are arguments."""

import difflib
import json
import re

# What is quoted is a command and stays one. A list of extents is a dict, and other flags are arguments, with the value
# that follows them in quotes or as a number.
_FLAG = re.compile(
    r"""(?P<command>'wmtune [^']*')
    | (?<!\S)--dim\ (?P<dims>[^=\n"]+=\d+(?:,[^=\n"]+=\d+)*)
    | (?<!\S)--(?P<flag>[a-z][a-z-]*)(?P<value>\ (?=["\d]))?""",
    re.VERBOSE,
)

# Parameters of functions that are not flags of their commands.
_PARAMETERS = ["args", "dims", "progress", "strict"]


def in_python(sentence: str) -> str:
    """Return a sentence with arguments in the place of flags."""
    return _FLAG.sub(_argument, sentence)


def _argument(found: re.Match[str]) -> str:
    if found["command"]:
        return found[0]
    if found["dims"]:
        pairs = (part.rpartition("=") for part in found["dims"].split(","))
        return "dims={" + ", ".join(f"{json.dumps(name)}: {extent}" for name, _, extent in pairs) + "}"
    return ("dims" if found["flag"] == "dim" else found["flag"].replace("-", "_")) + "="


def meant(name: str, text: str) -> str:
    """Return ": did you mean x?" for the option that name may stand for, by the help text of a command, or ""."""
    flags = [flag.replace("-", "_") for flag in re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.MULTILINE)]
    close = difflib.get_close_matches(name, [*flags, *_PARAMETERS], 1)
    return f": did you mean {close[0]}?" if close else ""
