"""How objects look in a notebook, and explanations as text."""

import html
import math
from typing import TYPE_CHECKING, Any, Dict, Sequence

if TYPE_CHECKING:
    from .errors import Diagnostic
    from .function import Function
    from .program import Program


class Explanation:
    """How a call is computed, and why it takes as long as it does: the schedule, and what the model of the machine says of it."""

    def __init__(self, layout: str, answer: Dict[str, Any]):
        self.layout = layout
        self.schedule: str = answer["text"].rstrip("\n")
        self.estimate: Dict[str, Any] = answer.get("estimate") or {}
        self._why = [line[1:].removeprefix(" ") for line in (answer.get("explanation") or "").rstrip("\n").split("\n") if line]

    def __str__(self) -> str:
        return "\n".join([self.layout, self.schedule, *(f"# {line}" for line in self._why)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        out = f"<b>{_code(self.layout)}</b>{_block(self.schedule.split(chr(10)))}"
        if self._why:
            out += f"<details open><summary>time</summary>{_block(self._why)}</details>"
        return out + roofline(self.estimate)


def roofline(estimate: Dict[str, Any]) -> str:
    """A roofline as SVG: what the machine allows at each number of operations for a byte, and where the estimate is."""
    floor = estimate.get("floor") or {}
    numbers = [floor.get("operations"), floor.get("bytes"), floor.get("compute"), floor.get("memory"), estimate.get("seconds")]
    if not all(isinstance(x, (int, float)) and x > 0 for x in numbers):
        return ""
    operations, size, compute, memory, seconds = numbers
    peak, bandwidth, intensity, speed = operations / compute, size / memory, operations / size, operations / seconds
    ridge = peak / bandwidth
    left, right = math.log10(min(ridge, intensity)) - 1, math.log10(max(ridge, intensity)) + 1
    top = math.log10(peak) + 0.3
    bottom = min(top - 2, math.log10(min(speed, bandwidth * 10**left)))

    def at(x: float, y: float) -> str:
        return f"{20 + 340 * (math.log10(x) - left) / (right - left):.0f},{170 - 150 * (math.log10(y) - bottom) / (top - bottom):.0f}"

    roof = " ".join([at(10**left, bandwidth * 10**left), at(ridge, peak), at(10**right, peak)])
    x, y = at(intensity, speed).split(",")
    text = f"{_si(speed)}OP/s of {_si(min(peak, bandwidth * intensity))}OP/s, {intensity:.3g} operations for a byte"
    return (f'<svg width="380" height="200" style="background:white"><polyline points="{roof}" fill="none" stroke="#37474f" stroke-width="2"/>'
            f'<circle cx="{x}" cy="{y}" r="4" fill="#c62828"/><text x="20" y="192" font-size="11" fill="#37474f">{html.escape(text)}</text></svg>')


def _si(x: float) -> str:
    """A number with a prefix of SI."""
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if x >= size:
            return f"{x / size:.3g} {prefix}"
    return f"{x:.3g} "


def diagnostics_html(found: Sequence["Diagnostic"]) -> str:
    """Findings with their lines and carets."""
    colors = {"error": "#c62828", "warning": "#ef6c00"}
    return "".join(
        f'<div style="border-left:4px solid {colors.get(d.severity, "#607d8b")};padding-left:8px">{_block(d.rendered.split(chr(10)))}</div>' for d in found)


def function_html(f: "Function") -> str:
    """The parameters of a function as a table."""
    rows = []
    for p in f._def.inputs:
        rows.append((p.name, "in", p.type.name, p.dims))
    for p in f._def.outputs:
        rows.append((p.name, "in-out" if p.in_out else "out", p.type.name, p.dims))
    table = "".join(f"<tr><td>{_code(n)}</td><td>{role}</td><td>{_code(t)}</td><td>{_code(' × '.join(d)) if d else 'scalar'}</td></tr>" for n, role, t, d in rows)
    conditions = "".join(f"<div>when {_code(c)}</div>" for c in f._def.conditions)
    return f"<b>{_code(f._def.name)}</b><table><tr><th>argument</th><th></th><th>elements</th><th>shape</th></tr>{table}</table>{conditions}"


def program_html(p: "Program") -> str:
    """All functions of a program, and its warnings."""
    return "".join(function_html(p[name]) for name in p.defs) + diagnostics_html(p.warnings)


def _code(text: str) -> str:
    return f"<code>{html.escape(text)}</code>"


def _block(lines: Sequence[str]) -> str:
    return f'<pre style="line-height:1.3">{html.escape(chr(10).join(lines))}</pre>'
