"""Searches for faster schedules, in the service."""

from typing import TYPE_CHECKING, Any, Dict, Optional

from . import service
from .progress import Progress

if TYPE_CHECKING:
    from .function import Function, Layout


class Tuned:
    """What a search found: the seconds of a call by the default schedule and by the best one, and that as text."""

    def __init__(self, answer: Dict[str, Any]):
        self.answer = answer
        self.default: Optional[float] = answer.get("default")
        self.tuned: Optional[float] = answer.get("tuned")
        self.evaluations: int = answer.get("evaluations") or 0
        self.schedule: str = answer.get("schedule") or ""

    def __repr__(self) -> str:
        if not self.default or not self.tuned:
            return f"{self.evaluations} schedules were tried"
        return f"{_time(self.tuned)} instead of {_time(self.default)} ({self.default / self.tuned:.2f} times as fast), {self.evaluations} schedules were tried"


def tune(f: "Function", found: "Layout", seconds: float) -> Tuned:
    """Searches for so long; what is found stays in the cache, for this process and others."""
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds!r}; a search takes more than none")
    with Progress(f"tuning {found.text}", delay=0) as progress:

        def event(e: Dict[str, Any]) -> None:
            best, default = e.get("seconds"), e.get("default")
            gain = f", {_time(best)} instead of {_time(default)}" if best and default else ""
            progress.say(f"tuning {f.__name__}: {e.get('evaluations', 0)} schedules in {e.get('elapsed', 0):.0f} of {seconds:.0f} s{gain}")

        answer = service.ask("tune", {**found.request, "seconds": seconds}, event)
    f.forget_kernels()
    return Tuned(answer)


def _time(seconds: Optional[float]) -> str:
    if not seconds:
        return "?"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
