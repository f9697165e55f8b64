#!/usr/bin/env python3
"""A client of wmtune's scorer protocol (docs/manual/scorer-protocol.md): the standard library, and nothing else.

    import scorer_client
    with scorer_client.Scorer("wmtune serve-scorer") as scorer:
        task = scorer.open("matmul:m=512,n=512,k=512")
        scores = scorer.score(task, [[["AN", 2, 0, 3]], ...])     # one number a candidate; higher is faster

As a program it is a conformance test of any scorer, wmtune's or your own:

    python3 scorer_client.py "wmtune serve-scorer"
"""

import json
import math
import struct
import subprocess
import sys


class ScorerError(Exception):
    """An error that the scorer answered; code says which (docs/manual/scorer-protocol.md)."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def write_frame(to, number, header, blobs=()):
    """Send a message: a JSON object, and blobs of bytes."""
    text = json.dumps(header).encode()
    to.write(struct.pack("<IIQ", len(text), len(blobs), number))
    to.write(b"".join(struct.pack("<Q", len(blob)) for blob in blobs))
    to.write(text)
    for blob in blobs:
        to.write(blob)
    to.flush()


def read_frame(source):
    """Receive a message: its number, its JSON object, and its blobs. None at the end."""

    def exactly(n):
        data = source.read(n)
        if len(data) < n:
            raise EOFError("the message is cut off")
        return data

    head = source.read(16)
    if not head:
        return None
    if len(head) < 16:
        raise EOFError("the message is cut off")
    size, count, number = struct.unpack("<IIQ", head)
    lengths = struct.unpack("<%dQ" % count, exactly(8 * count))
    header = json.loads(exactly(size))
    return number, header, [exactly(n) for n in lengths]


class Scorer:
    """A scorer in a process of its own."""

    def __init__(self, command, client="scorer_client.py"):
        self.process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.notes = []
        try:
            self.hello = self.ask({"type": "hello", "versions": [1], "client": client})[0]
        except BaseException:
            self.kill()
            raise

    def send(self, header, *blobs):
        """Send a request, and return its number."""
        self.number += 1
        write_frame(self.process.stdin, self.number, header, blobs)
        return self.number

    def receive(self):
        """Receive an answer: its number, its header and its blobs."""
        answer = read_frame(self.process.stdout)
        if answer is None:
            raise EOFError("the scorer ended with exit code %d" % self.process.wait())
        self.notes += answer[1].get("notes", [])
        return answer

    def ask(self, header, *blobs):
        """Send a request, and return the header and the blobs of its answer. An error in it is raised."""
        number = self.send(header, *blobs)
        got, answer, outputs = self.receive()
        if got != number:
            raise ValueError("the answer to request %d has the number %d" % (number, got))
        if "error" in answer:
            raise ScorerError(answer["error"]["code"], answer["error"]["message"])
        return answer, outputs

    def open(self, workload, target=None, **more):
        """Open a task: a SPEC, or the text of a workload file. Return its number."""
        request = {"type": "open", "workload": workload, **more}
        if target is not None:
            request["target"] = target
        return self.ask(request)[0]["task"]

    def score(self, task, candidates, *blobs):
        """Return one number for each list of steps; higher is faster, -inf is impossible."""
        _, outputs = self.ask({"type": "score", "task": task, "candidates": candidates}, *blobs)
        return struct.unpack("<%dd" % len(candidates), outputs[0])

    def update(self, task, records, *blobs):
        """Let the scorer learn from measured records."""
        return self.ask({"type": "update", "task": task, "records": records}, *blobs)[0]

    def explain(self, task, candidate, beside=(), nearest=5):
        """Return what the score of a candidate is made of."""
        return self.ask({"type": "explain", "task": task, "candidate": candidate, "beside": list(beside),
                         "nearest": nearest})[0]

    def close_task(self, task):
        self.ask({"type": "close", "task": task})

    def close(self):
        """End the scorer, and return its exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout=30)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


WORKLOAD = "matmul:m=64,n=64,k=64"


def tile(n):
    """A candidate: the rows of the product in tiles of n."""
    return [["SP", 2, 0, 64, [n], 1], ["SP", 2, 2, 64, [8], 1], ["RE", 2, [0, 2, 4, 1, 3]], ["AN", 2, 0, 3]]


def conformance(command):
    """Check what every scorer must do. Yield a line for each check."""
    target = {"kind": "llvm", "cpu": "znver3", "features": ["avx2", "fma"], "cores": 2, "vector_bytes": 32,
              "vector_registers": 16, "cache_line_bytes": 64}

    def refused(code, header):
        try:
            scorer.ask(header)
        except ScorerError as e:
            assert e.code == code and str(e), (header, e.code, str(e))
            return
        raise AssertionError("%r is not refused" % header)

    with Scorer(command) as scorer:
        assert scorer.hello["version"] == 1, scorer.hello
        yield "hello: version 1, %s" % scorer.hello.get("scorer", "a scorer without a name")
        wants = scorer.hello.get("wants", [])
        names = ["column%d" % i for i in range(5)]
        more = {"features": names} if "features" in wants else {}

        def blobs(n):
            return [struct.pack("<%df" % (5 * n), *range(5 * n))] if "features" in wants else []

        task = scorer.open(WORKLOAD, target, dag="", a_field_of_the_future=[1], **more)
        yield "open: unknown fields are ignored"
        candidates = [tile(n) for n in (1, 2, 4, 8, 16)]
        scores = scorer.score(task, candidates, *blobs(5))
        assert len(scores) == 5 and not any(math.isnan(s) for s in scores), scores
        assert any(math.isfinite(s) for s in scores), scores
        yield "score: a number for each candidate"
        assert scorer.score(task, [], *blobs(0)) == ()
        yield "score: of no candidates"
        records = [{"steps": c, "status": "ok", "costs_us": [10.0 + i, 11.0 + i]} for i, c in enumerate(candidates)]
        records.append({"steps": tile(32), "status": "run timeout", "message": "after 10 s"})
        assert "error" not in scorer.update(task, records, *blobs(6))
        assert len(scorer.score(task, candidates, *blobs(5))) == 5
        yield "update: failures are records, too"
        if scorer.hello.get("explains"):
            why = scorer.explain(task, candidates[2], candidates)
            assert math.isfinite(why["score"]) and why["of"] == 5 and len(why["nearest"]) == 4, why
            yield "explain: a score, and the nearest candidates"
        refused("unknown_type", {"type": "tell_fortune"})
        refused("no_task", {"type": "score", "task": task + 1000, "candidates": []})
        refused("bad_message", {"type": "score", "task": "first", "candidates": 7})
        yield "errors: answered, and the next request is carried out"
        number = scorer.send({"type": "cancel", "request": 10 ** 9})
        got, answer, _ = scorer.receive()
        assert got == number and answer.get("cancelled") is False, answer
        yield "cancel: of a request that is not there"
        scorer.close_task(task)
        refused("no_task", {"type": "score", "task": task, "candidates": []})
        yield "close: the task is gone"
        other = scorer.open(WORKLOAD, target, **more)
        assert len(scorer.score(other, candidates[:1], *blobs(1))) == 1
        assert scorer.close() == 0
        yield "the end of the input: exit code 0"

    for versions in ([], [999]):
        process = subprocess.Popen(command, shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        write_frame(process.stdin, 1, {"type": "hello", "versions": versions})
        number, answer, _ = read_frame(process.stdout)
        process.stdin.close()
        process.wait(timeout=30)
        assert number == 1 and answer["error"]["code"] == "no_version", answer
    yield "hello: an unknown version is refused"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for line in conformance(sys.argv[1]):
        print("ok ", line, flush=True)
