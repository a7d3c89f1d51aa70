"""How objects look in a notebook, and explanations as text."""

import html
from typing import TYPE_CHECKING, Any, Dict, Sequence

if TYPE_CHECKING:
    from .errors import Diagnostic
    from .function import Function
    from .program import Program


class Explanation:
    """How a call is computed, and why it takes as long as it does: the schedule with its estimate."""

    def __init__(self, layout: str, answer: Dict[str, Any]):
        self.layout = layout
        self.text: str = answer["text"]
        self.estimate: Dict[str, Any] = answer.get("estimate") or {}

    def __str__(self) -> str:
        return f"{self.layout}\n{self.text}".rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        steps, remarks = [], []
        for line in self.text.rstrip("\n").split("\n"):
            (remarks if line.startswith("#") else steps).append(line)
        out = f"<b>{_code(self.layout)}</b>{_block(steps)}"
        if remarks:
            out += f"<details open><summary>time</summary>{_block([r[1:].removeprefix(' ') for r in remarks])}</details>"
        return out


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
