"""The compiler as a process beside this one: ``ricci serve``, asked by JSON lines (docs/serve.md).

There is one for each process, started at the first request and ended with it. If it dies it is
started again, and what was asked of it is asked once more; a child of a fork starts its own.
"""

import atexit
import json
import os
import subprocess
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import binary
from .errors import (
    ArgumentError,
    ArgumentTypeError,
    BuildError,
    Cancelled,
    CheckError,
    Diagnostic,
    Error,
    OutOfMemory,
    ProgramError,
    RangeError,
    ServiceError,
    Unavailable,
)

PROTOCOL = 1
_MOST_BYTES = 64 << 20  # of a request

Event = Callable[[Dict[str, Any]], None]


class Service:
    """A running process, and the requests that wait for it. Any thread may ask."""

    def __init__(self) -> None:
        self._path = binary.find()
        try:
            self._process = subprocess.Popen(
                [self._path, "serve"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                bufsize=0,  # no buffers with locks, which a fork would copy as they are
                # A group of its own: Ctrl-C is for Python, which cancels what it asked for.
                start_new_session=True,
            )
        except OSError as e:  # a program of another machine, for instance
            raise BuildError(f"{self._path} cannot be executed: {e.strerror}") from None
        self._write = threading.Lock()
        self._state = threading.Lock()
        self._waiting: Dict[int, "_Request"] = {}
        self._last = 0
        self.ended = False
        self._reader = threading.Thread(target=self._read, name="ricci serve", daemon=True)
        self._reader.start()
        try:
            protocol = self.ask("version", {}).get("protocol")
        except Error as e:
            self.close()
            raise BuildError(f"{self._path} is no command of Ricci that this package can ask: {e.message}") from None
        if protocol != PROTOCOL:
            self.close()
            raise BuildError(f"{self._path} speaks the protocol {protocol}, and this package {PROTOCOL}: they are of different versions")

    def ask(self, method: str, params: Dict[str, Any], event: Optional[Event] = None, keep: bool = False) -> Dict[str, Any]:
        """Asks and waits. An interrupt of the waiting cancels the request before it goes on; with keep, what
        was found until then is the answer, if it is more than nothing, and has "interrupted"."""
        request = self._send(method, params, event)
        interrupted = {}
        try:
            request.done.wait()
        except KeyboardInterrupt:
            self._cancel(request)
            if not keep or not request.done.wait(20) or request.answer is None or "error" in request.answer:
                raise
            interrupted = {"interrupted": True}
        if request.answer is None:
            raise ServiceError(f"ricci serve ended while it worked on '{method}'")
        if "error" in request.answer:
            raise error_of(request.answer["error"])
        return {**request.answer["result"], **interrupted}

    def _send(self, method: str, params: Dict[str, Any], event: Optional[Event]) -> "_Request":
        with self._state:
            if self.ended:
                raise ServiceError("ricci serve has ended")
            self._last += 1
            request = _Request(self._last, event)
        line = json.dumps({"id": request.id, "method": method, "params": params}, separators=(",", ":"))
        if len(line) > _MOST_BYTES:  # which would be answered without a number
            raise ArgumentError(f"the program and its arguments take {len(line) >> 20} MiB as text, and a request has at most {_MOST_BYTES >> 20}")
        with self._state:
            self._waiting[request.id] = request
        rest = memoryview(line.encode() + b"\n")
        try:
            with self._write:
                while rest:
                    rest = rest[self._process.stdin.write(rest):]
        except (OSError, ValueError):
            self._end()
        return request

    def tell(self, method: str, params: Dict[str, Any]) -> None:
        """Asks without waiting for the answer."""
        try:
            self._send(method, params, None)
        except ServiceError:
            pass

    def _cancel(self, request: "_Request") -> None:
        with self._state:
            if self.ended or request.done.is_set():
                return
        self._send("cancel", {"request": request.id}, None)

    def _read(self) -> None:
        parts: List[bytes] = []  # of a line
        while True:
            try:
                chunk = self._process.stdout.read(1 << 16)
            except (OSError, ValueError):
                chunk = b""
            if not chunk:
                break
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                self._receive(b"".join([*parts, end]))
                parts = []
            parts.append(rest)
        self._end()

    def _receive(self, line: bytes) -> None:
        try:
            answer = json.loads(line)
        except ValueError:
            return  # not the service's: it promises to write nothing else
        if not isinstance(answer, dict):
            return
        with self._state:
            request = self._waiting.get(answer.get("id"))
            if request is not None and "event" not in answer:
                del self._waiting[request.id]
        if request is None:
            return
        if "event" in answer:
            if request.event is not None:
                try:
                    request.event(answer)
                except Exception:  # what shows progress must not end the reading
                    request.event = None
            return
        request.answer = answer
        request.done.set()

    def _end(self) -> None:
        """Wakes up all who wait: nobody will answer."""
        with self._state:
            self.ended = True
            waiting, self._waiting = list(self._waiting.values()), {}
        for request in waiting:
            request.done.set()

    def close(self) -> None:
        """Ends the process."""
        self._end()
        try:
            self._process.stdin.close()
            self._process.wait(timeout=2)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=2)
        self._process.stdout.close()


class _Request:
    def __init__(self, number: int, event: Optional[Event]):
        self.id = number
        self.event = event
        self.done = threading.Event()
        self.answer: Optional[Dict[str, Any]] = None


_start = threading.Lock()
_service: Optional[Service] = None


def ask(method: str, params: Dict[str, Any], event: Optional[Event] = None, keep: bool = False) -> Dict[str, Any]:
    """Asks the process of this process, which is started where it is not there."""
    return ask_and_keep(method, params, event, keep)[1]


def ask_and_keep(method: str, params: Dict[str, Any], event: Optional[Event] = None, keep: bool = False) -> Tuple[Service, Dict[str, Any]]:
    """The same, and which process answered: for what it keeps."""
    for attempt in (1, 2):
        service = _current()
        try:
            return service, service.ask(method, params, event, keep)
        except ServiceError:
            if not service.ended or attempt == 2:
                raise
    raise AssertionError("the second attempt returns or raises")


def is_current(service: Service) -> bool:
    """Whether this process, and no parent of it, has started the service, and it is the latest."""
    return service is _service


def _current() -> Service:
    global _service
    with _start:
        if _service is None or _service.ended:
            if _service is not None:
                _service.close()
            _service = Service()
        return _service


def stop() -> None:
    """Ends the process; the next request starts one."""
    global _service
    with _start:
        if _service is not None:
            _service.close()
        _service = None


def _after_fork() -> None:
    global _service, _start
    _start = threading.Lock()
    if _service is not None:
        process = _service._process
        process.stdin.close()  # unbuffered: our copies of the pipes go, nothing is written
        process.stdout.close()
        process.returncode = 0  # not a child of this process: nothing to wait for
    _service = None


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def error_of(fields: Dict[str, Any]) -> Error:
    """The exception that an error of the service becomes."""
    kind = fields.get("kind", "failed")
    diagnostics = [Diagnostic(d) for d in fields.get("diagnostics") or []]
    text = (fields.get("rendered") or fields.get("message") or kind).rstrip("\n")
    if kind == "cancelled":
        return Cancelled(text, diagnostics)
    if kind == "unavailable":
        return Unavailable(text, diagnostics)
    if kind == "internal":
        return ServiceError(text, diagnostics)
    errors = [d for d in diagnostics if d.severity == "error"]
    if errors:
        return _of_code(errors[0].code)(text, diagnostics)
    if kind in ("program", "request"):
        return ArgumentError(text, diagnostics)
    return Error(text, diagnostics)


# Codes that are about the arguments of a call, or a run of strands, and not about a text
# (internal/source/codes_runtime.go, codes_strand.go): E06… and E14…, and among them these that have a class of their own.
_CLASSES: Dict[str, type] = {
    "E0611": RangeError,
    "E0621": ArgumentTypeError,
    "E0626": ArgumentTypeError,
    "E0628": CheckError,
    "E1401": RangeError,
    "E1402": RangeError,
    "E1412": ProgramError,
    "E1413": OutOfMemory,
}


def _of_code(code: str) -> type:
    return _CLASSES.get(code) or (ArgumentError if code.startswith(("E06", "E14")) else ProgramError)
