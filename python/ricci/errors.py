"""What goes wrong, as exceptions: each is an ``Error``, and what a Python program would expect.

A ``Diagnostic`` is one finding about a program or about arguments, with its stable code, its place
and its way out; ``rendered`` is the text that the command prints, with the line and the carets.
"""

from typing import Any, Dict, List, Optional


class Place:
    """A place in a text; lines and columns count from 1, columns and the length in bytes."""

    def __init__(self, place: Dict[str, Any]):
        self.file: str = place.get("file", "")
        self.line: int = place.get("line", 0)
        self.column: int = place.get("column", 0)
        self.length: int = place.get("length", 0)

    def __repr__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Diagnostic:
    """One finding: ``code``, ``severity``, ``message``, ``help``, ``place``, ``notes``, ``rendered``."""

    def __init__(self, fields: Dict[str, Any]):
        self.code: str = fields.get("code", "")
        self.severity: str = fields.get("severity", "error")
        self.message: str = fields.get("message", "")
        self.help: str = fields.get("help", "")
        self.place: Optional[Place] = Place(fields["place"]) if fields.get("place") else None
        self.notes: List[Dict[str, Any]] = fields.get("notes") or []
        self.rendered: str = (fields.get("rendered") or self._plain()).rstrip("\n")

    def _plain(self) -> str:
        where = f"{self.place!r}: " if self.place else ""
        code = f"[{self.code}]" if self.code else ""
        text = f"{where}{self.severity}{code}: {self.message}"
        return text + (f"\n  help: {self.help}" if self.help else "")

    def __repr__(self) -> str:
        return f"<{self.severity} {self.code}: {self.message}>"

    def __str__(self) -> str:
        return self.rendered

    def _repr_html_(self) -> str:
        from .display import diagnostics_html

        return diagnostics_html([self])


class Error(Exception):
    """The class of all errors of this package; ``diagnostics`` has the findings, if there are any."""

    def __init__(self, message: str, diagnostics: Optional[List[Diagnostic]] = None):
        super().__init__(message)
        self.message = message
        self.diagnostics: List[Diagnostic] = list(diagnostics or [])

    def __str__(self) -> str:
        return self.message

    def _render_traceback_(self) -> List[str]:
        """What IPython shows: the text with its carets, without the frames of this package."""
        return [f"{type(self).__name__}: {self}"]

    def _repr_html_(self) -> str:
        from .display import diagnostics_html

        return diagnostics_html(self.diagnostics)


class ProgramError(Error, SyntaxError):
    """A program, or a schedule, is wrong. Its text is that of the command, carets included."""

    def __init__(self, message: str, diagnostics: Optional[List[Diagnostic]] = None):
        Error.__init__(self, message, diagnostics)
        self.msg = message  # what a traceback prints
        place = next((d.place for d in self.diagnostics if d.place), None)
        if place is not None:
            self.filename, self.lineno, self.offset = place.file, place.line, place.column

    __str__ = Error.__str__


class ArgumentError(Error, ValueError):
    """An argument of a call has a shape, strides or a value that the program does not take."""


class ArgumentTypeError(Error, TypeError):
    """An argument of a call has the wrong type of elements, is on another device, or is no array."""


class RangeError(Error, IndexError):
    """A subscript that depends on data left its array while a kernel ran."""


class OutOfMemory(Error, MemoryError):
    """There is no memory for the outputs or the temporaries of a call."""


class CheckError(Error, AssertionError):
    """A result differs from that of the reference evaluator by more than rounding explains."""


class BuildError(Error, RuntimeError):
    """The command of Ricci is missing and cannot be built, or a C compiler failed."""


class Unavailable(BuildError):
    """There is no C compiler, or no such device; calls are computed by the service then, where it can."""


class ServiceError(Error, RuntimeError):
    """The service ended, or answered what this package does not understand."""


class Cancelled(Error):
    """A request was cancelled."""


class ProgramWarning(UserWarning):
    """What is doubtful about a program, but not wrong; ``warnings.simplefilter("error", …)`` makes it an error."""
