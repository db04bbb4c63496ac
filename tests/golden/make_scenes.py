#!/usr/bin/env python3
"""Writes every scene in assets/scenes/: those whose matrices are made by construction, and those that need only a seed.

The scenes are committed; run this again only to change one. --check writes nothing and fails where a file is not what is made
here, or is not made here at all; the tests run it. tests/files/example_scenes_test.cpp asserts that each does what its title says.
"""
import json
import math
import pathlib
import sys

folder = pathlib.Path(__file__).parents[2] / "assets" / "scenes"
is_check = sys.argv[1:] == ["--check"]
written, different = [], []


def text_of(value, indent=0):
    """JSON with one line for whatever is short, and for each row of a matrix."""
    line = json.dumps(value, ensure_ascii=False)
    is_row = isinstance(value, list) and not any(isinstance(part, (list, dict)) for part in value)
    if indent > 0 and (is_row or len(line) <= 90) or not isinstance(value, (list, dict)):
        return line
    margin = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{margin}{json.dumps(key)}: {text_of(part, indent + 2)}" for key, part in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(margin + text_of(part, indent + 2) for part in value) + "\n" + " " * indent + "]"


def write(name, title, title_zh, model, display):
    model = {"embeddings": "by-word", **model}  # words have vectors of their own in every new scene
    scene = {"heed": 1, "title": title, "title_zh": title_zh, "model": model, "display": display}
    path = folder / f"{name}.json"
    text = text_of(scene) + "\n"
    written.append(name)
    if is_check:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            different.append(name)
    else:
        path.write_text(text, encoding="utf-8")


def rounded(matrix, digits=3):
    return [[round(cell, digits) + 0.0 for cell in row] for row in matrix]


def identity(n, size=1.0):
    return [[size if i == j else 0.0 for j in range(n)] for i in range(n)]


def q_for_scores(scores, key_size):
    """With K = key_size · identity, the Q whose scaled scores are these: score · √d_k / key_size."""
    root = math.sqrt(len(scores[0]))
    return rounded([[score * root / key_size for score in row] for row in scores])


def q_for_weights(weights, key_size):
    """The Q whose softmax weights are these (any row total; 0 becomes 0.002): softmax(log w) = w."""
    logs = [[math.log(max(w, 0.002)) for w in row] for row in weights]
    return q_for_scores([[x - sum(row) / len(row) for x in row] for row in logs], key_size)


# "sat" asks who sat; "on" asks on what. The same words from two sides: the second head looks the other way.
features = {"article": 0, "noun": 1, "animal": 2, "verb": 3, "preposition": 4, "place": 5}
words = {"The": ["article"], "cat": ["noun", "animal"], "sat": ["verb"], "on": ["preposition"], "the": ["article"],
         "mat": ["noun", "place"]}


def table(rows, columns, entries):
    matrix = [[0.0] * columns for _ in range(rows)]
    for feature, column, size in entries:
        matrix[features[feature]][column] = size
    return matrix


x = [[1.0 if feature in has else 0.0 for feature in features] for has in words.values()]
write("cat", "The cat sat on the mat: the verb finds its subject", "The cat sat on the mat：动词找到主语",
      {"query_tokens": list(words), "d_model": 6, "d_k": 4, "d_v": 3, "n_heads": 2, "source": "projected", "x": x,
       # What a word can be found as: animal, place, verb, noun; and in the second head verb, preposition, article, noun.
       "w_k": [table(6, 4, [("animal", 0, 2.0), ("place", 1, 2.0), ("verb", 2, 2.0), ("noun", 3, 2.0)]),
               table(6, 4, [("verb", 0, 2.0), ("preposition", 1, 2.0), ("article", 2, 2.0), ("noun", 3, 2.0)])],
       # What a word asks for.
       "w_q": [table(6, 4, [("verb", 0, 3.0), ("preposition", 1, 3.0), ("noun", 2, 2.0), ("article", 3, 2.0)]),
               table(6, 4, [("preposition", 0, 3.0), ("verb", 1, 3.0), ("noun", 2, 2.0), ("article", 3, 1.0)])],
       "w_v": [table(6, 3, [("animal", 0, 1.0), ("verb", 1, 1.0), ("place", 2, 1.0)]),
               table(6, 3, [("animal", 0, 1.0), ("verb", 1, 1.0), ("place", 2, 1.0)])]},
      {"pin": {"query": 2, "key": 1}})

# The row of 玩 is the one printed in the text, which says it becomes .03 .05 .07 …; softmax makes it .074 .082 .090 ….
weather = ["今天", "天气", "真", "好", "，", "我", "想", "出", "去", "玩"]
similarity = [
    [0.8, 0.7, 0.3, 0.4, 0.0, 0.1, 0.2, 0.2, 0.2, 0.3],
    [0.6, 0.8, 0.5, 0.7, 0.0, 0.1, 0.1, 0.2, 0.2, 0.2],
    [0.2, 0.5, 0.8, 0.9, 0.0, 0.1, 0.1, 0.1, 0.1, 0.1],
    [0.3, 0.7, 0.9, 0.8, 0.0, 0.1, 0.2, 0.1, 0.1, 0.3],
    [0.0, 0.0, 0.0, 0.1, 0.8, 0.1, 0.0, 0.0, 0.0, 0.0],
    [0.1, 0.1, 0.1, 0.2, 0.0, 0.8, 0.8, 0.3, 0.3, 0.5],
    [0.2, 0.2, 0.1, 0.3, 0.0, 0.7, 0.8, 0.5, 0.5, 0.7],
    [0.1, 0.2, 0.1, 0.1, 0.0, 0.2, 0.5, 0.8, 0.9, 0.6],
    [0.1, 0.2, 0.1, 0.1, 0.0, 0.2, 0.5, 0.9, 0.8, 0.7],
    [0.1, 0.2, 0.3, 0.4, 0.0, 0.1, 0.5, 0.6, 0.7, 0.8],
]
# Time, topic, feeling, person, action.
meaning = [[1, 0, 0, 0, 0], [0.2, 1, 0, 0, 0], [0, 0, 0.6, 0, 0], [0, 0.2, 1, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 1, 0],
           [0, 0, 0.3, 0.4, 0.5], [0, 0, 0, 0, 0.7], [0, 0, 0, 0, 0.8], [0, 0, 0.5, 0, 1]]
write("weather", "今天天气真好，我想出去玩: whom “玩” looks at", "今天天气真好，我想出去玩：“玩”在看谁",
      {"query_tokens": weather, "d_k": 10, "d_v": 5, "n_heads": 1, "score": "dot", "q": [similarity], "k": [identity(10)],
       "v": [meaning]},
      {"pin": {"query": 9, "key": 8}})

# What 玩 asks in each head of the text: who (我), what like it (出 去), how it feels (真 好), when (今天). The other words
# look at themselves first, then at what their head cares about.
cares = [[5], [7, 8], [2, 3], [0]]
heads = []
for targets in cares:
    rows = []
    for i in range(10):
        row = [0.03] * 10
        row[i] += 0.35 if i != 9 else 0.05
        for j in targets:
            row[j] += (0.75 if i == 9 else 0.3) / len(targets)
        rows.append(row)
    heads.append(q_for_weights(rows, 3.0))
write("weather-heads", "今天天气真好，我想出去玩: four heads ask who, where, how and when", "今天天气真好，我想出去玩：四个头分别问谁、去哪、怎样、何时",
      {"query_tokens": weather, "d_k": 10, "d_v": 5, "n_heads": 4, "q": heads, "k": [identity(10, 3.0)] * 4, "v": [meaning] * 4},
      {"view": "heads", "pin": {"query": 9, "key": 5}})

# Encoder and decoder: five Chinese words ask six English ones. The row of 猫 is printed in the text.
alignment = [[0.90, 0.04, 0.02, 0.01, 0.02, 0.01],
             [0.05, 0.85, 0.05, 0.02, 0.02, 0.01],
             [0.02, 0.06, 0.62, 0.24, 0.02, 0.04],
             [0.01, 0.03, 0.02, 0.04, 0.10, 0.80],
             [0.01, 0.02, 0.11, 0.78, 0.02, 0.06]]
# Animal, action, place, article.
translated = [[[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.2, 0.0], [0.0, 0.2, 0.6, 0.0], [0.0, 0.0, 0.0, 1.0],
               [0.0, 0.0, 1.0, 0.0]]]
write("alignment", "Alignment in translation: 那只猫坐在垫子上", "翻译中的对齐：那只猫坐在垫子上",
      {"query_tokens": ["那只", "猫", "坐在", "垫子", "上"], "key_tokens": ["The", "cat", "sits", "on", "the", "mat"],
       "self_attention": False, "d_k": 6, "d_v": 4, "n_heads": 1, "q": [q_for_weights(alignment, 2.0)], "k": [identity(6, 2.0)],
       "v": translated},
      {"view": "flow", "pinned": False, "pin": {"query": 1, "key": 1}})

# Two dimensions, so that every vector can be drawn as an arrow. Without positions, 鱼 喜欢 猫 has the same weights in
# another order.
write("fish", "猫 喜欢 鱼: order does not matter yet", "猫 喜欢 鱼：顺序还不起作用",
      {"query_tokens": ["猫", "喜欢", "鱼"], "d_model": 3, "d_k": 2, "d_v": 2, "n_heads": 1, "source": "projected",
       "x": [[1.0, 0.2, 0.6], [0.1, 1.0, 0.0], [0.9, 0.1, -0.7]],
       "w_q": [[[-0.6, 1.2], [1.6, 0.8], [0.9, -0.4]]], "w_k": [[[1.0, 0.9], [-0.6, 0.4], [1.1, -0.9]]],
       "w_v": [[[1.0, 0.0], [0.0, 1.0], [0.8, -0.4]]]},
      {"pin": {"query": 1, "key": 0}})

write("padding", "A short sentence in a batch: padding is not looked at", "批处理里的短句：不看填充",
      {"seed": 3, "query_tokens": ["猫", "喜欢", "鱼", "[PAD]", "[PAD]", "[PAD]"], "d_k": 8, "d_v": 4, "n_heads": 2,
       "mask": {"padding": 3}},
      {"pin": {"query": 0, "key": 3}, "pipeline": {"folded": []}})

# With eight keys in the cache, three more words are decoded; each sees the past and itself.
sentence = "The cat that was sitting on the mat was very fluffy".split()
later = [[0.04, 0.62, 0.05, 0.10, 0.04, 0.01, 0.01, 0.06, 0.07, 0.01, 0.01],
         [0.02, 0.28, 0.02, 0.06, 0.03, 0.01, 0.01, 0.05, 0.42, 0.10, 0.01],
         [0.02, 0.45, 0.02, 0.03, 0.03, 0.01, 0.01, 0.08, 0.10, 0.20, 0.05]]
write("decoding", "Decoding with a cache: \"was\" finds \"cat\"", "带缓存的解码：“was”找到“cat”",
      {"query_tokens": sentence[8:], "key_tokens": sentence, "self_attention": False, "d_k": 11, "d_v": 4, "n_heads": 1,
       "mask": {"causal": True}, "query_offset": 8, "q": [q_for_weights(later, 3.0)], "k": [identity(11, 3.0)]},
      {"pin": {"query": 0, "key": 1}})

# Each key owns one dimension, its position; a head is what its queries ask of the positions.
n = len(sentence)
local = [[-((i - j) ** 2) / 2.6 for j in range(n)] for i in range(n)]
spread = [[0.12 * math.sin(3.1 * i + 1.7 * j) for j in range(n)] for i in range(n)]
previous = [[6.0 if j == max(i - 1, 0) else 0.0 for j in range(n)] for i in range(n)]
first = [[5.0 if j == 0 else 0.0 for j in range(n)] for i in range(n)]
write("four-heads", "Four heads: local, global, previous token, first token", "四个头：局部、全局、前一词元、首词元",
      {"query_tokens": sentence, "d_k": n, "d_v": 4, "n_heads": 4,
       "q": [q_for_scores(scores, 3.0) for scores in (local, spread, previous, first)], "k": [identity(n, 3.0)] * 4},
      {"view": "heads", "pin": {"query": 8, "key": 7}})

long_sentence = "The animal did not cross the street because it was too tired".split()
write("grouped", "Grouped-query attention: eight heads ask, two sets of keys and values answer", "分组查询注意力：八个头提问，两组键值回答",
      {"seed": 8, "query_tokens": long_sentence, "d_k": 16, "d_v": 8, "n_heads": 8, "n_kv_heads": 2, "output_projection": True},
      {"view": "heads", "pin": {"query": 8, "key": 1}})
write("multi-query", "Multi-query attention: eight heads share one set of keys and values", "多查询注意力：八个头共用一组键值",
      {"seed": 8, "query_tokens": long_sentence, "d_k": 16, "d_v": 8, "n_heads": 8, "n_kv_heads": 1, "mask": {"causal": True}},
      {"view": "heads", "pin": {"query": 8, "key": 1}})

# The same numbers twice; only the scale differs.
twin = {"seed": 64, "query_tokens": "large scores make softmax choose only one key".split(), "d_k": 64, "d_v": 8, "n_heads": 1}
write("saturated", "Saturated: d = 64 without 1/√d", "饱和：d = 64，不除以 √d", {**twin, "scaling": "off"},
      {"pin": {"query": 6, "key": 5}})
write("unsaturated", "Not saturated: the same numbers with 1/√d", "不饱和：同样的数，除以 √d", twin,
      {"pin": {"query": 6, "key": 5}})

# One word with one vector everywhere, so that every difference comes from the turning.
again = ["again"] * 7
same = [[1.5] * 8] * 7
write("rotary", "Rotary positions: the same word everywhere, only the distance counts", "旋转位置编码：处处同一个词，只有距离起作用",
      {"query_tokens": again, "d_k": 8, "d_v": 4, "n_heads": 1, "position": "rope", "q": [same], "k": [same]},
      {"pin": {"query": 4, "key": 3}})

# Nothing is asked (q = 0), so what remains is the slope of each head.
write("alibi", "ALiBi: four slopes and nothing else", "ALiBi：只有四种斜率，别无其他",
      {"query_tokens": long_sentence, "d_k": 4, "d_v": 4, "n_heads": 4, "position": "alibi", "mask": {"causal": True},
       "q": [[[0.0] * 4] * 12] * 4},
      {"view": "heads", "pin": {"query": 11, "key": 8}, "pipeline": {"folded": []}})

write("sparse", "A window and two global tokens", "滑动窗口加两个全局词元",
      {"seed": 16, "query_tokens": ["[CLS]", "[Q]"] + sentence + ["[SEP]"], "d_k": 16, "d_v": 8, "n_heads": 2,
       "mask": {"window": True, "window_left": 2, "window_right": 2, "global_tokens": 2}},
      {"pin": {"query": 6, "key": 0}, "pipeline": {"folded": []}})

# Where query and key have the same component one tanh saturates instead of two growing: the sum is smaller, so v is negative.
about = identity(6)
write("additive", "Additive attention: the same alignment without q·k", "加性注意力：不用 q·k，同样能对齐",
      {"query_tokens": ["那只", "猫", "坐在", "垫子", "上"], "key_tokens": ["The", "cat", "sits", "on", "the", "mat"],
       "self_attention": False, "d_k": 6, "d_v": 4, "d_additive": 6, "n_heads": 1, "score": "additive",
       "q": [[about[0], about[1], [0.0, 0.0, 1.0, 0.5, 0.0, 0.0], about[5], about[3]]], "k": [about], "v": translated,
       "additive_w_q": identity(6, 1.2), "additive_w_k": identity(6, 1.2), "additive_v": [[-5.0] * 6]},
      {"pin": {"query": 1, "key": 1}})

# Layers drawn from the seed around the attention, and what they need.
write("block", "Four blocks: each part adds to one stream", "四个模块：每个部分都往同一条数据流上加",
      {"query_tokens": ["the", "animal", "did", "not", "cross", "the", "street", "because", "it", "was", "tired"],
       "d_model": 32, "d_k": 8, "d_v": 8, "n_heads": 4, "source": "projected", "output_projection": True,
       "position": "sinusoidal",
       "depth": {"layers": 4, "residual": True, "norm_place": "before", "norm": "layer-norm", "feed_forward": "gelu", "d_ff": 128}},
      {"view": "block", "pin": {"query": 8, "key": 1}})
write("rank-collapse", "Six layers without a residual: the tokens become one", "六层而没有残差：词元变得一模一样",
      {"query_tokens": ["the", "cat", "saw", "a", "dog", "and", "ran", "up", "an", "old", "tall", "tree"], "d_model": 32,
       "d_k": 8, "d_v": 8, "n_heads": 4, "source": "projected", "output_projection": True,
       "depth": {"layers": 6, "norm_place": "after"}},
      {"view": "block", "block": {"panel": "depth"}, "pin": {"query": 0, "key": 4}})

# The picture is the one that the program draws itself; its patches are named by row and column.
write("patches", "A picture as tokens: heads that look by colour, by place, and at other colours", "图像作为词元：按颜色看、按位置看、看别的颜色的头",
      {"source": "projected", "query_tokens": [f"r{row}c{column}" for row in range(1, 7) for column in range(1, 9)],
       "picture": {"kind": "example", "columns": 8, "rows": 6}, "mask": {"grid_columns": 8}, "d_model": 32, "d_k": 16,
       "d_v": 8, "n_heads": 4},
      {"view": "picture", "pin": {"query": 34, "key": 34}})

# Few vectors of two or three components, which can be drawn as arrows.
write("cancel", "Two opposite values: the weights sum to 1 and the output vanishes", "两个相反的值：权重之和为 1，输出却消失",
      {"query_tokens": ["up", "down"], "d_k": 2, "d_v": 2, "n_heads": 1, "n_kv_heads": 1, "q": [[[1.2, 0.0], [0.5, 0.0]]],
       "k": [[[1.0, 1.0], [1.0, -1.0]]], "v": [[[0.6, 1.4], [-0.6, -1.4]]]},
      {"view": "geometry", "pin": {"query": 0, "key": 0}})
write("equal-values", "Two equal values: weight moves between them and the output stays", "两个相等的值：权重在它们之间移动，输出不变",
      {"query_tokens": ["verdict", "topic"], "key_tokens": ["a", "superb", "and", "great", "film"],
       "self_attention": False, "d_k": 5, "d_v": 2, "n_heads": 1, "n_kv_heads": 1, "score": "dot",
       "q": [[[0.0, 0.5, 0.0, 3.0, 1.0], [0.0, 0.5, 0.0, 0.5, 3.0]]],
       "k": [[[1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]]],
       "v": [[[0.1, 0.0], [1.0, 0.2], [0.0, 0.0], [1.0, 0.2], [-0.2, 1.0]]]},
      {"pin": {"query": 0, "key": 3}})
write("geometry", "Geometry in two dimensions: turning q changes who wins, stretching q only by how much",
      "二维几何：转动 q 改变谁获胜，拉长 q 只改变胜出多少",
      {"query_tokens": ["The", "cat", "sat", "on", "the", "mat"], "d_k": 2, "d_v": 2, "n_heads": 1, "n_kv_heads": 1,
       "q": [[[1.0, 0.6], [1.5, 1.3], [-1.1, 1.2], [-1.3, -0.6], [0.4, -1.4], [0.9, -0.2]]],
       "k": [[[1.9, 0.5], [0.5, 2.0], [-1.6, 1.1], [-1.2, -1.5], [1.1, -1.4], [-0.7, -0.2]]],
       "v": [[[1.7, 0.7], [-0.2, 1.7], [-1.6, 0.4], [-1.0, -1.4], [1.2, -1.3], [0.2, 0.1]]]},
      {"view": "geometry", "pin": {"query": 1, "key": 0}})
write("three-arrows", "One embedding, three arrows: three matrices make q, k and v of the same x",
      "一个嵌入，三支箭头：三个矩阵把同一个 x 变成 q、k 和 v",
      {"query_tokens": ["the", "cat", "sat", "down"], "d_model": 2, "d_k": 2, "d_v": 2, "n_heads": 1, "n_kv_heads": 1,
       "source": "projected", "x": [[1.1, 0.2], [0.4, 1.1], [-0.9, 0.7], [-0.6, -0.9]],
       "w_q": [[[0.0, 1.0], [-1.0, 0.0]]], "w_k": [[[1.5, 0.0], [0.0, 0.7]]], "w_v": [[[0.8, -0.7], [0.5, 1.0]]]},
      {"view": "geometry", "geometry": {"panel": "projections"}, "pin": {"query": 1, "key": 2}})
write("fish-turned", "鱼 喜欢 猫: rows and columns change places and nothing else", "鱼 喜欢 猫：行和列换了位置，此外什么也没变",
      {"query_tokens": ["鱼", "喜欢", "猫"], "d_model": 3, "d_k": 2, "d_v": 2, "n_heads": 1, "source": "projected",
       "x": [[0.9, 0.1, -0.7], [0.1, 1.0, 0.0], [1.0, 0.2, 0.6]], "w_q": [[[-0.6, 1.2], [1.6, 0.8], [0.9, -0.4]]],
       "w_k": [[[1.0, 0.9], [-0.6, 0.4], [1.1, -0.9]]], "w_v": [[[1.0, 0.0], [0.0, 1.0], [0.8, -0.4]]]},
      {"pin": {"query": 1, "key": 2}})

# Scores typed into Q, K being the identity.
write("overflow", "s, s − 1, s − 2: the same weights for every s, if they are computed with care",
      "s、s − 1、s − 2：只要算得小心，无论 s 多大权重都一样",
      {"query_tokens": ["s=2", "s=80", "s=100", "s=−200"], "key_tokens": ["s", "s−1", "s−2"], "self_attention": False,
       "d_k": 3, "d_v": 2, "n_heads": 1, "n_kv_heads": 1, "score": "dot",
       "q": [[[2.0, 1.0, 0.0], [80.0, 79.0, 78.0], [100.0, 99.0, 98.0], [-200.0, -201.0, -202.0]]], "k": [identity(3)],
       "v": [[[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]]},
      {"pin": {"query": 2, "key": 0}, "pipeline": {"folded": ["scaled", "masked"]}})
write("claims", "Check a claim: type logits into Q and read the true weights", "核对一个说法：在 Q 里键入分数，读出真正的权重",
      {"query_tokens": ["3,−3", "20,0,−20", "2.5,0,−2.5", "8,2,1"], "key_tokens": ["first", "second", "third"],
       "self_attention": False, "d_k": 3, "d_v": 3, "n_heads": 1, "n_kv_heads": 1, "score": "dot",
       "mask": {"painted": True}, "q": [[[3.0, -3.0, 0.0], [20.0, 0.0, -20.0], [2.5, 0.0, -2.5], [8.0, 2.0, 1.0]]],
       "k": [identity(3)], "v": [identity(3)], "painted_mask": [[[1, 1, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1]]]},
      {"pin": {"query": 3, "key": 0}, "pipeline": {"folded": ["scaled", "masked"]}})

# The same embeddings with and without √d in front of them.
write("embedding-scale", "Embeddings × √d, then positions: the word is heard above its place", "嵌入乘以 √d 再加位置：词盖过位置",
      {"seed": 3, "query_tokens": ["the", "cat", "saw", "the", "dog", "and", "the", "bird"], "d_model": 64, "d_k": 16,
       "d_v": 8, "n_heads": 1, "source": "projected", "position": "sinusoidal"},
      {"pin": {"query": 1, "key": 1}})
write("embedding-unscaled", "The same numbers without √d: the place drowns the word", "同样的数，不乘 √d：位置淹没了词",
      {"seed": 3, "query_tokens": ["the", "cat", "saw", "the", "dog", "and", "the", "bird"], "d_model": 64, "d_k": 16,
       "d_v": 8, "n_heads": 1, "source": "projected", "position": "sinusoidal", "embedding_scale": False},
      {"pin": {"query": 1, "key": 1}})

others = sorted(path.stem for path in folder.glob("*.json") if path.stem not in written)
for name in others:
    print(f"{name}: not made here")
if is_check:
    for name in different:
        print(f"{name}: not as it is made here")
    print(f"{len(written)} scenes are made here")
    sys.exit(1 if different or others else 0)
