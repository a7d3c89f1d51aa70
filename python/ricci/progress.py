"""What a terminal shows while something takes long: one line, which goes when it is done."""

import sys
import threading
import time
from typing import Any, Optional

from . import places


class Progress:
    """Shows ``text`` on a terminal once it has taken half a second, and removes it at the end."""

    def __init__(self, text: str, delay: float = 0.5):
        self._text = text
        self._delay = delay
        self._timer: Optional[threading.Timer] = None
        self._lock = threading.Lock()
        self._shown = 0  # columns
        self._start = 0.0

    def __enter__(self) -> "Progress":
        self._start = time.monotonic()
        if self._wanted():
            self._timer = threading.Timer(self._delay, self.say, [self._text])
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            if self._shown:
                sys.stderr.write("\r" + " " * self._shown + "\r")
                sys.stderr.flush()
            self._shown = -1  # a late timer says nothing more

    def say(self, text: str) -> None:
        """Replaces the line."""
        with self._lock:
            if self._shown < 0 or not self._wanted():
                return
            line = f"ricci: {text}"[:120]
            sys.stderr.write("\r" + line.ljust(self._shown))
            sys.stderr.flush()
            self._shown = max(self._shown, len(line))

    def seconds(self) -> float:
        """How long it has taken."""
        return time.monotonic() - self._start

    @staticmethod
    def _wanted() -> bool:
        return not places.quiet() and sys.stderr is not None and sys.stderr.isatty()
