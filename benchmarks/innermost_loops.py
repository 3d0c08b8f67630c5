"""Reads the disassembly of register tiles (objdump -dC --no-show-raw-insn, AT&T) and judges the innermost loop of every multiply_tile and
dot_tile: no store, no call, as many multiplications as the tile has accumulators. Exit status 1 when one fails or is missing."""
import re
import sys

VECTORS, DOTS = 2, 4                      # tile_vectors and tile_dots of cpu/micro_kernel.hpp
NO_STORE = re.compile(r"^(cmp|test|lea|nop|prefetch|j|call|bt\b|bt[wlq]\b|ucomi|comi|vucomi|vcomi)")


def functions(lines):
    """Name -> [(address, mnemonic, operands)]."""
    found, body = {}, None
    for line in lines:
        head = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if head:
            body = found.setdefault(head.group(1), [])
            continue
        code = re.match(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$", line)
        if code and body is not None:
            body.append((int(code.group(1), 16), code.group(2), re.sub(r"\s*#.*|\s*<.*", "", code.group(3)).strip()))
    return found


def loops(body):
    """Pieces of code that end in a jump to their beginning and hold no smaller one."""
    places = {address: i for i, (address, _, _) in enumerate(body)}
    pairs = []
    for i, (_, name, operands) in enumerate(body):
        if name.startswith("j") and re.fullmatch(r"[0-9a-f]+", operands):
            begin = places.get(int(operands, 16))
            if begin is not None and begin <= i:
                pairs.append((begin, i))
    innermost = [p for p in pairs if not any(q != p and p[0] <= q[0] and q[1] <= p[1] for q in pairs)]
    return [body[begin:end + 1] for begin, end in innermost]


def is_store(name, operands):
    """The last operand is where the result goes."""
    target = re.sub(r"\{[^}]*\}", "", operands)   # a mask
    return name.startswith("push") or (target.endswith(")") and not NO_STORE.match(name))


def main():
    failed = seen = 0
    for name, body in functions(sys.stdin.read().splitlines()).items():
        kind = re.search(r"detail::(multiply_tile|dot_tile)<float, (\d+)(?:, (\d+))?>", name)
        if not kind:
            continue
        seen += 1
        wanted = int(kind.group(2)) * int(kind.group(3) or 1) * (VECTORS if kind.group(1) == "multiply_tile" else DOTS)
        wide = []
        for loop in loops(body):
            products = sum(bool(re.match(r"vfn?m(add|sub)\w*ps|vmulps", n)) for _, n, _ in loop)
            if products:
                wide.append((products, loop))
        products, loop = max(wide, key=lambda x: x[0], default=(0, []))
        faults = []
        if products == 0 or products % wanted:
            faults.append(f"{products} multiplications, not a multiple of {wanted}")
        faults += [f"a store: {n} {o}" for _, n, o in loop if is_store(n, o)]
        faults += ["a call" for _, n, _ in loop if n.startswith("call")]
        loads = sum("(" in o and not is_store(n, o) and not n.startswith(("lea", "nop")) for _, n, o in loop)
        label = f"{kind.group(1)}<float, {', '.join(filter(None, kind.groups()[1:]))}>"
        verdict = "   FAILED" if faults else ""
        print(f"  {label:24} {len(loop):3} instructions, {products:3} multiplications, {loads:3} loads{verdict}")
        if faults:
            failed += 1
            print("".join(f"    {f}\n" for f in faults) + "".join(f"    {a:6x}: {n} {o}\n" for a, n, o in loop), end="")
    if seen < 4:
        print(f"  only {seen} tiles found")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
