#!/usr/bin/env python3
"""Makes tests/golden/torch/transformer_*: transformers and their gradients by PyTorch, for core/transformer to agree with.

Layers are PyTorch's own where it has them (TransformerEncoderLayer, TransformerDecoderLayer, Conv1d, LayerNorm, and what its RNN and GRU call); the
blocks of GPT-2, Llama and BERT are written out. Needs python3-torch and python3-numpy; the tests need only what this writes:
  transformer_cases.txt     a line per case: its settings
  transformer_expected.npy  the float64 results one after the other, rounded to float32: output, logits, and the gradients of
                            the embeddings, the memory and every parameter, in the order of take_parameters()
Numbers come from inputs.npy, which make_torch.py writes, as there: consecutive ones from another place for each case.
"""
import math
import pathlib
import random

import numpy as np
import torch
from torch.nn.utils.stateless import functional_call

folder = pathlib.Path(__file__).parent / "torch"
pool = np.load(folder / "inputs.npy")


class Taker:
    def __init__(self, case):
        self.at = case * 101 % len(pool)

    def take(self, *shape):
        count = math.prod(shape)
        numbers = pool[np.arange(self.at, self.at + count) % len(pool)]
        self.at += count
        return numbers.reshape(shape)


def take_parameters(case, taker):
    """In the order of the computation, by the names that core/transformer gives them. A product is x · W + b."""
    found = {}

    def matrix(name, rows, cols):
        found[name] = taker.take(rows, cols) * np.float32(1 / math.sqrt(rows))

    def bias(name, cols):
        found[name] = taker.take(1, cols) * np.float32(0.3)

    def norm(name):
        found[name + "gain"] = taker.take(1, d) * np.float32(0.2) + np.float32(1)
        if case["norm"] == "layer-norm":
            bias(name + "bias", d)

    d, d_ff, heads, kv = case["d"], case["d_ff"], case["heads"], case["kv"]
    width, qkv_bias, out_bias, ff_bias = d // heads, case["qkv_bias"], case["out_bias"], case["ff_bias"]
    if case["vocabulary"]:
        matrix("words", case["vocabulary"], d)
    if case["positions"]:
        matrix("positions", case["positions"], d)
    if case["segments"]:
        matrix("segments", case["segments"], d)
    if case["embedding_norm"]:
        norm("embedding_norm.")
    for layer in range(case["layers"]):
        for part in [case["mixer"]] + ["cross"] * case["cross"] + ["feed_forward"] * (case["ff"] != "none"):
            prefix = f"layers.{layer}.{part}."
            if case["place"] != "none":
                norm(prefix + "norm.")
            if part in ("attention", "cross"):
                for letter, columns in (("q", heads * width), ("k", kv * width), ("v", kv * width)):
                    matrix(prefix + "w_" + letter, d, columns)
                    if qkv_bias:
                        bias(prefix + "b_" + letter, columns)
                matrix(prefix + "w_o", heads * width, d)
                if out_bias:
                    bias(prefix + "b_o", d)
            elif part == "convolution":
                for tap in range(case["kernel"]):
                    matrix(f"{prefix}taps.{tap}", d, d)
                if out_bias:
                    bias(prefix + "bias", d)
            elif part in ("recurrence", "gru"):
                gates = 3 if part == "gru" else 1
                matrix(prefix + "w_in", d, gates * d)
                matrix(prefix + "w_state", d, gates * d)
                if out_bias:
                    bias(prefix + "b_in", gates * d)
                    bias(prefix + "b_state", gates * d)
            else:
                for name in ["in"] + ["gate"] * (case["ff"] == "swiglu"):
                    matrix(prefix + "w_" + name, d, d_ff)
                    if ff_bias:
                        bias(prefix + "b_" + name, d_ff)
                matrix(prefix + "w_out", d_ff, d)
                if ff_bias:
                    bias(prefix + "b_out", d)
    if case["final_norm"]:
        norm("final_norm.")
    if case["head"] == "own":
        matrix("head", d, case["vocabulary"])
    if case["head_bias"]:
        bias("head_bias", case["vocabulary"])
    return found


def hidden_mask(case, n, dtype):
    """What attention adds to its scores: -inf above the diagonal where causal."""
    return torch.full((n, n), -math.inf, dtype=dtype).triu(1) if case["causal"] else torch.zeros(n, n, dtype=dtype)


def normed(case, x, t, prefix):
    if case["norm"] == "rms-norm":
        return x / (x.pow(2).mean(-1, keepdim=True) + case["eps"]).sqrt() * t[prefix + "gain"][0]
    layer_norm = torch.nn.LayerNorm(x.shape[-1], eps=case["eps"]).to(x.dtype)
    return functional_call(layer_norm, {"weight": t[prefix + "gain"][0], "bias": t[prefix + "bias"][0]}, (x,))


def linear(x, t, prefix, name):
    bias = t.get(f"{prefix}b_{name}")
    return x @ t[f"{prefix}w_{name}"] + (0 if bias is None else bias)


def turned(x):
    n, width = x.shape[-2:]
    frequency = 10000.0 ** (-2.0 * torch.arange(width // 2, dtype=torch.float64) / width)
    angle = torch.arange(n, dtype=torch.float64)[:, None] * frequency
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * angle.cos() - odd * angle.sin(), even * angle.sin() + odd * angle.cos()], -1).flatten(-2)


def attention(case, x, t, prefix):
    """The attention of GPT-2 and Llama, head by head."""
    n, heads, kv = x.shape[0], case["heads"], case["kv"]
    split = lambda name, count: linear(x, t, prefix, name).reshape(n, count, -1).transpose(0, 1)
    q, k, v = split("q", heads), split("k", kv), split("v", kv)
    if case["position"] == "rope":
        q, k = turned(q), turned(k)
    k, v = k.repeat_interleave(heads // kv, 0), v.repeat_interleave(heads // kv, 0)
    scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1]) + hidden_mask(case, n, x.dtype)
    joined = (torch.softmax(scores, -1) @ v).transpose(0, 1).reshape(n, -1)
    return linear(joined, t, prefix, "o")


def convolution(case, x, t, prefix, layer):
    kernel, dilation = case["kernel"], case["dilation"] * case["growth"] ** layer
    weight = torch.stack([t[f"{prefix}taps.{tap}"].T for tap in range(kernel)], -1)
    reach = (kernel - 1) * dilation
    left = reach if case["causal"] else reach // 2
    padded = torch.nn.functional.pad(x.T[None], (left, reach - left))
    module = torch.nn.Conv1d(case["d"], case["d"], kernel, dilation=dilation).to(x.dtype)
    bias = t.get(prefix + "bias", torch.zeros(1, case["d"], dtype=x.dtype))[0]
    return functional_call(module, {"weight": weight, "bias": bias}, (padded,))[0].T


def recurrence(case, x, t, prefix):
    """What torch.nn.RNN and torch.nn.GRU call."""
    zeros = torch.zeros(1, t[prefix + "w_in"].shape[1], dtype=x.dtype)
    weights = [t[prefix + "w_in"].T, t[prefix + "w_state"].T, t.get(prefix + "b_in", zeros)[0],
               t.get(prefix + "b_state", zeros)[0]]
    state = torch.zeros(1, 1, case["d"], dtype=x.dtype)
    run = torch.gru if case["mixer"] == "gru" else torch.rnn_tanh
    return run(x[:, None], state, weights, True, 1, 0.0, False, False, False)[0][:, 0]


def feed_forward(case, x, t, prefix):
    inside = linear(x, t, prefix, "in")
    functional = torch.nn.functional
    if case["ff"] == "swiglu":
        units = functional.silu(linear(x, t, prefix, "gate")) * inside
    else:
        units = {"relu": functional.relu, "gelu": functional.gelu,
                 "gelu-tanh": lambda u: functional.gelu(u, approximate="tanh")}[case["ff"]](inside)
    return linear(units, t, prefix, "out")


def written_out(case, x, t):
    """Any block, part by part."""
    for layer in range(case["layers"]):
        for part in [case["mixer"]] + ["feed_forward"] * (case["ff"] != "none"):
            prefix = f"layers.{layer}.{part}."
            read = normed(case, x, t, prefix + "norm.") if case["place"] == "before" else x
            if part == "attention":
                write = attention(case, read, t, prefix)
            elif part == "convolution":
                write = convolution(case, read, t, prefix, layer)
            elif part == "feed_forward":
                write = feed_forward(case, read, t, prefix)
            else:
                write = recurrence(case, read, t, prefix)
            x = x + write if case["residual"] else write
            x = normed(case, x, t, prefix + "norm.") if case["place"] == "after" else x
    return x


def module_state(t, prefix, parts):
    """Our parameters as PyTorch's layers name them."""
    state = {}
    for place, (part, name) in enumerate(parts, 1):
        own = f"{prefix}{part}."
        state[f"norm{place}.weight"], state[f"norm{place}.bias"] = t[own + "norm.gain"][0], t[own + "norm.bias"][0]
        if part == "feed_forward":
            state["linear1.weight"], state["linear1.bias"] = t[own + "w_in"].T, t[own + "b_in"][0]
            state["linear2.weight"], state["linear2.bias"] = t[own + "w_out"].T, t[own + "b_out"][0]
            continue
        state[name + ".in_proj_weight"] = torch.cat([t[own + "w_" + letter].T for letter in "qkv"])
        state[name + ".in_proj_bias"] = torch.cat([t[own + "b_" + letter][0] for letter in "qkv"])
        state[name + ".out_proj.weight"], state[name + ".out_proj.bias"] = t[own + "w_o"].T, t[own + "b_o"][0]
    return state


def pytorch_layers(case, x, memory, t):
    sizes = dict(d_model=case["d"], nhead=case["heads"], dim_feedforward=case["d_ff"], dropout=0.0, activation=case["ff"],
                 layer_norm_eps=case["eps"], batch_first=True, norm_first=case["place"] == "before", dtype=x.dtype)
    mask = hidden_mask(case, x.shape[0], x.dtype)
    for layer in range(case["layers"]):
        prefix = f"layers.{layer}."
        if case["cross"]:
            parts = [("attention", "self_attn"), ("cross", "multihead_attn"), ("feed_forward", "")]
            module, arguments = torch.nn.TransformerDecoderLayer(**sizes), (x[None], memory[None], mask)
        else:
            parts = [("attention", "self_attn"), ("feed_forward", "")]
            module, arguments = torch.nn.TransformerEncoderLayer(**sizes), (x[None], mask)
        x = functional_call(module, module_state(t, prefix, parts), arguments)[0]
    return x


def results(case, number):
    taker = Taker(number)
    numbers = take_parameters(case, taker)
    t = {name: torch.tensor(a, dtype=torch.float64).requires_grad_() for name, a in numbers.items()}
    n, d = case["n"], case["d"]
    tokens = [(3 * i + number) % case["vocabulary"] for i in range(n)] if case["vocabulary"] else []
    segments = [i % case["segments"] for i in range(n)] if case["segments"] else []
    given = torch.tensor(taker.take(n, d), dtype=torch.float64)
    memory = torch.tensor(taker.take(case["m"], d), dtype=torch.float64).requires_grad_()
    words = t["words"][tokens] if tokens else given.requires_grad_()
    if tokens:
        words.retain_grad()
    x = words
    if case["positions"]:
        x = x + t["positions"][:n]
    if segments:
        x = x + t["segments"][segments]
    if case["embedding_norm"]:
        x = normed(case, x, t, "embedding_norm.")
    x = pytorch_layers(case, x, memory, t) if case["by"] == "pytorch" else written_out(case, x, t)
    if case["final_norm"]:
        x = normed(case, x, t, "final_norm.")
    logits = None
    if case["head"] != "none":
        logits = x @ (t["words"].T if case["head"] == "tied" else t["head"]) + t.get("head_bias", 0)
    loss = (x * torch.tensor(taker.take(n, d))).sum()
    if logits is not None:
        loss = loss + (logits * torch.tensor(taker.take(n, case["vocabulary"]))).sum()
    loss.backward()
    found = [x] + ([logits] if logits is not None else []) + [words.grad] + ([memory.grad] if case["cross"] else [])
    found += [t[name].grad if t[name].grad is not None else torch.zeros_like(t[name]) for name in numbers]
    return [a.detach().numpy() for a in found]


def choose_cases():
    dice = random.Random(3)
    plain = dict(by="written", mixer="attention", layers=1, d=8, heads=2, kv=2, d_ff=12, n=5, m=4, norm="layer-norm",
                 place="before", eps=1e-5, ff="gelu", causal=0, residual=1, qkv_bias=1, out_bias=1, ff_bias=1, cross=0,
                 vocabulary=0, positions=0, segments=0, embedding_norm=0, final_norm=0, head="none", head_bias=0,
                 position="none", kernel=3, dilation=1, growth=1)
    sizes = lambda: dict(layers=dice.choice([1, 2]), n=dice.choice([1, 3, 5, 6]), heads=dice.choice([1, 2, 4]))
    cases = []

    def add(**change):
        case = plain | change
        case["kv"] = change.get("kv", case["heads"])
        cases.append(case)

    for ff in ("relu", "gelu"):
        for place in ("before", "after"):
            for causal in (0, 1):
                add(by="pytorch", ff=ff, place=place, causal=causal, **sizes())
            add(by="pytorch", ff=ff, place=place, causal=1, cross=1, m=dice.choice([1, 4, 7]), **sizes())
    for _ in range(4):  # GPT-2
        add(ff="gelu-tanh", causal=1, vocabulary=7, positions=6, final_norm=1, head="tied",
            head_bias=dice.choice([0, 1]), **sizes())
    for _ in range(5):  # Llama
        size = sizes()
        add(norm="rms-norm", ff="swiglu", causal=1, vocabulary=6, final_norm=1, head="own", position="rope", qkv_bias=0,
            out_bias=0, ff_bias=0, kv=dice.choice([k for k in (1, 2, 4) if size["heads"] % k == 0]), **size)
    for _ in range(2):  # BERT
        add(place="after", vocabulary=7, positions=6, segments=2, embedding_norm=1, eps=1e-12, **sizes())
    for residual in (0, 1):  # with parts left out
        for place in ("none", "before", "after"):
            add(place=place, residual=residual, ff=dice.choice(["none", "gelu-tanh", "swiglu"]), causal=residual,
                qkv_bias=residual, **sizes())
    for mixer in ("recurrence", "gru"):
        add(mixer=mixer, ff="relu", **sizes())
        add(mixer=mixer, ff="none", place="none", residual=0, out_bias=0, n=6)
    for kernel, dilation, growth, causal in ((3, 1, 1, 0), (3, 2, 2, 0), (5, 1, 1, 0), (2, 1, 2, 1), (3, 2, 1, 1)):
        add(mixer="convolution", ff=dice.choice(["none", "relu"]), kernel=kernel, dilation=dilation, growth=growth,
            causal=causal, layers=2, n=6, out_bias=causal)
    return cases


def main():
    lines, numbers = [], []
    for number, case in enumerate(choose_cases()):
        found = results(case, number)
        assert all(np.isfinite(a).all() for a in found), case
        lines.append(" ".join(f"{name}={value}" for name, value in case.items()))
        numbers += [a.astype(np.float32).ravel() for a in found]
    np.save(folder / "transformer_expected.npy", np.concatenate(numbers))
    (folder / "transformer_cases.txt").write_text("\n".join(lines) + "\n")
    print(len(lines), "cases,", sum(a.size for a in numbers), "numbers")


if __name__ == "__main__":
    main()
