"""The front's own heap, tried at random by a program of its own."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FUNCTIONS = ["malloc", "free", "calloc", "realloc", "posix_memalign", "aligned_alloc"]


def run(options, base, _):
    """How many of its seeds failed."""
    program, parts = base / "heap", [base / "heap.o", base / "heap-test.o"]
    flags = ["clang", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fno-builtin", "-fsanitize=undefined", "-fsanitize-trap=undefined"]
    renamed = [f"-D{name}=front_{name}" for name in FUNCTIONS]
    for words in [[*flags, *renamed, "-c", ROOT / "Sources/KeyfobFront/Embedded/Heap.c", "-o", parts[0]],
                  [*flags, "-c", ROOT / "Tests/Front/heap.c", "-o", parts[1]], [*flags, *parts, "-o", program]]:
        subprocess.run(words, check=True)
    failed, rounds = 0, 2 if options.sample else 20
    for seed in range(rounds):
        done = subprocess.run([program, "500000", str(seed)], capture_output=True, text=True, check=False)
        if done.returncode:
            failed += 1
            print(f"    heap, seed {seed}: {done.returncode} {done.stdout.strip()}")
    print(f"heap: {rounds} times 500,000 calls, {failed} failed")
    return failed
