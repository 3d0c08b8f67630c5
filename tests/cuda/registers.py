"""Registers, stack and spills of the row programs' kernels, as ptxas says for three architectures, against registers.txt.
Usage: registers.py NVCC [--record]. Stack and spills are 0 whatever the compiler; registers are compared for the nvcc that recorded
them."""
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
table_file = here / "registers.txt"
architectures = ["80", "90", "100"]


def version(nvcc):
    return re.search(r"release ([\d.]+), V([\d.]+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout).group(2)


def compiled(nvcc, architecture, to):
    command = [nvcc, "-std=c++20", "-O3", f"-arch=sm_{architecture}", "-cubin", "-Xptxas", "-v", f"-I{here.parents[1] / 'include'}",
               f"-I{here.parent}", str(here / "row_programs.cu"), "-o", to]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stderr


def kernels_of(text):
    found, name = {}, None
    for line in text.splitlines():
        if m := re.search(r"Compiling entry function '(\w+)'", line):
            name = m.group(1)
        elif m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            found.setdefault(name, {}).update(stack=int(m.group(1)), spills=int(m.group(2)) + int(m.group(3)))
        elif m := re.search(r"Used (\d+) registers", line):
            found.setdefault(name, {})["registers"] = int(m.group(1))
    return found


def main():
    nvcc, record = sys.argv[1], "--record" in sys.argv
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        for a in architectures:
            for name, k in kernels_of(compiled(nvcc, a, f"{folder}/a.cubin")).items():
                measured.setdefault(name, {})[a] = k
    wrong = [f"{name} for sm_{a}: {k['stack']} bytes of stack, {k['spills']} of spills"
             for name, by in measured.items() for a, k in by.items() if k["stack"] or k["spills"]]
    if len(measured) < 10:
        wrong.append(f"only {len(measured)} kernels found")
    shown = subprocess.run(["c++filt"], input="\n".join(measured), capture_output=True, text=True).stdout.splitlines()
    short = [re.sub(r"dyadic::|cuda::", "", re.sub(r"^void |\(dyadic::cuda::.*$", "", s)) for s in shown]
    lines = sorted(f"{'  '.join(str(by[a]['registers']).rjust(4) for a in architectures)}  {s}"
                   for s, by in zip(short, measured.values()))
    head = [f"# Registers a thread by kernel, nvcc {version(nvcc)}: sm_80, sm_90, sm_100. No kernel has a stack or spills.",
            "# Recorded by registers.py NVCC --record."]
    if record:
        table_file.write_text("\n".join(head + lines) + "\n")
    recorded = table_file.read_text().splitlines() if table_file.exists() else []
    if recorded[:1] == head[:1]:
        wrong += [f"not in registers.txt: {x}" for x in lines if x not in recorded]
        wrong += [f"only in registers.txt: {x}" for x in recorded[2:] if x not in lines]
    else:
        print(f"registers.txt is of another nvcc than {version(nvcc)}: registers are not compared")
    print("\n".join(wrong) or f"{len(measured)} kernels, {len(architectures)} architectures: no stack, no spills")
    return bool(wrong)


sys.exit(main())
