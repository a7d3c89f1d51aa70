"""Sums of indices: where indices, sizes and scalars meet conditions and numbers of few bits only, sums are int64."""

from syntax import Access, Bin, Call, COMPARISONS, Extent, If, Num, Ref, Un
from values import SIGNED, UNSIGNED

FEW = ("bool", "int8", "int16", "uint8", "uint16")
NOTHING = (False, False)


def weighs(node, types, ranks):
    """Whether a value has nothing in it but numbers of few bits, indices, sizes and scalars, and whether one of the latter."""
    again = lambda nodes: join([weighs(x, types, ranks) for x in nodes])
    if isinstance(node, (Extent, Ref)):
        t = types.get(node.name)
        return (t in FEW, False) if t in FEW else (t in (None, "int32"), t in (None, "int32"))
    if isinstance(node, Num):
        return (not any(c in node.name for c in ".ef") or node.name.startswith("0x"), False)
    if isinstance(node, Access):
        t = types.get(node.name)
        if not node.subs and t not in FEW:
            return (t == "int32", t == "int32")
        return (t in FEW, False)
    if isinstance(node, If):
        return again([node.a, node.b])
    if isinstance(node, Bin):
        if node.op in COMPARISONS or node.op in ("&&", "||"):
            return (True, False)
        if node.op in ("/", "%"):
            return again([node.a]) if weighs(node.b, types, ranks)[0] else NOTHING
        return again([node.a, node.b]) if node.op in "+-*" else NOTHING
    if isinstance(node, Un):
        return (True, False) if node.op == "!" else again([node.a])
    if isinstance(node, Call):
        if node.name in ("min", "max", "abs"):
            return again(node.args)
        if node.name in SIGNED + UNSIGNED + ["int"]:
            return (node.name in FEW or again(node.args) == (True, False), False)
    return NOTHING


def join(pairs):
    few = bool(pairs) and all(p[0] for p in pairs)
    return (few, few and any(p[1] for p in pairs))
