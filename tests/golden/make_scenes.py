#!/usr/bin/env python3
"""Writes the example scenes in assets/scenes/ whose matrices are made by construction, and those that need only a seed.

The scenes are committed; run this again only to change one. tests/files/example_scenes_test.cpp asserts that each does
what its title says.
"""
import json
import math
import pathlib

folder = pathlib.Path(__file__).parents[2] / "assets" / "scenes"
folder.mkdir(parents=True, exist_ok=True)


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
    (folder / f"{name}.json").write_text(text_of(scene) + "\n", encoding="utf-8")


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
write("cat", "The cat sat on the mat", "猫坐在垫子上：动词找主语",
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
write("weather", "今天天气真好，我想出去玩: one row of softmax", "今天天气真好，我想出去玩：“玩”在看谁",
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
write("weather-heads", "今天天气真好，我想出去玩: four questions, four heads", "今天天气真好，我想出去玩：四个头，四个问题",
      {"query_tokens": weather, "d_k": 10, "d_v": 5, "n_heads": 4, "q": heads, "k": [identity(10, 3.0)] * 4, "v": [meaning] * 4},
      {"view": "heads", "pin": {"query": 9, "key": 5}})

# Encoder and decoder: five Chinese words ask six English ones. The row of 猫 is printed in the text.
alignment = [[0.90, 0.04, 0.02, 0.01, 0.02, 0.01],
             [0.05, 0.85, 0.05, 0.02, 0.02, 0.01],
             [0.02, 0.06, 0.62, 0.24, 0.02, 0.04],
             [0.01, 0.03, 0.02, 0.04, 0.10, 0.80],
             [0.01, 0.02, 0.11, 0.78, 0.02, 0.06]]
write("alignment", "The cat sits on the mat → 那只猫坐在垫子上", "翻译时的对齐：那只猫坐在垫子上",
      {"query_tokens": ["那只", "猫", "坐在", "垫子", "上"], "key_tokens": ["The", "cat", "sits", "on", "the", "mat"],
       "self_attention": False, "d_k": 6, "d_v": 4, "n_heads": 1, "q": [q_for_weights(alignment, 2.0)], "k": [identity(6, 2.0)],
       # Animal, action, place, article.
       "v": [[[0, 0, 0, 1.0], [1.0, 0, 0, 0], [0, 1.0, 0.2, 0], [0, 0.2, 0.6, 0], [0, 0, 0, 1.0], [0, 0, 1.0, 0]]]},
      {"view": "flow", "pinned": False, "pin": {"query": 1, "key": 1}})

# Two dimensions, so that every vector can be drawn as an arrow. Without positions, 鱼 喜欢 猫 has the same weights in
# another order.
write("fish", "猫 喜欢 鱼: order does not matter yet", "猫 喜欢 鱼：换了顺序又如何",
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
write("four-heads", "Four heads: local, global, previous token, first token", "四个头：局部、全局、前一个词、第一个词",
      {"query_tokens": sentence, "d_k": n, "d_v": 4, "n_heads": 4,
       "q": [q_for_scores(scores, 3.0) for scores in (local, spread, previous, first)], "k": [identity(n, 3.0)] * 4},
      {"view": "heads", "pin": {"query": 8, "key": 7}})

long_sentence = "The animal did not cross the street because it was too tired".split()
write("grouped", "Grouped heads: eight ask, two answer", "分组注意力：八个头提问，两组键值回答",
      {"seed": 8, "query_tokens": long_sentence, "d_k": 16, "d_v": 8, "n_heads": 8, "n_kv_heads": 2, "output_projection": True},
      {"view": "heads", "pin": {"query": 8, "key": 1}})
write("multi-query", "Multi-query: eight heads share one key and value", "多查询注意力：八个头共用一组键值",
      {"seed": 8, "query_tokens": long_sentence, "d_k": 16, "d_v": 8, "n_heads": 8, "n_kv_heads": 1, "mask": {"causal": True}},
      {"view": "heads", "pin": {"query": 8, "key": 1}})

# The same numbers twice; only the scale differs.
twin = {"seed": 64, "query_tokens": "large scores make softmax choose only one key".split(), "d_k": 64, "d_v": 8, "n_heads": 1}
write("saturated", "Saturated: d = 64 without 1/√d", "饱和：d = 64，不除以 √d", {**twin, "scaling": "off"},
      {"pin": {"query": 6, "key": 5}})
write("unsaturated", "Not saturated: the same numbers with 1/√d", "不饱和：同样的数，除以 √d", twin,
      {"pin": {"query": 6, "key": 5}})

# Equal words have equal vectors here, so that every difference between them comes from the turning.
again = "again and again and again and again".split()
same_q, same_k = [1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5], [0.5, 1.0, 0.5, 1.0, 0.5, 1.0, 0.5, 1.0]
write("rotary", "Rotary positions: only the distance counts", "旋转位置编码：只看距离",
      {"query_tokens": again, "d_k": 8, "d_v": 4, "n_heads": 1, "position": "rope",
       "q": [[same_q if word == "again" else same_k for word in again]],
       "k": [[same_q if word == "again" else same_k for word in again]]},
      {"pin": {"query": 4, "key": 2}})

# Nothing is asked (q = 0), so what remains is the slope of each head.
write("alibi", "ALiBi: four slopes and nothing else", "ALiBi：只剩四种斜率",
      {"query_tokens": long_sentence, "d_k": 4, "d_v": 4, "n_heads": 4, "position": "alibi", "mask": {"causal": True},
       "q": [[[0.0] * 4] * 12] * 4},
      {"view": "heads", "pin": {"query": 11, "key": 8}, "pipeline": {"folded": []}})

write("sparse", "A window and two global tokens", "滑动窗口加两个全局词",
      {"seed": 16, "query_tokens": ["[CLS]", "[Q]"] + sentence + ["[SEP]"], "d_k": 16, "d_v": 8, "n_heads": 2,
       "mask": {"window": True, "window_left": 2, "window_right": 2, "global_tokens": 2}},
      {"pin": {"query": 6, "key": 0}, "pipeline": {"folded": []}})

write("additive", "Additive attention: v · tanh(Wq + Uk)", "加性注意力：v · tanh(Wq + Uk)",
      {"seed": 5, "query_tokens": ["那只", "猫", "坐在", "垫子", "上"], "key_tokens": ["The", "cat", "sits", "on", "the", "mat"],
       "self_attention": False, "d_k": 8, "d_v": 4, "d_additive": 12, "n_heads": 1, "score": "additive"},
      {"pin": {"query": 1, "key": 1}})
