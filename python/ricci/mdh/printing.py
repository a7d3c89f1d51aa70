"""Writes expressions: in a long one, what is used several times is named by ``let``.

A ``let`` stands in the innermost branch that has all uses of its value, so that what is needed in one
case only is computed there. In a text that is short all is repeated: MDH may then use what it knows
of the conditions that each use stands under, and computes nothing twice either way.
"""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from .expression import Branch, Iteration, Node, Operand, Part, Scalar, SizeName, State, Untraceable, operands

_SMALL = 8  # operands and operations that are rather repeated than named
_SHORT = 400  # operands and operations of a text in which all may be repeated
_DEEP = 64  # a text nests no deeper


def inline(x: Node, name: Callable[[Any], str] = str) -> str:
    """An expression without names of its own, cut where it is long."""
    if x.size > 200 or x.depth > _DEEP:
        return "…"
    return "".join(_piece(p, name) for p in x.pieces)


def _piece(p: Any, name: Callable[[Any], str]) -> str:
    if isinstance(p, str) and not isinstance(p, SizeName):
        return p
    if isinstance(p, Operand):
        return _inside(inline(p.scalar, name), p.scalar.level, p.level)
    if isinstance(p, Branch):
        return tuple_text([_inside(inline(x, name), x.level, p.level) for x in p.scalars])
    if isinstance(p, (Part, State)):
        return "state"
    return name(p)


def static(x: Scalar, name: Callable[[Any], str]) -> str:
    """An extent or a subscript."""
    text = inline(x, name)
    if text == "…":
        raise Untraceable("an extent or a subscript has hundreds of operations, and no names can be given in it")
    return text


def body(results: Sequence[Scalar], name: Callable[[Any], str], fresh: Callable[[], str]) -> str:
    """The body of a function with these results. ``name`` says how records and tables are called, ``fresh`` gives names that are free."""
    return _Body(results, name, fresh).text()


def _inside(text: str, level: int, least: int) -> str:
    return f"({text})" if level < least else text


def tuple_text(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


class _Block:
    """A branch, or the whole: where names can be given."""

    def __init__(self, parent: Optional["_Block"]):
        self.parent = parent
        self.depth: int = parent.depth + 1 if parent else 0
        self.lets: List[Node] = []

    def common(self, other: "_Block") -> "_Block":
        a, b = self, other
        while a is not b:
            if a.depth >= b.depth:
                a = a.parent  # type: ignore[assignment]
            else:
                b = b.parent  # type: ignore[assignment]
        return a


class _Body:
    def __init__(self, results: Sequence[Scalar], name: Callable[[Any], str], fresh: Callable[[], str]):
        self.results, self.name, self.fresh = results, name, fresh
        self.root = _Block(None)
        self.branches: Dict[Tuple[int, str], _Block] = {}
        self.called: Dict[int, str] = {}  # names of nodes, and of states
        self._place(_order(results))

    def text(self) -> str:
        return self._block(self.root, self.results, 0)

    def _place(self, order: List[Node]) -> None:
        """Finds the block of each node, from those that are used by none to the operands, and who gets a name there."""
        blocks: Dict[int, _Block] = {}
        uses: Dict[int, int] = {}

        def use(x: Node, block: _Block) -> None:
            uses[id(x)] = uses.get(id(x), 0) + 1
            blocks[id(x)] = blocks[id(x)].common(block) if id(x) in blocks else block

        for r in self.results:
            use(r, self.root)
        named = []
        short = sum(r.size for r in self.results) <= _SHORT
        for x in reversed(order):
            here = blocks[id(x)]
            for p in x.pieces:
                if isinstance(p, Operand):
                    use(p.scalar, here)
                elif isinstance(p, Part):
                    use(p.whole, here)
                elif isinstance(p, Branch):
                    inner = self.branches[id(x), p.key] = _Block(here)
                    for operand in p.scalars:
                        use(operand, inner)
            if isinstance(x, Iteration) or x.type is not None and (uses[id(x)] > 1 and x.size >= _SMALL and not short or x.depth % _DEEP == 0):  # type: ignore[attr-defined]
                named.append(x)
        for x in reversed(named):  # operands before what is made of them
            blocks[id(x)].lets.append(x)

    def _block(self, block: _Block, results: Sequence[Scalar], level: int) -> str:
        lets = ""
        for x in block.lets:
            if isinstance(x, Iteration):
                for s in x.states:
                    self.called[id(s)] = self.fresh()
                pattern = tuple_text([self.called[id(s)] for s in x.states])
                lets += f"let {pattern} = {self._format(x)}; "
            else:
                value = self._format(x)
                self.called[id(x)] = self.fresh()
                lets += f"let {self.called[id(x)]} = {value}; "
        texts = [self._operand(r, level if len(results) == 1 and not lets else 0) for r in results]
        return f"({lets}{tuple_text(texts)})" if lets and block is not self.root else lets + tuple_text(texts)

    def _operand(self, x: Scalar, level: int) -> str:
        known = self.called.get(id(x))
        return known if known is not None else _inside(self._format(x), x.level, level)

    def _format(self, x: Node) -> str:
        out = []
        for p in x.pieces:
            if isinstance(p, Operand):
                out.append(self._operand(p.scalar, p.level))
            elif isinstance(p, Branch):
                out.append(self._block(self.branches[id(x), p.key], p.scalars, p.level))
            elif isinstance(p, Part):
                out.append(self.called[id(p.whole.states[p.number])])  # type: ignore[attr-defined]
            elif isinstance(p, State):
                out.append(self.called[id(p)])
            elif isinstance(p, str) and not isinstance(p, SizeName):
                out.append(p)
            else:
                out.append(self.name(p))
        return "".join(out)


def _order(results: Sequence[Node]) -> List[Node]:
    """All nodes, operands before what is made of them."""
    order: List[Node] = []
    seen = set()
    work: List[Tuple[Node, bool]] = [(r, False) for r in reversed(results)]
    while work:
        x, done = work.pop()
        if done:
            order.append(x)
        elif id(x) not in seen:
            seen.add(id(x))
            work.append((x, True))
            work += [(o, False) for o in operands(x)]
    return order
