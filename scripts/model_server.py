#!/usr/bin/env python3
"""Serves one model on one port of this machine until standard input ends.

  model_server.py MODEL.gguf PORT [CONTEXT] [THREADS]

Run with the Python of the testbed (scripts/testbed.sh). Prints `ready` once it answers.
"""

import sys

import xllamacpp

model, port, context, threads = (sys.argv[1:] + ["4096", "1"][len(sys.argv) - 3 :])[:4]
params = xllamacpp.CommonParams()
params.model.path = model
params.hostnames = ["127.0.0.1"]
params.port = int(port)
params.n_ctx = int(context)
params.n_parallel = 1
params.cpuparams.n_threads = int(threads)
params.use_jinja = True
server = xllamacpp.Server(params)
print("ready", flush=True)
sys.stdin.read()
