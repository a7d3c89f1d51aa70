"""Programs of strands (Diderot) from Python: worlds that run in the service, between NumPy's arrays.

    roots = ricci.strands('''#version 2.0
    input int n;
    strand root(int i) {
      output real r = real(i);
      update { r = 0.5 * (r + real(i) / r);  if (|r^2 - real(i)| < 0.001) { stabilize; } }
    }
    create_array { root(i) | i in 1 .. n }''')
    world = roots(n=4)
    world.run()
    world["r"]                       # array([1., 1.41…, 1.73…, 2.], dtype=float32)
"""

import os
import sys
import tempfile
import weakref
from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy as np

from . import arrays, remote, service
from .image import Image
from .errors import ArgumentError, ArgumentTypeError, ServiceError

if TYPE_CHECKING:
    from .options import Options
    from .program import Program


class Results(Dict[str, np.ndarray]):
    """Arrays by the names of outputs, which are attributes, too, where Python has such names."""

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no output {name!r}; there is {', '.join(self)}") from None


class Strands:
    """A program of strands. Called with its inputs it makes a world; ``run`` runs one to its end."""

    def __init__(self, program: "Program", fields: Dict[str, Any]):
        self.program = program
        self.name: str = fields["name"]
        self.inputs: Dict[str, Dict[str, Any]] = {i["name"]: i for i in fields["inputs"]}
        self.outputs: List[str] = fields["outputs"]
        self.declarations: List[Dict[str, str]] = fields["declarations"]
        self.native: bool = fields["manner"]["native"]  # a kernel runs them; else the evaluator does, slowly
        self.why_not_native: str = fields["manner"].get("why", "")

    def __call__(self, **inputs: Any) -> "World":
        """A world: globals are initialised, and strands are created."""
        return World(self, inputs)

    def run(self, **inputs: Any) -> Results:
        """The outputs of a world that ran until no strand was active."""
        with self(**inputs) as world:
            world.run()
            return world.outputs()

    @property
    def options(self) -> "Options":
        """How kernels are compiled."""
        return self.program.options

    def __repr__(self) -> str:
        lines = [f"{i['type']} {n}" + ("" if i["required"] else " (has a default)") + (f": {i['doc']}" if i.get("doc") else "") for n, i in self.inputs.items()]
        return "\n".join([f"<strands {self.name} with the outputs {', '.join(self.outputs)}", *("  input " + x for x in lines)]) + ">"


class World:
    """A run of strands, between two super-steps. It ends with the object, or by ``close``."""

    def __init__(self, strands: Strands, inputs: Dict[str, Any]):
        self.strands = strands
        self.printed = ""  # what the program has printed so far
        source = strands.program._source
        with remote.Arrays() as files:
            given = {n: _encode(n, x, strands.inputs.get(n), files) for n, x in inputs.items()}
            request = {"program": source, "inputs": given, "super_steps": not strands.native, "options": strands.options.for_service()}
            self._service, answer = service.ask_and_keep("world", request)
        self._number = answer["world"]
        self._take(answer)
        self._closing = weakref.finalize(self, _close, self._service, self._number)
        self._closing.atexit = False

    def step(self, count: int = 1) -> "World":
        """Runs so many super-steps, fewer where no strand is active any more."""
        if count < 1:
            raise ArgumentError(f"{count} is no number of super-steps")
        return self._advance(int(count))

    def run(self, limit: int = 0) -> "World":
        """Runs until no strand is active, or so many super-steps were run in all. Ctrl-C ends it between two steps."""
        if limit and limit <= self.steps:
            return self
        return self._advance(int(limit - self.steps) if limit else 0)

    def _advance(self, steps: int) -> "World":
        answer = self._ask("advance", keep=True, steps=steps)
        self._take(answer)
        if "interrupted" in answer:
            raise KeyboardInterrupt
        return self

    def outputs(self) -> Results:
        """The results: of an array of strands those of all, of a collection those of the strands that are stable."""
        return self._arrays(states=False)

    def snapshot(self) -> Results:
        """The states of all strands that are alive, as they are now."""
        return self._arrays(states=True)

    def __getitem__(self, name: str) -> np.ndarray:
        found = self.outputs()
        if name not in found:
            raise KeyError(f"there is no output {name!r}; there is {', '.join(self.strands.outputs)}")
        return found[name]

    def close(self) -> None:
        """Gives up the strands. Results that were taken stay."""
        if self._closing.detach() is not None:
            self._take(self._ask("close"))

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._closing.detach() is not None:
            _close(self._service, self._number)

    def __repr__(self) -> str:
        return f"<world of {self.strands.name}: step {self.steps}, {self.active} active, {self.stable} stable>"

    def _ask(self, method: str, keep: bool = False, **params: Any) -> Dict[str, Any]:
        if not self._closing.alive and method != "close":
            raise ArgumentError(f"the world of {self.strands.name} is closed")
        if self._service.ended or not service.is_current(self._service):
            raise ServiceError("the service in which this world ran has ended, or belongs to another process: worlds do not outlive it")
        return self._service.ask(method, {"world": self._number, **params}, keep=keep)

    def _take(self, answer: Dict[str, Any]) -> None:
        self.steps: int = answer["steps"]
        self.active: int = answer["active"]
        self.stable: int = answer["stable"]
        if answer["printed"]:
            self.printed += answer["printed"]
            sys.stdout.write(answer["printed"])

    def _arrays(self, states: bool) -> Results:
        with tempfile.TemporaryDirectory(dir=remote.memory(), prefix="ricci-") as directory:
            places = {n: os.path.join(directory, f"{k}.npy") for k, n in enumerate(self.strands.outputs)}
            answer = self._ask("outputs", states=states, outputs={n: {"path": p} for n, p in places.items()})
            self._take(answer)
            return Results((n, np.load(places[n])) for n in self.strands.outputs if n in answer["outputs"])


def _close(running: Any, number: int) -> None:
    """Ends a world without waiting for it."""
    if not running.ended and service.is_current(running):
        running.tell("close", {"world": number})


def _encode(name: str, x: Any, declared: Optional[Dict[str, Any]], files: remote.Arrays) -> Dict[str, Any]:
    """An input as a member of a request (docs/serve.md)."""
    is_text = declared is not None and declared["type"] == "string"
    if isinstance(x, (str, os.PathLike)):
        if is_text and isinstance(x, str):
            return {"text": x}
        if isinstance(x, str) and declared is not None and declared["type"] in ("int", "real", "bool"):
            raise ArgumentTypeError(f"the input {name} is the text {x!r:.40}, and the program takes a number of the type {declared['type']}")
        return {"path": os.path.abspath(os.fspath(x))}
    places: Dict[str, Any] = {}
    if isinstance(x, Image):
        x, places = x.array, x.places()
    if x is None or is_text:
        raise ArgumentTypeError(f"the input {name} is a {type(x).__name__}" + (", and the program takes a string" if is_text else ""))
    if isinstance(x, (bool, int, float, list, tuple, np.generic)):
        try:
            x = np.asarray(x)
        except ValueError:  # lists of several lengths
            raise ArgumentError(f"the input {name} is a list of lists of several lengths") from None
        if x.dtype == object:
            raise ArgumentError(f"the input {name} has numbers that no type has, or is a list of something else than numbers: {str(x)[:60]}")
    return {**files.encode(arrays.adopt(x, name)), **places}
