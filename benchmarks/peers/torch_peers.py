"""The report's rows in PyTorch, as JSON in Google Benchmark's form: torch_peers.py [--quick] [--filter REGEX]. Threads: OMP_NUM_THREADS.

The same sizes and the same arithmetic in matrix products as dyadic's rows; where PyTorch has a fused layer (LayerNorm, LSTM, GRU), that is
used, though dyadic's row has RMS norms and a gated feed-forward layer of equal cost."""
import argparse
import json
import os
import re
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))


def causal_mask(length):
    return torch.full((length, length), float("-inf")).triu(1)


def attend(q, k, v, mask):
    """q, k, v: [batch, heads, length, dim]."""
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5 + mask
    return torch.softmax(scores, -1) @ v


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x, mask):
        q, k, v = (self.split(part) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        x = x + self.out(attend(q, k, v, mask).transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class RecurrentBlock(Block):
    """Keys and values of the block's own output, token after token."""

    def forward(self, x, mask=None):
        keys = values = None
        rows = []
        for t in range(x.shape[1]):
            x_t = x[:, t:t + 1]
            q, k, v = (self.split(part) for part in self.qkv(self.norm1(x_t)).chunk(3, -1))
            seen_k = k if keys is None else torch.cat([keys, k], 2)
            seen_v = v if values is None else torch.cat([values, v], 2)
            u = x_t + self.out(attend(q, seen_k, seen_v, 0).transpose(1, 2).reshape(x_t.shape))
            z = u + self.down(F.gelu(self.up(self.norm2(u))))
            _, k, v = (self.split(part) for part in self.qkv(self.norm1(z)).chunk(3, -1))
            keys = k if keys is None else torch.cat([keys, k], 2)
            values = v if values is None else torch.cat([values, v], 2)
            rows.append(z)
        return torch.cat(rows, 1)


class LanguageModel(nn.Module):
    def __init__(self, vocabulary, width, layers, heads):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens, mask):
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.norm(x))


def both(work, make):
    """Rows for a layer alone, and with all gradients. make() returns (function, inputs)."""
    def forward():
        f, inputs = make()

        def run():
            with torch.no_grad():
                f(*inputs)
        return run

    def backward():
        f, inputs = make()
        for x in inputs:
            x.requires_grad_(True)
        cotangent = torch.rand_like(f(*inputs))
        return lambda: f(*inputs).backward(cotangent)

    return [(f"layers/{work} forward", forward), (f"layers/{work} forward and backward", backward)]


def layer(module, *shape, mask=None):
    x = torch.rand(*shape)
    if isinstance(module, (nn.LSTM, nn.GRU)):
        return (lambda x: module(x)[0]), [x]
    return (lambda x: module(x, mask)), [x]


def attention():
    mask = causal_mask(1024)
    return (lambda q, k, v: attend(q, k, v, mask)), [torch.rand(2, 8, 1024, 64) for _ in range(3)]


def training_step():
    model, mask = LanguageModel(512, 256, 4, 8), causal_mask(256)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
    tokens, targets = torch.randint(512, (8, 256)), torch.randint(512, (8, 256))

    def run():
        optimizer.zero_grad(set_to_none=True)
        F.cross_entropy(model(tokens, mask).view(-1, 512), targets.view(-1)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return run


ROWS = [
    *both("attention D512 T1024 B2 H8", attention),
    *both("Transformer block D256 T256 B8 H8", lambda: layer(Block(256, 8), 8, 256, 256, mask=causal_mask(256))),
    *both("Recurrent Transformer D256 T256 B8 H8", lambda: layer(RecurrentBlock(256, 8), 8, 256, 256)),
    *both("Recurrent Transformer D512 T1024 B2 H8", lambda: layer(RecurrentBlock(512, 8), 2, 1024, 512)),
    *both("LSTM D256 T256 B8", lambda: layer(nn.LSTM(256, 256, batch_first=True), 8, 256, 256)),
    *both("GRU D256 T256 B8", lambda: layer(nn.GRU(256, 256, batch_first=True), 8, 256, 256)),
    ("training/Transformer C256 L4 T256 B8 V512", training_step),
]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true")
    options.add_argument("--filter", default=".")
    o = options.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(THREADS)
    found = []
    for name, make in ROWS:
        if not re.search(o.filter, name.split("/", 1)[1] + "/PyTorch"):
            continue
        if o.quick and "T1024 B2 H8 forward and backward" in name:
            continue   # seconds
        run = make()
        run()
        for _ in range(1 if o.quick else 5):
            count, begin = 0, time.perf_counter()
            while count == 0 or (not o.quick and time.perf_counter() - begin < 0.3):
                run()
                count += 1
            seconds = (time.perf_counter() - begin) / count
            found.append({"name": f"{name}/PyTorch/threads:{THREADS}", "run_type": "iteration", "real_time": seconds * 1e3,
                          "time_unit": "ms"})
        print(f"{name}/PyTorch/threads:{THREADS}  {seconds * 1e3:.2f} ms", file=sys.stderr)
    json.dump({"context": {"torch": torch.__version__}, "benchmarks": found}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
