"""`python -m wmtune ...` is the command `wmtune ...`."""

import os
import sys
from typing import NoReturn

from ._native import environment, program


def main() -> NoReturn:
    """Become the command: it gets the arguments, the terminal and the signals."""
    path = program()
    os.execve(path, [path, *sys.argv[1:]], environment())


if __name__ == "__main__":
    main()
