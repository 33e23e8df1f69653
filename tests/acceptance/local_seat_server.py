"""Serves a model file as an OpenAI-compatible endpoint on a loopback port: run by the Python that has `xllamacpp`.

python local_seat_server.py MODEL.gguf PORT WINDOW THREADS
"""

from __future__ import annotations

import importlib
import sys
import threading


def main(model: str, port: int, window: int, threads: int) -> None:
    """Serve until the process is ended."""
    llama = importlib.import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = window
    params.n_parallel = 1
    params.cpuparams.n_threads = threads
    params.n_gpu_layers = 0
    params.warmup = False
    server = llama.Server(params)
    print("listening", server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1], *(int(number) for number in sys.argv[2:5]))
