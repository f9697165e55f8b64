"""Runs the program and turns its answers into values and exceptions.

The program writes its progress to a terminal of its own. That terminal ends with this process, and ends the program
with it, so a Python process that is killed leaves nothing behind.
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import logging
import os
import pty
import re
import selectors
import signal
import struct
import subprocess
import termios
from collections.abc import Callable, Iterator, Sequence

from ._errors import Error, NothingFoundError, OptionError, UsageError
from ._native import environment, program
from ._sentences import in_python, meant

log = logging.getLogger("wmtune")

Show = Callable[[str], None]
"""Takes each new text of the progress line."""

_EXIT_CODES: dict[int, type[Error]] = {2: UsageError, 3: NothingFoundError}
_COLUMNS = 250
_GRACE = 5.0  # seconds that the program has to stop after the second Ctrl-C
_UNKNOWN = re.compile(r"unknown flag --([\w-]+)")
_LINE_BREAK = re.compile(r"\r\n|\r\x1b\[K|\n")

# A leader of a session that opens a terminal to read gets it as its own. The shell does that, and becomes the program.
# Under nohup the program would inherit that the end of its terminal counts for nothing. A shell cannot change that; env
# of coreutils 8.31 and later can.
_SHELL = """terminal=$1; shift
env --default-signal=HUP true 2>/dev/null && set -- env --default-signal=HUP --default-signal=INT "$@"
exec "$@" 2<>"$terminal"
"""


def run(args: Sequence[str], show: Show | None = None, cwd: str | None = None) -> str:
    """Run a command of the program and return what it prints to standard output.

    show gets the progress line whenever it changes. Raises UsageError, NothingFoundError or Error with the sentences of
    the command, and OptionError for an unknown flag. At Ctrl-C the program finishes the round under way and keeps it,
    then KeyboardInterrupt is raised; a second Ctrl-C stops the program at once.
    """
    with _terminal() as (master, name):
        process = subprocess.Popen(
            ["/bin/sh", "-c", _SHELL, "sh", name, program(), *args],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment(),
            cwd=cwd,
            start_new_session=True,
        )
        reader = _Reader(process, master, show)
        try:
            reader.read()
        except KeyboardInterrupt as interrupt:
            _stop(process, reader)
            interrupt.args = (in_python(_sentence(reader.said)) or "interrupted",)
            raise
        finally:
            _end(process)
    if process.returncode:
        raise _exception(args[0], process.returncode, reader.said)
    return reader.output.decode()


def check(args: Sequence[str]) -> None:
    """Raise the error that the flags of a command have, without carrying it out."""
    run([*args, "--help"])


@contextlib.contextmanager
def _terminal() -> Iterator[tuple[int, str]]:
    """Make a terminal; yield its master and the name of the other end."""
    master, slave = pty.openpty()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, _COLUMNS, 0, 0))
        yield master, os.ttyname(slave)
    finally:
        os.close(slave)
        os.close(master)


class _Reader:
    """Reads what a process prints until it ends."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int, show: Show | None) -> None:
        self.output = bytearray()
        self.said: list[str] = []  # lines that stay on the terminal
        self._process, self._terminal, self._show = process, terminal, show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def read(self) -> None:
        """Read until the process closes its standard output."""
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        with selectors.DefaultSelector() as ready:
            ready.register(pipe, selectors.EVENT_READ)
            ready.register(self._terminal, selectors.EVENT_READ)
            while True:
                for key, _ in ready.select():
                    data = os.read(key.fd, 1 << 16)
                    if key.fd == self._terminal:
                        self._take(data)
                    elif data:
                        self.output += data
                    else:
                        self._process.wait()
                        self._drain()
                        return

    def _drain(self) -> None:
        """Read what is left in the terminal after the process has ended."""
        os.set_blocking(self._terminal, False)
        with contextlib.suppress(BlockingIOError, OSError):
            while data := os.read(self._terminal, 1 << 16):
                self._take(data)
        if self._rest:
            self._say(self._rest)

    def _take(self, data: bytes) -> None:
        """Divide what came into lines that stay and the line that the next one replaces."""
        self._rest += self._decoder.decode(data)
        while found := _LINE_BREAK.search(self._rest):
            line, self._rest = self._rest[: found.start()], self._rest[found.end() :]
            if found.group() != "\r\x1b[K" and line:
                self._say(line)
        if self._rest and self._show is not None:
            self._show(self._rest)

    def _say(self, line: str) -> None:
        self.said.append(line)
        log.info("%s", line)


def _stop(process: subprocess.Popen[bytes], reader: _Reader) -> None:
    """Have the program finish its round; a second Ctrl-C has it stop."""
    process.send_signal(signal.SIGINT)
    try:
        reader.read()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Make sure that the program and its workers are gone."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _exception(verb: str, code: int, said: list[str]) -> Error:
    """Return the exception for the exit code of a command and the lines that it said."""
    sentence = _sentence(said)
    if found := _UNKNOWN.match(sentence):
        name = found[1].replace("-", "_")
        return OptionError(f"wmtune.{verb} has no option {name}{meant(name, run([verb, '--help']))}")
    ended = f"wmtune ended with exit code {code}" if code > 0 else f"wmtune was ended by signal {-code}"
    return _EXIT_CODES.get(code, Error)(in_python(sentence) or ended)


def _sentence(said: list[str]) -> str:
    """Return what the program said at its end, without its name; "" if it said nothing."""
    lines = [line for line in said if not line.startswith("usage: ")]
    at = max((i for i, line in enumerate(lines) if line.startswith("wmtune ")), default=0)
    return re.sub(r"^wmtune( [a-z]+)*: ", "", "\n".join(lines[at:]))
