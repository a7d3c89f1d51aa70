"""The subscripts of einsum, in both of NumPy's forms, with sizes: which label each axis has.

Labels are whole numbers here: those of letters (a is their order in NumPy's own lists: A…Z a…z in
an implicit result), and for the axes of an ellipsis negative ones, so that the last is -1.
"""

import string
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from .errors import ArgumentError, ArgumentTypeError

# How NumPy numbers them in sublists.
LETTERS = string.ascii_uppercase + string.ascii_lowercase
ELLIPSIS = "..."


class Term(NamedTuple):
    """The labels of an operand or of the result; where its ellipsis stands, or None."""

    labels: Tuple[int, ...]
    ellipsis: Optional[int]


class Subscripts(NamedTuple):
    """What is summed: a label for each axis of each operand, and of the result."""

    inputs: Tuple[Tuple[int, ...], ...]
    output: Tuple[int, ...]


def parse(arguments: Sequence[Any]) -> Tuple[List[Term], Optional[Term], List[Any]]:
    """The terms of the operands, that of the result if it is said, and the operands."""
    if not arguments:
        raise ArgumentError("einsum takes subscripts and at least one operand")
    if isinstance(arguments[0], str):
        terms, output = _parse_text(arguments[0])
        operands = list(arguments[1:])
        if not operands:
            raise ArgumentError("einsum takes at least one operand beside the subscripts")
        if len(operands) != len(terms):
            raise ArgumentError(f"the subscripts {arguments[0]!r} are for {len(terms)} operands, and {len(operands)} are given")
        return terms, output, operands
    if len(arguments) < 2:
        raise ArgumentError("einsum takes an operand and its list of subscripts")
    operands = list(arguments[0:len(arguments) - 1:2])
    terms = [_parse_list(x) for x in arguments[1::2]]
    output = _parse_list(arguments[-1]) if len(arguments) % 2 else None
    return terms, output, operands


def _parse_text(text: str) -> Tuple[List[Term], Optional[Term]]:
    compact = text.replace(" ", "")
    left, arrow, right = compact.partition("->")
    terms = [_parse_term(t, text) for t in left.split(",")]
    return terms, _parse_term(right, text) if arrow else None


def _parse_term(term: str, whole: str) -> Term:
    head, dots, tail = term.partition(ELLIPSIS)
    for c in head + tail:
        if c not in LETTERS:
            raise ArgumentError(f"{c!r} is no subscript in {whole!r}: subscripts are letters, and '...' once for an operand")
    return Term(tuple(LETTERS.index(c) for c in head + tail), len(head) if dots else None)


def _parse_list(items: Any) -> Term:
    try:
        items = list(items)
    except TypeError:
        raise ArgumentTypeError(f"subscripts are a text, or a list behind each operand; this is a {type(items).__name__}") from None
    labels: List[int] = []
    ellipsis = None
    for x in items:
        if x is Ellipsis:
            if ellipsis is not None:
                raise ArgumentError("a list of subscripts has two ellipses")
            ellipsis = len(labels)
            continue
        try:
            n = x.__index__()
        except AttributeError:
            raise ArgumentTypeError(f"a subscript is a whole number or an ellipsis, and {x!r} is neither") from None
        if not 0 <= n < len(LETTERS):
            raise ArgumentError(f"the subscript {n} is not in 0 … {len(LETTERS) - 1}")
        labels.append(n)
    return Term(tuple(labels), ellipsis)


def resolve(terms: Sequence[Term], output: Optional[Term], shapes: Sequence[Tuple[int, ...]]) -> Tuple[Subscripts, Dict[int, int]]:
    """The labels of all axes, and the size of each label; ValueError where they do not fit."""
    inputs, broadcast = [], 0
    for k, (term, shape) in enumerate(zip(terms, shapes)):
        inputs.append(_axes(term, len(shape), k))
        if term.ellipsis is not None:
            broadcast = max(broadcast, len(shape) - len(term.labels))
    sizes = _sizes(inputs, shapes)
    beyond = tuple(range(-broadcast, 0))
    if output is None:
        result = beyond + _once(terms)
    else:
        if broadcast and output.ellipsis is None:
            raise ArgumentError("the result has no '...', and operands have axes for theirs")
        at = output.ellipsis or 0
        result = output.labels[:at] + (beyond if output.ellipsis is not None else ()) + output.labels[at:]
    for label in result:
        if result.count(label) > 1:
            raise ArgumentError(f"the result has the subscript {name(label)!r} twice")
        if label not in sizes:
            raise ArgumentError(f"the result has the subscript {name(label)!r}, which no operand has")
    return Subscripts(tuple(inputs), result), sizes


def _axes(term: Term, rank: int, operand: int) -> Tuple[int, ...]:
    extra = rank - len(term.labels)
    if extra < 0:
        raise ArgumentError(f"operand {operand} has {rank} dimensions, and {len(term.labels)} subscripts")
    if term.ellipsis is None:
        if extra:
            raise ArgumentError(f"operand {operand} has {rank} dimensions, and {len(term.labels)} subscripts; '...' would stand for the others")
        return term.labels
    return term.labels[:term.ellipsis] + tuple(range(-extra, 0)) + term.labels[term.ellipsis:]


def _sizes(inputs: Sequence[Tuple[int, ...]], shapes: Sequence[Tuple[int, ...]]) -> Dict[int, int]:
    sizes: Dict[int, int] = {}
    for k, (labels, shape) in enumerate(zip(inputs, shapes)):
        own: Dict[int, int] = {}
        for label, n in zip(labels, shape):
            if own.setdefault(label, n) != n:
                raise ArgumentError(f"operand {k} has the subscript {name(label)!r} for dimensions of {own[label]} and {n}")
        for label, n in own.items():
            known = sizes.get(label, 1)
            if known != n and known != 1 and n != 1:
                raise ArgumentError(f"the subscript {name(label)!r} has the size {known}, and operand {k} has {n} there; only 1 is broadcast")
            sizes[label] = n if known == 1 else known
    return sizes


def _once(terms: Sequence[Term]) -> Tuple[int, ...]:
    """The labels of an implicit result: those that stand in one place, in the order of letters."""
    every = [label for t in terms for label in t.labels]
    return tuple(sorted(label for label in set(every) if every.count(label) == 1))


def name(label: int) -> str:
    """A label for people."""
    return LETTERS[label] if label >= 0 else ELLIPSIS


def memory_order(subscripts: Subscripts, operands: Sequence[np.ndarray], order: str) -> Tuple[int, ...]:
    """The labels of the result from the slowest to the fastest in memory, as NumPy would lay it out."""
    output = subscripts.output
    order = order.upper()
    if order == "A":
        fortran = all(a.flags.f_contiguous for a in operands) and not all(a.flags.c_contiguous for a in operands)
        order = "F" if fortran else "C"
    if order == "C":
        return output
    if order == "F":
        return output[::-1]
    return _keep_order(subscripts, operands)


def _keep_order(subscripts: Subscripts, operands: Sequence[np.ndarray]) -> Tuple[int, ...]:
    """The order "K": axes sorted by the strides of the operands, where these agree. It is the order that
    NumPy's iterator takes, an insertion sort that leaves alone what no operand decides."""
    axes = list(subscripts.output)
    axes += sorted({label for labels in subscripts.inputs for label in labels} - set(axes))
    strides = []
    for labels, a in zip(subscripts.inputs, operands):
        own: Dict[int, int] = {}
        for label, n, s in zip(labels, a.shape, a.strides):
            own[label] = own.get(label, 0) + (abs(s) if n > 1 else 0)
        strides.append(own)
    ordered: List[int] = []  # from the fastest to the slowest
    for axis in reversed(axes):
        place = len(ordered)
        for k in range(len(ordered) - 1, -1, -1):
            decided = [(own[axis], own[ordered[k]]) for own in strides if own.get(axis) and own.get(ordered[k])]
            if not decided:
                continue
            if any(other <= mine for mine, other in decided):
                break
            place = k
        ordered.insert(place, axis)
    return tuple(label for label in reversed(ordered) if label in subscripts.output)
