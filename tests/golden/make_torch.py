#!/usr/bin/env python3
"""Makes tests/golden/torch: attention and its gradients by PyTorch's autograd, for the core to agree with.

Needs python3-torch and python3-numpy; the tests need only what this writes:
  inputs.npy    random numbers, standard normal, that every case takes its matrices from, in the order of take() calls
  cases.txt     a line per case: its settings, and the worst errors of PyTorch's own float32 against its float64
  expected.npy  the float64 results one after the other, rounded to float32

Settings are combined so that every three of them meet in some case.
"""
import itertools
import math
import pathlib
import random

import numpy as np
import torch

folder = pathlib.Path(__file__).parent / "torch"

factors = {
    "score": ["scaled-dot", "dot", "cosine", "additive"],
    "scale": ["automatic", "off", "0.37"],
    "temperature": ["1", "0.4", "3", "0"],
    "softcap": ["none", "1.5"],
    "mask": ["none", "causal", "offset", "window", "padding", "painted", "blind", "stride", "block", "global"],
    "masked_row": ["zero", "uniform"],
    "bias": ["none", "shared", "per-head"],
    "position": ["none", "rope", "alibi", "sinusoidal"],
    "normalizer": ["softmax", "naive-softmax", "sparsemax", "l1", "l2", "argmax"],
    "heads": ["2/2", "4/2", "3/1"],
    "shape": ["3x5x4x2", "5x3x3x2", "1x4x2x1", "4x4x4x3"],
    "source": ["direct", "self", "cross"],
    "output_projection": ["0", "1"],
    "gains": ["plain", "mixed"],
    "size": ["1", "6"],
}
d_model, d_additive = 3, 2
pool = np.random.RandomState(2017).standard_normal(8192).astype(np.float32)


class Taker:
    """Hands out consecutive numbers of the pool, starting at another place for each case."""

    def __init__(self, case):
        self.at = case * 101 % len(pool)

    def take(self, *shape, factor=1.0):
        count = math.prod(shape)
        numbers = pool[np.arange(self.at, self.at + count) % len(pool)] * np.float32(factor)
        self.at += count
        return numbers.reshape(shape)


def sizes(case):
    n, m, d_k, d_v = map(int, case["shape"].split("x"))
    heads, kv_heads = map(int, case["heads"].split("/"))
    if case["source"] == "self":
        m = n
    return n, m, d_k, d_v, heads, kv_heads


def offset_of(case):
    return {"offset": 2, "blind": -2}.get(case["mask"], 0)


def take_inputs(case, number):
    n, m, d_k, d_v, heads, kv_heads = sizes(case)
    taker, size = Taker(number), float(case["size"])
    projection = size / math.sqrt(d_model)
    inputs = {
        "q": taker.take(heads, n, d_k, factor=size),
        "k": taker.take(kv_heads, m, d_k, factor=size),
        "v": taker.take(kv_heads, m, d_v),
        "x": taker.take(n, d_model),
        "y": taker.take(m, d_model),
        "w_q": taker.take(heads, d_model, d_k, factor=projection),
        "w_k": taker.take(kv_heads, d_model, d_k, factor=projection),
        "w_v": taker.take(kv_heads, d_model, d_v, factor=projection),
        "w_o": taker.take(heads, d_v, d_model),
        "additive_w_q": taker.take(d_additive, d_k),
        "additive_w_k": taker.take(d_additive, d_k),
        "additive_v": taker.take(1, d_additive, factor=size),
        "bias": taker.take(heads if case["bias"] == "per-head" else 1, n, m),
    }
    inputs["bias"][inputs["bias"] < -1.2] = -np.inf
    painted = taker.take(heads, n, m) > -0.6
    columns = d_model if case["output_projection"] == "1" else heads * d_v
    return inputs, painted, taker.take(n, columns)


def visible_cells(case, inputs, painted):
    n, m, _, _, heads, _ = sizes(case)
    mask, i, j = case["mask"], np.arange(n)[:, None] + offset_of(case), np.arange(m)[None, :]
    seen = np.ones((heads, n, m), dtype=bool)
    if mask in ("causal", "offset", "blind"):
        seen &= j <= i
    if mask in ("padding", "blind"):
        seen &= j < m - 1
    if mask == "window":
        seen &= (j >= i - 1) & (j <= i + 0)
    if mask == "painted":
        seen &= painted
    if mask == "stride":
        seen &= abs(i - j) % 2 == 0
    if mask == "block":
        seen &= i // 2 == j // 2
    if mask == "global":
        seen &= (abs(i - j) <= 1) | (i < 1) | (j < 1)
    if case["bias"] != "none":
        seen &= ~np.isneginf(inputs["bias"])
    return seen


def sinusoidal(rows, d, first, like):
    position = torch.arange(first, first + rows, dtype=torch.float64)[:, None]
    frequency = 10000.0 ** (-(torch.arange(d, dtype=torch.float64) // 2 * 2) / d)
    table = torch.where(torch.arange(d) % 2 == 0, torch.sin(position * frequency), torch.cos(position * frequency))
    return table.to(like.dtype)


def turned(x, first):
    rows, d = x.shape[-2:]
    pairs = d // 2
    frequency = 10000.0 ** (-2.0 * torch.arange(pairs, dtype=torch.float64) / d)
    angle = torch.arange(first, first + rows, dtype=torch.float64)[:, None] * frequency
    cosine, sine = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    even, odd = x[..., 0 : 2 * pairs : 2], x[..., 1 : 2 * pairs : 2]
    both = torch.stack([even * cosine - odd * sine, even * sine + odd * cosine], -1).flatten(-2)
    return torch.cat([both, x[..., 2 * pairs :]], -1)


def slopes(heads):
    """As in the ALiBi paper's code."""
    if math.log2(heads).is_integer():
        start = 2 ** (-(2 ** -(math.log2(heads) - 3)))
        return [start ** (h + 1) for h in range(heads)]
    power = 2 ** math.floor(math.log2(heads))
    return slopes(power) + slopes(2 * power)[0::2][: heads - power]


def scores_of(case, t, q, k):
    if case["score"] == "additive":
        from_q, from_k = q @ t["additive_w_q"].T, k @ t["additive_w_k"].T
        return (torch.tanh(from_q[:, :, None] + from_k[:, None, :]) * t["additive_v"][0]).sum(-1)
    if case["score"] == "cosine":
        q, k = torch.nn.functional.normalize(q, dim=-1, eps=0), torch.nn.functional.normalize(k, dim=-1, eps=0)
    return q @ k.transpose(-1, -2)


def sparsemax(logits):
    ordered = logits.sort(-1, descending=True).values
    total = ordered.cumsum(-1)
    count = torch.arange(1, logits.shape[-1] + 1, dtype=logits.dtype)
    support = (1 + count * ordered > total).sum(-1, keepdim=True)
    threshold = (total.gather(-1, support - 1) - 1) / support
    return (logits - threshold).clamp(min=0)


def weights_of(rule, logits, seen):
    shown = logits.masked_fill(~seen, -math.inf)
    some = seen.any(-1, keepdim=True)
    shown = torch.where(some, shown, torch.zeros_like(shown))  # the policy replaces such rows afterwards
    if rule == "softmax":
        return torch.softmax(shown, -1)
    if rule == "naive-softmax":
        power = shown.exp()
        return power / power.sum(-1, keepdim=True)
    if rule == "sparsemax":
        return sparsemax(shown.masked_fill(shown == -math.inf, -1e6))
    if rule == "argmax":
        top = (shown == shown.max(-1, keepdim=True).values).to(logits.dtype)
        return (top / top.sum(-1, keepdim=True)).detach()
    signed = logits.masked_fill(~seen, 0)
    norm = signed.abs().sum(-1, keepdim=True) if rule == "l1" else signed.pow(2).sum(-1, keepdim=True).sqrt()
    return signed / torch.where(some, norm, torch.ones_like(norm))


def attention(case, t, seen):
    n, m, d_k, d_v, heads, kv_heads = sizes(case)
    offset, position = offset_of(case), case["position"]
    if case["source"] == "direct":
        q, k, v = t["q"], t["k"], t["v"]
        if position == "sinusoidal":
            q, k = q + sinusoidal(n, d_k, offset, q), k + sinusoidal(m, d_k, 0, k)
    else:
        x, y = t["x"], t["x"] if case["source"] == "self" else t["y"]
        if position == "sinusoidal":
            root = math.sqrt(d_model)
            x, y = x * root + sinusoidal(n, d_model, offset, x), y * root + sinusoidal(m, d_model, 0, y)
        q, k, v = x @ t["w_q"], y @ t["w_k"], y @ t["w_v"]
    if position == "rope":
        q, k = turned(q, offset), turned(k, 0)
    k, v = k.repeat_interleave(heads // kv_heads, 0), v.repeat_interleave(heads // kv_heads, 0)

    temperature, normalizer = float(case["temperature"]), case["normalizer"]
    automatic = 1 / math.sqrt(d_k) if case["score"] == "scaled-dot" else 1.0
    scale = {"automatic": automatic, "off": 1.0}.get(case["scale"]) or float(np.float32(case["scale"]))
    logits = scores_of(case, t, q, k) * scale
    if temperature != 0:
        logits = logits / float(np.float32(temperature))
    if case["softcap"] != "none":
        cap = float(case["softcap"])
        logits = cap * torch.tanh(logits / cap) if temperature != 0 else cap * torch.sign(logits)
    bias = torch.zeros_like(logits)
    if case["bias"] != "none":
        bias = bias + t["bias"].masked_fill(t["bias"] == -math.inf, 0)
    if position == "alibi":
        distance = (torch.arange(n)[:, None] + offset - torch.arange(m)[None, :]).abs().to(logits.dtype)
        bias = bias - torch.tensor(slopes(heads), dtype=logits.dtype)[:, None, None] * distance
    if temperature != 0 or case["softcap"] != "none":
        logits = logits + bias
    elif normalizer not in ("l1", "l2"):  # s/T + b as T goes to 0: the largest s win, b decides among them
        shown = logits.masked_fill(~seen, -math.inf)
        wins = shown == shown.max(-1, keepdim=True).values
        ties = weights_of(normalizer, bias, seen & wins)
        weights = torch.where(seen & wins, ties, torch.zeros_like(ties)).detach()
    else:  # divided by its size, only s is left of s/T + b
        assert ((logits != 0) & seen).any(-1)[seen.any(-1)].all()
    blind = ~seen.any(-1, keepdim=True)
    policy = 1 / m if case["masked_row"] == "uniform" else 0.0
    if temperature != 0 or case["softcap"] != "none" or normalizer in ("l1", "l2"):
        weights = weights_of(normalizer, logits, seen)
    weights = torch.where(blind, torch.full_like(logits, policy), weights)
    output = weights @ v
    gains = torch.ones(heads, dtype=output.dtype)
    if case["gains"] == "mixed":
        gains[0], gains[-1] = 0.0, -0.5
    output = output * gains[:, None, None]
    joined = (output @ t["w_o"]).sum(0) if case["output_projection"] == "1" else output.transpose(0, 1).reshape(n, -1)
    return logits, weights, joined


def used_inputs(case):
    names = ["q", "k", "v"] if case["source"] == "direct" else ["x", "w_q", "w_k", "w_v"]
    names += ["y"] if case["source"] == "cross" else []
    names += ["w_o"] if case["output_projection"] == "1" else []
    return names + (["additive_w_q", "additive_w_k", "additive_v"] if case["score"] == "additive" else [])


def results(case, number, dtype):
    inputs, painted, d_output = take_inputs(case, number)
    t = {name: torch.tensor(a, dtype=dtype) for name, a in inputs.items()}
    for name in used_inputs(case):
        t[name].requires_grad_()
    seen = torch.tensor(visible_cells(case, inputs, painted))
    logits, weights, output = attention(case, t, seen)
    loss = (output * torch.tensor(d_output, dtype=dtype)).sum()
    if loss.requires_grad:
        loss.backward()
    gradients = [t[name].grad if t[name].grad is not None else torch.zeros_like(t[name]) for name in used_inputs(case)]
    return logits, [a.detach().double().numpy() for a in [weights, output] + gradients]


def is_fair(case, number):
    """Where float32 itself would overflow or jump, there is nothing to agree about."""
    inputs, painted, _ = take_inputs(case, number)
    t = {name: torch.tensor(a, dtype=torch.float64) for name, a in inputs.items()}
    seen = torch.tensor(visible_cells(case, inputs, painted))
    logits, weights, _ = attention(case, t, seen)
    shown = logits[seen]
    if shown.numel() == 0:
        return True
    at_limit = case["temperature"] == "0" and case["softcap"] == "none"
    if case["normalizer"] == "argmax" or (at_limit and case["normalizer"] not in ("l1", "l2")):
        top = logits.masked_fill(~seen, -math.inf).sort(-1, descending=True).values
        gap = (top[..., :1] - top[..., 1:2])[seen.any(-1)]
        return bool((gap.nan_to_num(1.0) > 1e-4).all())
    if case["normalizer"] == "naive-softmax":
        return bool(shown.abs().max() < 60)
    if case["normalizer"] in ("l1", "l2"):  # a row of nearly nothing divided by nearly nothing
        norm = logits.masked_fill(~seen, 0).abs().sum(-1)[seen.any(-1)]
        return bool((norm > 0.05).all())
    if case["normalizer"] == "sparsemax":  # within rounding of leaving the support
        return not bool(((weights > 0) & (weights < 1e-4)).any())
    return True


def choose_cases():
    """Greedy: of some random cases the one where most new triples of settings meet."""
    dice = random.Random(1)
    names = list(factors)
    triples = lambda case: {tuple((f, case[f]) for f in three) for three in itertools.combinations(names, 3)}
    missing = set()
    for three in itertools.combinations(names, 3):
        for values in itertools.product(*(factors[f] for f in three)):
            missing.add(tuple(zip(three, values)))
    total, cases = len(missing), []
    while missing and len(cases) < 700:
        seed = dict(dice.choice(sorted(missing))) if len(missing) < 2000 else {}
        best, gain = None, 0
        for _ in range(30):
            case = {f: dice.choice(values) for f, values in factors.items()} | seed
            new = len(triples(case) & missing)
            if new > gain and is_fair(case, len(cases)):
                best, gain = case, new
        if best is None:
            missing -= {t for t in missing if seed and dict(t) == seed}
            continue
        missing -= triples(best)
        cases.append(best)
    print(f"{len(cases)} cases; {len(missing)} of {total} triples left")
    return cases


def larger_cases():
    """A few of the sizes that models have, where sums are long."""
    plain = {name: values[0] for name, values in factors.items()} | {"shape": "12x20x64x16", "heads": "2/1"}
    changes = [{}, {"size": "6"}, {"mask": "causal", "position": "rope"}, {"position": "alibi", "softcap": "1.5"},
               {"scale": "off"}, {"temperature": "0.4"}, {"score": "cosine", "temperature": "0.4"}, {"score": "additive"},
               {"normalizer": "sparsemax"}, {"source": "cross", "output_projection": "1", "position": "sinusoidal"}]
    return [plain | change for change in changes]


def main():
    lines, numbers = [], []
    for number, case in enumerate(choose_cases() + larger_cases()):
        exact, rounded = results(case, number, torch.float64)[1], results(case, number, torch.float32)[1]
        errors = [np.abs(a - b).max(initial=0.0) for a, b in zip(exact, rounded)]
        assert all(np.isfinite(a).all() for a in exact), case
        settings = " ".join(f"{name}={value}" for name, value in case.items())
        lines.append(f"{settings} error_weights={errors[0]:.3g} error_output={errors[1]:.3g} "
                     f"error_gradients={max(errors[2:]):.3g}")
        numbers += [a.astype(np.float32).ravel() for a in exact]
    folder.mkdir(exist_ok=True)
    np.save(folder / "inputs.npy", pool)
    np.save(folder / "expected.npy", np.concatenate(numbers))
    (folder / "cases.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
