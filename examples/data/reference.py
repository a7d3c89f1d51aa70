"""Prints the tests of examples whose numbers come from NumPy: python3 reference.py. It knows nothing of Ricci; the
formulas are written once more, by other means where there are any (sorting, np.fft, np.linalg, loops)."""

import numpy as np


def text(x):
    x = np.asarray(x)[()]
    if isinstance(x, np.ndarray):
        return "[" + ", ".join(text(v) for v in x) + "]"
    if isinstance(x, np.bool_):
        return "true" if x else "false"
    if isinstance(x, np.integer):
        return str(x)
    write = np.format_float_positional if 1e-4 <= abs(x) < 1e7 or x == 0 else np.format_float_scientific
    return write(x, unique=True, trim="-")


def lines(x, width):
    """The text of an array, a line for each row if it is long."""
    x = np.asarray(x)
    if len(text(x)) <= width or x.ndim == 0:
        return [text(x)]
    if x.ndim == 1:
        parts, out = [text(v) for v in x], [""]
        for part in parts:
            if out[-1] and len(out[-1]) + len(part) > width:
                out.append("")
            out[-1] += part + ", "
        out = [o.rstrip() for o in out]
        out[-1] = out[-1].rstrip(",")
    else:
        out = []
        for n, row in enumerate(x):
            out += lines(row, width - 1)
            out[-1] += "," if n < len(x) - 1 else ""
    return ["[" + out[0]] + [" " + o for o in out[1:-1]] + [" " + out[-1] + "]"]


def block(name, inputs, outputs, *more):
    print("# test: " + name)
    for kind, values in ("in ", inputs), ("out", outputs):
        for key, value in values.items():
            head = f"#   {kind} {key} = "
            first, *rest = lines(value, 112 - len(head))
            print(head + first)
            for line in rest:
                print("#" + " " * (len(head) - 1) + line)
    for line in more:
        print("#   " + line)
    print()


def drawn(*shape, low=-8, high=8, scale=0.125, seed=1):
    """Numbers that are exact in few digits."""
    return np.random.default_rng(seed).integers(low, high + 1, shape) * scale


def f32(x):
    return np.asarray(x, np.float32)


def imaging():
    image, R, near, similar = f32(drawn(4, 5)), 1, 0.5, 2.0
    at = np.pad(image.astype(np.float64), R, mode="edge")
    smooth = np.empty((4, 5))
    for y in range(4):
        for x in range(5):
            window = at[y:y + 2*R + 1, x:x + 2*R + 1]
            d = np.arange(-R, R + 1)
            w = np.exp(-near * (d[:, None]**2 + d**2) - similar * (window - at[y + R, x + R])**2)
            smooth[y, x] = (w * window).sum() / w.sum()
    block("bilateral by NumPy", dict(image=image, R=R, near=near, similar=similar), dict(smooth=f32(smooth)))

    image = drawn(5, 7, low=0, high=255, scale=1, seed=2).astype(np.uint8)
    at = np.pad(image, 1, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(at, (3, 3)).reshape(5, 7, 9)
    block("median by NumPy", dict(image=image), dict(middle=np.median(windows, axis=2).astype(np.uint8)))

    image = f32(drawn(3, 4, seed=3))
    h, w = 5, 3
    sy, sx = (np.arange(h) + 0.5) * 3 / h - 0.5, (np.arange(w) + 0.5) * 4 / w - 0.5
    rows = np.array([np.interp(sy, np.arange(3), image[:, k].astype(np.float64)) for k in range(4)]).T  # np.interp stays at its ends
    scaled = np.array([np.interp(sx, np.arange(4), row) for row in rows])
    block("resize by NumPy's interp", dict(image=image, h=h, w=w), dict(scaled=f32(scaled)))

    image = drawn(5, 6, low=0, high=99, scale=1, seed=4).astype(np.uint8)
    element = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]], bool)

    def rank(image, element, outside, choose, sign):
        at = np.pad(image, 1, constant_values=outside)
        moved = [at[1 + sign*(a - 1):6 + sign*(a - 1), 1 + sign*(b - 1):7 + sign*(b - 1)] for a in range(3) for b in range(3) if element[a, b]]
        return choose(moved, axis=0)

    eroded = rank(image, element, 255, np.min, 1)
    block("erode by NumPy", dict(image=image, element=element), dict(eroded=eroded))
    block("dilate by NumPy", dict(image=image, element=element), dict(dilated=rank(image, element, 0, np.max, -1)))
    block("opening by NumPy", dict(image=image, element=element), dict(opened=rank(eroded, element, 0, np.max, -1)))

    image = (drawn(5, 6, low=0, high=12, scale=1, seed=5)**2 // 3 + 40).astype(np.uint8)
    count = np.bincount(image.ravel(), minlength=256)
    below = count.cumsum()
    first = below[count > 0].min()
    tone = np.floor(255 * (below - first) / (image.size - first) + 0.5)
    block("equalise by NumPy", dict(image=image), dict(equal=tone[image].astype(np.uint8)))


def learning():
    X = f32(drawn(3, 2, 3, 2))
    base = 10.0
    turned = (X[..., 0] + 1j * X[..., 1]) * np.exp(1j * np.arange(3)[:, None, None] * base ** (-np.arange(3) / 3))
    block("rotary by complex numbers of NumPy", dict(X=X, base=base), dict(Y=f32(np.stack([turned.real, turned.imag], -1))))

    X, centre = f32(drawn(7, 2, seed=6)), f32([[-1, 0], [0.5, 0.5], [9, 9]])
    nearest = np.linalg.norm(X[:, None] - centre, axis=2).argmin(1)
    moved = np.array([X[nearest == k].mean(0) if (nearest == k).any() else centre[k] for k in range(3)])
    block("kmeans by NumPy", dict(X=X, centre=centre), dict(nearest=nearest, moved=f32(moved)))

    logits, label = f32(drawn(3, 4, scale=1, seed=7)), np.array([2, 0, 3])
    p = np.exp(logits.astype(np.float64))
    p /= p.sum(1, keepdims=True)
    one = np.eye(4)[label]
    block("cross_entropy by NumPy", dict(logits=logits, label=label), dict(loss=f32(-np.log(p[np.arange(3), label]).mean()), grad=f32((p - one) / 3)))

    X, gamma = f32(drawn(2, 5, seed=8)), f32(drawn(5, seed=9))
    block("rms_norm by NumPy", dict(X=X, gamma=gamma, eps=0.0625), dict(Y=f32(X / np.sqrt((X.astype(np.float64)**2).mean(1, keepdims=True) + 0.0625) * gamma)))

    X, q = f32(drawn(2, 6, seed=10)), drawn(3, 6, low=0, high=15, scale=1, seed=11).astype(np.uint8)
    scale, zero = f32(drawn(3, 2, low=1, seed=12)), drawn(3, 2, low=6, high=9, scale=1, seed=13).astype(np.uint8)
    W = np.repeat(scale, 3, 1) * (q.astype(np.float64) - np.repeat(zero, 3, 1))
    packed = q[:, 0::2] + 16 * q[:, 1::2]
    block("linear_int4 by NumPy", dict(X=X, packed=packed, scale=scale, zero=zero, G=3), dict(Y=f32(X @ W.T)))

    rng = np.random.default_rng(14)
    X, W = rng.integers(-128, 128, (3, 8)), rng.integers(-128, 128, (4, 8))
    bias, multiplier, shift = rng.integers(-5000, 5000, 4), rng.integers(1 << 30, (1 << 31) - 1, 4), np.array([7, 8, 9, 6])
    exact = [[(int(s) * int(m)) * 2.0 ** -(31 + int(k)) for s, m, k in zip(row, multiplier, shift)] for row in X @ W.T + bias]
    Y = np.clip(np.floor(np.array(exact) + 0.5) - 3, -128, 127).astype(np.int8)  # doubles hold these products
    block("linear_int8 by NumPy", dict(X=X, W=W, bias=bias, multiplier=multiplier, shift=shift, zero=-3), dict(Y=Y))

    s, v = f32(drawn(4, 4, scale=1, seed=15)), f32(drawn(4, 2, seed=16))
    largest = np.array([s[i, :i + 1].max() for i in range(4)])
    w = np.tril(np.exp(s.astype(np.float64) - largest[:, None]))
    full = lambda x: f32(np.repeat(x[:, None], 2, 1))
    block("causal_parts by NumPy", dict(s=s, v=v), dict(O_largest=full(largest), O_sum=full(w.sum(1)), O_value=f32(w @ v)))


def signals():
    x, h = f32(drawn(9, seed=17)), f32(drawn(4, seed=18))
    y = np.convolve(x.astype(np.float64), h)[:9]
    block("fir by NumPy's convolve", dict(x=x, h=h), dict(y=f32(y)))
    block("decimate by NumPy's convolve", dict(x=x, h=h), dict(y=f32(y[::2])))

    re, im = f32(drawn(8, seed=19)), f32(drawn(8, seed=20))
    z = np.fft.fft(re + 1j * im)
    block("fft8 by NumPy's fft", dict(re=re, im=im), dict(RE=f32(z.real), IM=f32(z.imag)))

    S, T = 4, 3
    phase = np.exp(2j * np.pi * 0.5 * np.arange(S) * 0.25)[:, None]  # a wave from the direction 0.25, and noise
    z = np.round((phase * np.array([1, 1j, -1]) + drawn(S, T, scale=0.0625, seed=21)) * 64) / 64
    direction = f32([-0.5, 0, 0.25, 0.75])
    steer = np.exp(-2j * np.pi * 0.5 * np.outer(direction, np.arange(S)))
    power = (np.abs(steer @ z)**2).sum(1) / (S * S * T)
    block("beamformer by NumPy", dict(re=f32(z.real), im=f32(z.imag), direction=direction, spacing=0.5), dict(power=f32(power)))


def science():
    position, mass, eps = drawn(4, 3, seed=22), drawn(4, low=1, seed=23), 0.25
    a = np.zeros((4, 3))
    for i in range(4):
        for j in range(4):
            d = position[j] - position[i]
            a[i] += mass[j] * d / (d @ d + eps**2)**1.5
    block("nbody by NumPy", dict(position=position, mass=mass, eps=eps), dict(acceleration=a))

    T, hot, alpha = drawn(4, 5, scale=1, seed=24), 16.0, 0.125
    left = np.hstack([np.full((4, 1), hot), T[:, :-1]])
    right = np.hstack([T[:, 1:], T[:, -1:]])
    block("heat_plate by NumPy", dict(T=T, hot=hot, alpha=alpha), dict(next=T + alpha * (left + right + np.roll(T, 1, 0) + np.roll(T, -1, 0) - 4 * T)))

    X = drawn(5, 3, seed=25)
    cov = np.cov(X.T)
    block("covariance by NumPy's cov", dict(X=X), dict(mean=X.mean(0), cov=cov))
    P = np.array([[2, 0.5, 0], [0.5, 1, -0.25], [0, -0.25, 1.5]])
    d = X - X[0]
    block("mahalanobis by NumPy's einsum", dict(X=X, mean=X[0], P=P), dict(distance=np.einsum("nd,de,ne->n", d, P, d)))

    spin = np.where(drawn(4, 5, seed=26) > 0, 1, -1)
    neighbours = sum(np.roll(spin, s, a) for s in (1, -1) for a in (0, 1))
    block("ising by NumPy", dict(spin=spin), dict(energy=-(spin * neighbours).sum() // 2, cost=2 * spin * neighbours))


def tables():
    value, group = f32(drawn(8, seed=27)), np.array([2, 0, 2, 4, 0, 0, 2, 4])
    count, total = np.bincount(group, minlength=5), np.bincount(group, value, 5)
    block("group_sums by NumPy's bincount", dict(value=value, group=group, groups=5), dict(sum=f32(total), count=count, mean=f32(total / np.maximum(count, 1))))

    value, first = drawn(8, seed=28), np.array([0, 3, 3, 4, 8])
    block("segment_sums by NumPy", dict(value=value, first=first), dict(sum=[value[a:b].sum() for a, b in zip(first, first[1:])]))

    row = [np.flatnonzero(group == g)[value[group == g].argmax()] if (group == g).any() else -1 for g in range(5)]
    best = [value[r] if r >= 0 else -1e30 for r in row]
    block("best_of_groups by NumPy", dict(score=f32(value), group=group, groups=5), dict(row=row, best=f32(best)))


def bits():
    rng = np.random.default_rng(29)
    A, B = rng.integers(0, 1 << 63, (2, 2), np.uint64), rng.integers(0, 1 << 63, (3, 2), np.uint64)
    distance = np.array([[sum(bin(int(x ^ y)).count("1") for x, y in zip(a, b)) for b in B] for a in A])
    block("hamming by Python's integers", dict(A=A, B=B), dict(distance=distance, nearest=distance.argmin(1)))
    signs = lambda M: np.array([[1 - 2 * (int(w) >> k & 1) for w in row for k in range(64)] for row in M])
    block("sign_product by NumPy, of matrices that are written out", dict(A=A, B=B), dict(C=signs(A) @ signs(B).T))

    x = np.array([0, 1, 2, 3, 12, 4095, 65536, 0xFFFFFFFF])
    block("gray by Python's integers", dict(x=x), dict(code=x ^ x >> 1, logarithm=[int(v).bit_length() - 1 for v in x]))

    x, y = np.array([0, 1, 0, 3, 5, 1000, 65535]), np.array([0, 0, 1, 3, 6, 999, 65535])
    turns = lambda v: int("0" + "0".join(format(int(v), "016b")), 2)
    block("morton by digits of Python", dict(x=x, y=y), dict(z=[turns(a) | turns(b) << 1 for a, b in zip(x, y)]))

    f = f32([1, -2.5, 0.15625, 3e38, -1e-20])
    m, e = np.frexp(f)
    block("parts by NumPy's frexp", dict(pattern=f.view(np.uint32)), dict(sign=np.signbit(f).astype(int), exponent=e - 1, fraction=[int((abs(v) * 2 - 1) * 2**23) for v in m.astype(float)]))

    image = drawn(2, 17, low=0, high=9, scale=1, seed=30).astype(np.uint8)
    block("bitmap by NumPy's packbits", dict(image=image, limit=4), dict(bits=np.packbits(image[:, :16] > 4, axis=1)))


for field in imaging, learning, signals, science, tables, bits:
    print(f"# --- {field.__name__}\n")
    field()
