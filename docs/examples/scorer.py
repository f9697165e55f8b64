#!/usr/bin/env python3
"""A scorer of your own for wmtune, with numpy: ridge regression on the features of candidates.

    wmtune search --workload matmul:m=512,n=512,k=512 --scorer "exec:python3 scorer.py"

wmtune starts this program and sends it messages (docs/manual/scorer-protocol.md). It learns from each round that was
measured, and ranks the candidates of the next one. Replace Ridge with what you like.
"""

import json
import struct
import sys

import numpy as np


class Ridge:
    """Predicts log(best cost / cost), which is 0 for the fastest program, from the features of a candidate."""

    def __init__(self, columns):
        self.x = np.zeros((0, columns))
        self.cost = np.zeros(0)
        self.weights = None

    def update(self, x, cost):
        self.x = np.vstack([self.x, x])
        self.cost = np.append(self.cost, cost)
        timed = np.isfinite(self.cost)
        if timed.sum() < 4:
            return
        # What failed counts as four times as slow as the slowest that did not.
        y = np.log(self.cost[timed].min() / np.where(timed, self.cost, 4 * self.cost[timed].max()))
        self.mean, self.scale = self.x.mean(axis=0), self.x.std(axis=0) + 1e-6
        z = (self.x - self.mean) / self.scale
        # n records have far fewer rows than there are columns: the dual form is n by n.
        self.weights = z.T @ np.linalg.solve(z @ z.T + 10 * np.eye(len(z)), y - y.mean())

    def score(self, x):
        if self.weights is None:  # the same for all: wmtune chooses at random
            return np.zeros(len(x))
        return np.nan_to_num((x - self.mean) / self.scale @ self.weights, nan=-np.inf)


class Refusal(Exception):
    """An error to answer."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Service:
    def __init__(self):
        self.models = {}
        self.opened = 0

    def task(self, request):
        number = request.get("task")
        if type(number) is not int:
            raise Refusal("bad_message", "the task is no number")
        if number not in self.models:
            raise Refusal("no_task", "no task %d is open" % number)
        return self.models[number]

    def features(self, items, blobs):
        if not isinstance(items, list):
            raise Refusal("bad_message", "there is no list of candidates")
        return np.frombuffer(blobs[0], "<f4").reshape(len(items), -1).astype(float) if items else np.zeros((0, 0))

    def hello(self, request, blobs):
        if 1 not in request.get("versions", []):
            raise Refusal("no_version", "this scorer speaks version 1 of the protocol")
        return {"version": 1, "server": "scorer.py", "scorer": "ridge", "untrained": True, "wants": ["features"]}, []

    def open(self, request, blobs):
        self.opened += 1
        self.models[self.opened] = Ridge(len(request["features"]))
        return {"task": self.opened}, []

    def score(self, request, blobs):
        model = self.task(request)
        x = self.features(request.get("candidates"), blobs)
        return {}, [model.score(x).astype("<f8").tobytes() if len(x) else b""]

    def update(self, request, blobs):
        model = self.task(request)
        records = request.get("records")
        x = self.features(records, blobs)
        costs = [min(r["costs_us"]) if r["status"] == "ok" else np.inf for r in records]
        if costs:
            model.update(x, costs)
        return {"learned": len(costs), "untrained": model.weights is None}, []

    def close(self, request, blobs):
        self.task(request)
        del self.models[request["task"]]
        return {}, []

    def cancel(self, request, blobs):
        return {"cancelled": False}, []  # each request is answered before the next is read

    messages = {"hello": hello, "open": open, "score": score, "update": update, "close": close, "cancel": cancel}

    def answer(self, request, blobs):
        do = self.messages.get(request.get("type"))
        try:
            if do is None:
                raise Refusal("unknown_type", "there is no message %r" % request.get("type"))
            return do(self, request, blobs)
        except Refusal as e:
            return {"error": {"code": e.code, "message": str(e)}}, []


def main():
    source, to = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # what is printed must not come among the answers
    service = Service()
    while head := source.read(16):
        size, count, number = struct.unpack("<IIQ", head)
        lengths = struct.unpack("<%dQ" % count, source.read(8 * count))
        request = json.loads(source.read(size))
        header, blobs = service.answer(request, [source.read(n) for n in lengths])
        text = json.dumps(header).encode()
        to.write(struct.pack("<IIQ%dQ" % len(blobs), len(text), len(blobs), number, *map(len, blobs)))
        to.write(text + b"".join(blobs))
        to.flush()


main()
