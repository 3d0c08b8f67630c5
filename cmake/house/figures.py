"""The README's figures are those of benchmarks/results/: benchmarks/table.py --readme makes them. Usage: figures.py ROOT"""
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
sys.exit(subprocess.run([sys.executable, str(root / "benchmarks" / "table.py"), "--readme", "--check"]).returncode)
