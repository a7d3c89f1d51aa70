"""How programs are compiled: the options of the command, and where schedules come from."""

import dataclasses
import operator
from typing import Any, Dict, Optional, Sequence, Tuple

from .errors import ArgumentError, ArgumentTypeError

_WANTED = {int: "a whole number", float: "a number", str: "a text", bool: "True or False", tuple: "a sequence"}


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of a compilation. What is left out is the best that the machine has.

    The factories say where the schedule comes from: ``Options.naive()`` by rules alone,
    ``Options.cached()`` from what was tuned before (the default), ``Options.tuned(seconds)`` tunes
    at the first call for new shapes.
    """

    threads: int = 0  # the most that a call uses; 0: all cores
    level: str = ""  # of instructions, such as "avx2"
    numerics: str = ""  # "strict", "default" or "fast" (docs/numerics.md)
    device: str = ""
    schedule: str = ""  # a schedule as text, such as f.schedule
    untuned: bool = False  # leaves out what was tuned before
    dynamic: Tuple[str, ...] = ()  # sizes that stay variables of the kernel
    memory: int = 0  # the most bytes for temporaries; 0: three quarters of what is there
    tune_seconds: float = 0.0
    kernels: int = 8  # so many shapes get kernels of their own; then sizes become variables. 0: no limit
    warnings: str = "default"  # or "error", "ignore"
    best: Tuple[Any, ...] = ()  # of a file, see load

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            object.__setattr__(self, field.name, _checked(field, getattr(self, field.name)))
        if self.warnings not in ("default", "error", "ignore"):
            raise ArgumentError(f"Options.warnings is {self.warnings!r}; it is 'default', 'error' or 'ignore'")

    @classmethod
    def naive(cls, **others: Any) -> "Options":
        """The schedule that Ricci's rules choose; nothing that was tuned."""
        return cls(untuned=True, **others)

    @classmethod
    def cached(cls, **others: Any) -> "Options":
        """The best schedule that tuning found before on this machine, else that of the rules."""
        return cls(**others)

    @classmethod
    def tuned(cls, seconds: float = 10.0, **others: Any) -> "Options":
        """Tunes for so long when a call has new shapes and no schedule was found for them before."""
        return cls(tune_seconds=seconds, **others)

    @classmethod
    def load(cls, path: str, **others: Any) -> "Options":
        """The schedules of a file that ``ricci.save_schedules`` wrote, for the layouts of arguments that it has.

        Where it has several for one, the first call measures which is fastest here; what does not fit is left out.
        """
        from .tuning import load

        return cls(best=load(path), **others)

    def replace(self, **changes: Any) -> "Options":
        """The same with changes."""
        return dataclasses.replace(self, **changes)

    def for_service(self, schedule: Optional[str] = None, dynamic: Sequence[str] = ()) -> Dict[str, Any]:
        """The member ``options`` of a request (docs/serve.md)."""
        out: Dict[str, Any] = {}
        for name in ("threads", "level", "numerics", "device", "untuned", "memory"):
            if getattr(self, name):
                out[name] = getattr(self, name)
        if schedule or self.schedule:
            out["schedule"] = schedule or self.schedule
        if dynamic or self.dynamic:
            out["dynamic"] = sorted({*self.dynamic, *dynamic})
        return out


def _checked(field: "dataclasses.Field[Any]", value: Any) -> Any:
    """An option as the type that it has; None is the default."""
    if value is None:
        return field.default
    kind = type(field.default)
    if kind is tuple and isinstance(value, str):
        value = (value,)
    try:
        if kind is str and not isinstance(value, str):
            raise TypeError
        value = operator.index(value) if kind is int else kind(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"Options.{field.name} is {value!r:.60}, and it is {_WANTED[kind]}") from None
    if kind in (int, float) and not 0 <= value < 1 << 63:
        raise ArgumentError(f"Options.{field.name} is {value!r}, and it is 0 or more")
    return value
