# What a person types: each target sets itself up (scripts/setup.sh), needs no root (but `interop`, which installs Slurm), no terminal and no input.

.PHONY: help demo arena-demo test quick accept bench bench-pages bench-transcribe interop install uninstall wheel clean

help:
	@echo "make demo    recordings to ranked research tasks, in demo/ (first time: 15 to 20 minutes on 2 cores)"
	@echo "make arena-demo"
	@echo "             two small agents duel on this project's documents, without a model (seconds after a build)"
	@echo "make test    everything that CI checks, with the real models (about 10 minutes after a demo, 25 from nothing)"
	@echo "make quick   formatting, lints and the tests that load no model (a few minutes, while working)"
	@echo "make accept  the long proofs, e.g. kill -9 at ten moments of a real run (about an hour and a half)"
	@echo "make bench   the model layer's calls a second and the fits of a ranking, beside peers' (about 5 minutes after a build)"
	@echo "make bench-pages"
	@echo "             reading of PDFs and HTML pages beside pdftotext, mutool and trafilatura (Debian; 15 minutes the first time)"
	@echo "make bench-transcribe"
	@echo "             transcription beside whisper.cpp and faster-whisper, on recordings made for it (an hour and a half the first time)"
	@echo "make interop typed calls through servers of others: llama.cpp's and LiteLLM (about half an hour the first time)"
	@echo "make install taskgen for daily use: a release build for this machine's CPU, into ~/.local (or PREFIX=FOLDER); make uninstall"
	@echo "make wheel   a Python wheel with both programs and the module taskgen, tried in a fresh environment (about ten minutes after a demo)"
	@echo "make clean   remove what was built here"

demo:
	@scripts/demo.sh

arena-demo:
	@scripts/arena-demo.sh

test:
	@scripts/test.sh

quick:
	@scripts/test.sh quick

accept:
	@scripts/accept.sh

bench:
	@scripts/bench.sh

bench-pages:
	@scripts/bench-pages.sh

bench-transcribe:
	@scripts/bench-transcribe.sh

interop:
	@scripts/interop.sh

install:
	@scripts/install.sh

uninstall:
	@scripts/install.sh uninstall

wheel:
	@scripts/wheel.sh

clean:
	rm -rf target .tools
	@echo "kept: demo/, the models, and the intermediate files that all checkouts share ($${XDG_CACHE_HOME:-$$HOME/.cache}/taskgen/build)"
