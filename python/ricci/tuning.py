"""Searches for faster schedules, in the service, and files of what they found."""

import json
import math
import os
import tempfile
import time
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import places, service
from .arrays import View
from .errors import ArgumentError, ArgumentTypeError, Error
from .progress import Progress

if TYPE_CHECKING:
    from .function import Function, Layout
    from .kernel import Kernel
    from .signature import Arguments

_KEPT = 5  # schedules of a layout in a file


class Tuned:
    """What a search found: the seconds of a call by the default schedule and by the best one, and that as text."""

    def __init__(self, layout: str, answer: Dict[str, Any]):
        self.layout = layout
        self.is_faster: bool = bool(answer.get("tuned"))  # than the default one, and kept in the cache
        self.default: Optional[float] = answer.get("default")
        self.seconds: Optional[float] = answer.get("seconds")
        self.tried: int = (answer.get("evaluated") or 0) + (answer.get("earlier") or 0)
        self.schedule: str = answer.get("schedule") or ""
        self.stopped: str = answer.get("stopped") or ""  # why the search ended

    def __repr__(self) -> str:
        tried = f"{self.tried} schedules tried, {self.stopped}"
        if not self.is_faster or not self.default or not self.seconds:
            return f"{self.layout}: the default schedule stays ({tried})"
        return f"{self.layout}: {_time(self.seconds)} instead of {_time(self.default)}, {self.default / self.seconds:.2f} times as fast ({tried})"


def tune(f: "Function", found: "Layout", seconds: float) -> Tuned:
    """Searches for so long; what is found stays in the cache, for this process and others."""
    if not isinstance(seconds, (int, float)) or not seconds > 0:
        raise ArgumentError(f"seconds is {seconds!r}; a search takes more than none")
    with Progress(f"tuning {found.text}", delay=0) as progress:

        def event(e: Dict[str, Any]) -> None:
            best, default = e.get("seconds"), e.get("default")
            gain = f", {_time(best)} instead of {_time(default)}" if best and default else ""
            progress.say(f"tuning {f.__name__}: {e.get('evaluations', 0)} schedules in {e.get('elapsed', 0):.0f} of {seconds:.0f} s{gain}")

        answer = service.ask("tune", {**found.request, "seconds": seconds}, event, keep=True)
    f.forget_kernels()
    result = Tuned(found.text, answer)
    if result.is_faster and result.seconds:
        f.schedules.setdefault(found.text, {})[result.schedule] = result.seconds
    return result


class Best(NamedTuple):
    """A schedule of a file, for a layout of arguments."""

    layout: str
    schedule: str
    seconds: float


def save(path: Any, *functions: "Function") -> int:
    """Writes the schedules that ``tune`` has found for functions in this process, the best five of each
    layout, to a file that ``Options.load`` reads, here or elsewhere; returns how many."""
    rows: List[Best] = []
    for f in functions:
        if not hasattr(f, "schedules"):
            raise ArgumentTypeError(f"{f!r:.60} is no function of Ricci")
        for layout, found in f.schedules.items():
            best = sorted(found.items(), key=lambda row: row[1])[:_KEPT]
            rows += [Best(layout, schedule, seconds) for schedule, seconds in best]
    text = json.dumps({"ricci": "schedules", "schedules": [r._asdict() for r in rows]}, indent=1)
    directory = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=directory, delete=False, encoding="utf-8") as f:
        f.write(text + "\n")
    os.replace(f.name, path)
    return len(rows)


def load(path: Any) -> Tuple[Best, ...]:
    """Reads a file of schedules."""
    with open(path, encoding="utf-8") as f:
        try:
            data = json.load(f)
            if data["ricci"] != "schedules":
                raise KeyError("ricci")
            return tuple(Best(str(r["layout"]), str(r["schedule"]), float(r["seconds"])) for r in data["schedules"])
        except (ValueError, KeyError, TypeError) as e:
            raise ArgumentError(f"{path} is no file of schedules that ricci.save_schedules wrote: {e!r}") from None


def choose(f: "Function", found: "Arguments", schedules: Sequence[str]) -> Optional["Kernel"]:
    """The fastest kernel of some schedules, measured here where there are several; None where none fits."""
    kernels = []
    for schedule in schedules:
        try:
            kernels.append(f._ask_for_kernel(found, schedule))
        except Error as e:
            places.notice(f"a schedule for {f._signature.layout(found)} is left out: {str(e).splitlines()[0]}")
    if len(kernels) < 2 or found.stream is not None:  # nobody waits for calls on a card, so that they cannot be measured
        return kernels[0] if kernels else None
    return min(kernels, key=lambda kernel: _measured(f, kernel, found))


def _measured(f: "Function", kernel: "Kernel", found: "Arguments") -> float:
    """The least time of some calls, into copies of what a call would change."""
    copies = [None if v is None else View(v.array.copy("K"), v.type) for v in found.outputs]
    views, _ = f._complete(kernel, found._replace(outputs=copies))
    best, end = math.inf, time.perf_counter() + 0.05
    while time.perf_counter() < end:
        start = time.perf_counter()
        kernel(views, found.sizes, f.options.threads)
        best = min(best, time.perf_counter() - start)
    return best


def _time(seconds: Optional[float]) -> str:
    if not seconds:
        return "?"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
