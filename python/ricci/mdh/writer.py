"""Writes computations as the text of MDH, and remembers of each line which function of Python it is for."""

from typing import Any, Callable, Dict, List, Sequence, Set, Tuple

from ..arrays import count_of
from . import parts, printing, trace
from .elements import Record, Table
from .expression import FUNCTIONS, INDEX, Scalar, SizeName, Untraceable, operand
from .parts import BufferType, Combine, Homomorphism, Index, View

_RESERVED = frozenset(
    "record const fun op let if then else iterate with while do identity assume ordered out_view md_hom inp_view true false and or not "
    "o in where TYPE pw ps fill injective id inf nan min max argmin argmax abs".split())

Origin = Any  # a function, or a line
Lines = List[Tuple[str, Origin]]


class Scope:
    """A program while it is written: its declarations, each once, under names that nothing else in it has."""

    def __init__(self) -> None:
        self.lines: Lines = []
        self.written: Dict[int, Tuple[str, List[str]]] = {}  # computations, with their sizes
        self._names: Dict[Any, str] = {}  # of what is declared
        self._kept: List[Any] = []  # keeps ids what they are
        self._declared: Set[str] = set()
        self._local: Set[str] = set()

    def name(self, x: Any) -> str:
        """What a record or a table is called; it is declared at its first use."""
        if isinstance(x, Record):
            return self.declare(x, x.name, lambda name: f"record {name} {{ {', '.join(f'{n}: {t}' for n, t in x.fields.items())} }}")
        if isinstance(x, Table):
            return self.declare(x, x.name, lambda name: f"const {name}{f': {x.type}' if x.type else ''} = {x.text()}")
        return str(x)

    def declare(self, key: Any, name: str, text: Callable[[str], str], origin: Origin = None) -> str:
        """The name of a declaration, which is written where it is new."""
        known = key if isinstance(key, tuple) else id(key)
        if known not in self._names:
            self._kept.append(key)
            self._names[known] = self.reserve(name)
            self.lines.append((text(self._names[known]), origin))
        return self._names[known]

    def reserve(self, name: str) -> str:
        """A name for something that all of the program sees."""
        name = name if name.isidentifier() else "unnamed"
        found, k = name, 1
        while found in self._declared or found in self._local or found in _RESERVED or found in FUNCTIONS:
            k += 1
            found = f"{name}_{k}"
        self._declared.add(found)
        return found

    def locals(self) -> "Locals":
        """Names within a computation."""
        return Locals(self._declared, self._local)


class Locals:
    """Names of one computation: two computations may have the same."""

    def __init__(self, declared: Set[str], everywhere: Set[str]):
        self._declared, self._everywhere = declared, everywhere
        self._here: Set[str] = set()

    def see(self, name: str) -> None:
        """Keeps declarations from having this name."""
        self._everywhere.add(name)

    def take(self, name: str) -> None:
        """A name that means something here."""
        if name in self._here:
            raise Untraceable(f"{name} is the name of a size and of something else here", "give the size another name")
        self._here.add(name)
        self._everywhere.add(name)

    def free(self, name: str, numbered: bool = False) -> str:
        """A name like this one that is free."""
        found, k = f"{name}1" if numbered else name, 1
        while found in self._here or found in self._declared or found in _RESERVED or found in FUNCTIONS:
            k += 1
            found = f"{name}{k}" if numbered else f"{name}_{k}"
        self.take(found)
        return found


class Writer:
    """Writes one computation: ``out_view ∘ md_hom ∘ inp_view``."""

    def __init__(self, scope: Scope, body: Callable, view_out: View, hom: Homomorphism, view_inp: View,
                 outputs: Dict[str, BufferType], inputs: Dict[str, BufferType]):
        self.scope, self.body, self.hom = scope, body, hom
        self.views = (view_out, view_inp)
        self.outputs, self.inputs = outputs, inputs
        self.sizes: Set[str] = set()
        self.locals = scope.locals()

    def write(self, name: str) -> List[str]:
        """Adds the lines to the scope, and returns the sizes, in their order."""
        view_out, view_inp = self.views
        hom, rank = self.hom, len(self.hom.extents)
        self._agree(view_out, self.outputs, "out")
        self._agree(view_inp, self.inputs, "inp")
        if len(hom.combines) != rank:
            raise trace.untraceable(self.body, f"md_hom has {count_of(rank, 'dimension')} and {count_of(len(hom.combines), 'combine operator')}")
        buffers = {**self.outputs, **self.inputs}
        for word in buffers:
            self.locals.see(word)
        extents = [", ".join(map(self._static, x)).join("{}") if isinstance(x, tuple) else self._static(x) for x in hom.extents]
        kinds = {n: self.scope.name(b.type) + (f"[{', '.join(map(self._static, b.extents))}]" if b.extents else "") for n, b in buffers.items()}
        self.indices = [self.locals.free("i", numbered=True) for _ in hom.extents]
        lines: Lines = []
        lines += self._view(view_out, self.outputs, kinds, " o")
        lines += self._hom(extents)
        lines += self._view(view_inp, self.inputs, kinds, "")
        found = sorted(self.sizes)
        self.scope.lines += [*([("", None)] * bool(self.scope.lines)), (name + (f"<{', '.join(found)}>" if found else "") + " :=", self.body), *lines]
        return found

    def _name(self, x: Any) -> str:
        """What stands in a text for a size, a record or a table."""
        if isinstance(x, SizeName):
            if x not in self.sizes:
                self.sizes.add(str(x))
                self.locals.take(str(x))
            return str(x)
        return self.scope.name(x)

    def _static(self, x: Any) -> str:
        return printing.static(x, self._name) if isinstance(x, Scalar) else self._name(x)

    def _agree(self, view: View, declared: Dict[str, BufferType], role: str) -> None:
        for name in view.accesses:
            if name not in declared:
                raise trace.untraceable(self.body, f"{view.role} has {name!r}, which {role}(…) does not declare", f"declared: {', '.join(declared)}")
        for name in declared:
            if name not in view.accesses:
                raise trace.untraceable(self.body, f"{role}(…) declares {name!r}, and {view.role} has no index function for it")
        kinds = [repr(declared[name].type) for name in view.accesses]
        if view.kinds and [repr(k) for k in view.kinds] != kinds:
            raise trace.untraceable(self.body, f"{view.role} has the types {view.kinds}, and its buffers {', '.join(view.accesses)} are declared as {', '.join(kinds)}")

    def _view(self, view: View, declared: Dict[str, BufferType], kinds: Dict[str, str], end: str) -> Lines:
        lines: Lines = [(f"  {view.role}<{', '.join(kinds[n] for n in view.accesses)}>(", self.body)]
        last = len(view.accesses) - 1
        for k, (name, access) in enumerate(view.accesses.items()):
            for n, f in enumerate(access.functions):
                ends = n == len(access.functions) - 1
                text = "    " + (f"{name}: " if n == 0 else "") + self._index(f, name, len(declared[name].extents))
                text += self._said(access, f) if ends else ""
                lines.append((text + ("" if ends and k == last else ","), f))
        lines.append((f"  ){end}", self.body))
        return lines

    def _said(self, access: Index, f: Callable) -> str:
        text = ""
        if access.fill is parts.undefined:
            text += " fill ⊥"
        elif access.fill is not None:
            filled = trace.trace(lambda: operand(access.fill), at=f)
            text += f" fill {printing.inline(filled, self._name)}"
        return text + (" injective" if access.injective else "")

    def _index(self, function: Callable, buffer: str, dims: int) -> str:
        rank = len(self.indices)
        count = trace.takes(function, rank)
        if count != rank:
            raise trace.untraceable(function, f"the index function of {buffer!r} has {count_of(count, 'parameter')}, and md_hom {count_of(rank, 'dimension')}")
        found = trace.trace(function, *[Scalar(n, INDEX) for n in self.indices])
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != dims:
            raise trace.untraceable(function, f"an index function of {buffer!r} gives {len(found)} subscripts, and {buffer!r} is declared with {dims} dimensions")
        texts = trace.trace(lambda: [self._static(parts.extent(x)) for x in found], at=function)
        return f"({', '.join(self.indices)}) -> ({', '.join(texts)})"

    def _hom(self, extents: Sequence[str]) -> Lines:
        hom = self.hom
        lines: Lines = [(f"  md_hom<{', '.join(extents)}>(", self.body)]
        if hom.down is not None:
            lines += self._combines(hom.down, self.inputs, self._counts(1), ",")
        lines.append((f"    {self._function()},", hom.function if hasattr(hom.function, "__code__") else self.body))
        laws = (f"assume {hom.assume} " if hom.assume else "") + ("ordered" if hom.ordered else "")
        lines += self._combines(hom.combines, self.outputs, self._counts(0), f", {laws.strip()}" if laws else "")
        lines.append(("  ) o", self.body))
        return lines

    def _counts(self, view: int) -> Dict[str, int]:
        return {n: len(a.functions) for n, a in self.views[view].accesses.items()}

    def _function(self) -> str:
        function = self.hom.function
        sign = parts.function_sign(function)
        if sign is not None:
            return sign
        counts = self._counts(1)
        values: Dict[str, List[Scalar]] = {}
        for name, count in counts.items():
            kind = self.inputs[name].type
            kind = kind if isinstance(kind, Record) else kind.name
            values[name] = [Scalar(self.locals.free(f"{name}_{k + 1}" if count > 1 else name), kind) for k in range(count)]
        results = trace.Results(self._counts(0))
        if not callable(function):
            raise trace.untraceable(self.body, f"{function!r} is no scalar function", "a function (out, inp), a sign as '*', or the name of a builtin function are")
        ufunc = getattr(function, "nin", None)
        if ufunc is not None:  # of NumPy
            found = trace.trace(lambda: [function(*[v for vs in values.values() for v in vs])], at=self.body)
        else:
            found = self._trace(function, results, values)
        parameters = ", ".join(v.pieces[0] for vs in values.values() for v in vs)
        uses = f" | {', '.join(self.indices)}" if self.indices else ""
        text = trace.trace(lambda: printing.body(found, self._name, lambda: self.locals.free("t", numbered=True)), at=function)
        return f"({parameters}{uses}) -> {text}"

    def _trace(self, function: Callable, results: trace.Results, values: Dict[str, List[Scalar]]) -> List[Scalar]:
        extra = (2 if trace.takes(function, 2) == 2 else trace.takes(function, 2 + len(self.indices))) - 2
        if extra not in (0, len(self.indices)):
            raise trace.untraceable(function, f"{_called(function)} has {extra + 2} parameters; a scalar function has (out, inp), "
                                    f"and behind them may have the {len(self.indices)} indices")

        def run() -> List[Scalar]:
            function(results, trace.Access(values, "inp"), *[Scalar(n, INDEX) for n in self.indices[:extra]])
            return results.scalars()

        return trace.trace(run, at=function)

    def _combines(self, combines: Sequence[Any], buffers: Dict[str, BufferType], counts: Dict[str, int], end: str) -> Lines:
        """The combine operators, each in a line."""
        lines: Lines = []
        for k, c in enumerate(combines):
            text = "    " + ("(" if k == 0 else " ") + self._combine(c, buffers, counts)
            origin = next((f for o in getattr(c, "operators", ()) for f in [getattr(o, "function", o)] if hasattr(f, "__code__")), self.body)
            lines.append((text + ("," if k < len(combines) - 1 or len(combines) == 1 else "") + (f"){end}" if k == len(combines) - 1 else ""), origin))
        return lines or [(f"    (){end}", self.body)]

    def _combine(self, c: Any, buffers: Dict[str, BufferType], counts: Dict[str, int]) -> str:
        if not isinstance(c, Combine):
            raise trace.untraceable(self.body, f"{c!r} is no combine operator", "CC, PW(f) and PS(f) are")
        image = ""
        if c.image is not None:
            found = trace.trace(lambda: c.image(Scalar("i", INDEX)), at=c.image)  # type: ignore[misc]
            image = f"<(i) -> ({trace.trace(lambda: self._static(parts.extent(found)), at=c.image)})>"
        if c.kind == "++":
            return f"++{image}"
        if not c.operators:
            raise trace.untraceable(self.body, "PW and PS take an operator", "a function (res, lhs, rhs), '+', max …")
        places = [(name, number) for name, count in counts.items() for number in range(1, count + 1)]
        if len(c.operators) == 1:
            return f"{c.kind}{image}({self._operator(c.operators[0], places, buffers)})"
        if len(c.operators) != len(places):
            raise trace.untraceable(self.body, f"{len(c.operators)} operators combine {len(places)} results; it takes one for each, or one for all")
        return f"{c.kind}{image}({', '.join(self._operator(o, [p], buffers) for o, p in zip(c.operators, places))})"

    def _operator(self, given: Any, places: Sequence[Tuple[str, int]], buffers: Dict[str, BufferType]) -> str:
        """The name of an operator on some results."""
        sign = parts.sign_of(given)
        if sign is not None:
            return sign
        o = given if isinstance(given, parts.Operator) else parts.Operator(given)
        if not callable(o.function):
            raise trace.untraceable(self.body, f"{o.function!r} is no operator", "a function (res, lhs, rhs), or '+', '*', 'min', 'max', 'argmin', 'argmax', '&&', '||', '&', '|', '^'")
        counts: Dict[str, int] = {}
        for name, _ in places:
            counts[name] = counts.get(name, 0) + 1
        kinds = {n: buffers[n].type if isinstance(buffers[n].type, Record) else buffers[n].type.name for n in counts}
        sides = {side: {n: [Scalar(f"{side}{k + 1}_{n}" if count > 1 else f"{side}_{n}", kinds[n]) for k in range(count)] for n, count in counts.items()}
                 for side in "lr"}
        results = trace.Results(counts)

        def run() -> List[Scalar]:
            o.function(results, trace.Access(sides["l"], "lhs"), trace.Access(sides["r"], "rhs"))
            return results.scalars()

        found = trace.trace(run, at=o.function)
        if [x.text for x in found] == [f"l_{places[0][0]} + r_{places[0][0]}"] and o == parts.Operator(o.function):
            return "+"
        names = self.scope.locals()
        operands = [printing.tuple_text([v.pieces[0] for vs in sides[side].values() for v in vs]) for side in "lr"]
        text = trace.trace(lambda: printing.body(found, self._name, lambda: names.free("t", numbered=True)), at=o.function)
        laws = (f" assume {', '.join(o.assume)}" if o.assume else "") + (" ordered" if o.ordered else "")
        tail = self._identity(o, counts) + laws
        base = f"combine_{_called(o.function)}" if _called(o.function).isidentifier() else "combine"
        return self.scope.declare(("op", operands[0], text, tail, repr(kinds)), base, lambda name: f"op {name}({', '.join(operands)}) = {text}{tail}", o.function)

    def _identity(self, o: parts.Operator, counts: Dict[str, int]) -> str:
        if o.identity is None:
            return ""
        given = [o.identity[n] for n in counts] if isinstance(o.identity, dict) else list(o.identity) if isinstance(o.identity, tuple) else [o.identity]
        found = trace.trace(lambda: [operand(x) for x in given], at=o.function)
        return f" identity {printing.tuple_text([printing.inline(x, self._name) for x in found])}"


def _called(function: Callable) -> str:
    return getattr(function, "__name__", type(function).__name__)
