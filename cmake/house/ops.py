"""Every op of expr/op_list.hpp is described in expr/ops/, and ops/all.hpp includes exactly the files there. Usage: ops.py ROOT"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1]) / "include" / "dyadic" / "expr"
listed = set(re.findall(r"\bX\((\w+)\)", (root / "op_list.hpp").read_text()))
files = {p.stem: p.read_text() for p in (root / "ops").glob("*.hpp") if p.stem != "all"}
all_file = root / "ops" / "all.hpp"
gathered = set(re.findall(r'include "dyadic/expr/ops/(\w+)\.hpp"', all_file.read_text())) if all_file.exists() else set()

described = {}
for name, text in files.items():
    for op in re.findall(r"struct op_info<op::(\w+)>", text):
        described.setdefault(op, []).append(name)
wrong = [f"{op}: no op_info in expr/ops/" for op in sorted(listed - set(described))]
wrong += [f"{op}: described in {', '.join(where)}" for op, where in described.items() if len(where) > 1]
wrong += [f"{op}: described but not in op_list.hpp" for op in sorted(set(described) - listed)]
wrong += [f"ops/{name}.hpp is not in ops/all.hpp" for name in sorted(set(files) - gathered)]
wrong += [f"ops/all.hpp includes {name}.hpp, which is not there" for name in sorted(gathered - set(files))]
print("\n".join(wrong) or f"{len(listed)} ops, {len(files)} files")
sys.exit(bool(wrong))
