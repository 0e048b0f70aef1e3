# SPDX-License-Identifier: MIT
# A thin front for Meson. `make report` and `make test` do everything on a fresh machine: they install what is missing, after
# saying what and how (DEPS=no forbids it). So do `make engines`, `make extras`, `make docs`, `make paper` and `make dist`; no
# other target installs.
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
PACKAGES := gcc libc6-dev meson ninja-build pkg-config libcmocka-dev libopenblas-dev liblapacke-dev libgsl-dev \
            libjansson-dev libexpat1-dev libqhull-dev libsuitesparse-dev libsqlite3-dev libhdf5-dev libcairo2-dev zlib1g-dev \
            gnuplot-nox
# For the viewer page and the playground; where they cannot be had, the rest builds.
PAGE := clang lld wasi-libc libclang-rt-dev-wasm32 $(shell command -v npm >/dev/null || echo nodejs npm)
# Not needed to build, but by tests that skip without them: zsh's completions, the page in a browser, sweeps across machines,
# the Python module, races of the library.
TESTED := zsh chromium openmpi-bin libopenmpi-dev python3-dev python3-numpy valgrind
# Used by bench, format, lint, coverage, docs and the notebooks.
EXTRAS := $(TESTED) libode-dev clang-format clang-tidy shellcheck codespell reuse gcovr libclang-rt-dev doxygen python3-sphinx \
          python3-myst-parser python3-pandas python3-venv python3-pip jupyter-nbconvert python3-ipykernel
# What `make dist` makes a .deb with.
PACKAGING := dpkg-dev debhelper lintian chrpath fakeroot

# Real engines to compare with: libraries from Debian, WebAssembly from npm.
ENGINE_PACKAGES := g++ libode-dev libbullet-dev chipmunk-dev $(shell command -v npm >/dev/null || echo nodejs npm)

# What clang-tidy reads: what the build compiles, but for what is WebAssembly; of the tests a part.
PART ?= 1/1
LINTED = $(shell git ls-files '*.c' ':!reports/page/wasm' ':!tests' ':!examples') \
         $(shell git ls-files 'tests/*.c' ':!tests/fuzz' ':!tests/benchmarks' ':!tests/support/plugin_rogue.c' | awk 'NR % $(notdir $(PART)) == $(patsubst %/,%,$(dir $(PART))) % $(notdir $(PART))')

.PHONY: all deps extras engines build install uninstall test report report-all docs paper dist readme-picture bench bits fuzz format \
        lint coverage mutate clean

all: build

deps:
	@.ci/install needed build $(PACKAGES)
	@.ci/install optional page $(PAGE)

extras:
	@.ci/install optional extras $(EXTRAS)

export DEPS
.NOTPARALLEL:

$(BUILD)/build.ninja:
	meson setup $(BUILD)

build: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

# The program, librigor with its headers, manual pages, completions, figures and page. The tree may be moved afterwards.
install: build
	meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX))
	DESTDIR=$(DESTDIR) meson install -C $(BUILD) --quiet
	@cp $(BUILD)/meson-logs/install-log.txt $(BUILD)/installed.txt
	@echo "installed in $(DESTDIR)$(PREFIX)"

# What the last `make install` put there (tests install, too, and Meson's own list is theirs then); of the folders that it
# made, those that are empty then.
uninstall:
	@[ -e $(BUILD)/installed.txt ] || { echo "nothing was installed from $(BUILD)"; exit 1; }
	@sort -r $(BUILD)/installed.txt | while read -r file; do \
	    case $$file in '#'*) continue ;; esac; \
	    if [ -d "$$file" ] && [ ! -L "$$file" ]; then rmdir "$$file" 2>/dev/null || :; else rm -f "$$file"; fi; done
	@rm $(BUILD)/installed.txt

test: deps build
	@.ci/install optional tests $(TESTED)
	@[ ! -e $(BUILD)/build.ninja ] || ninja -C $(BUILD) >/dev/null
	@tests/foretell.sh $(BUILD)
	OPENBLAS_NUM_THREADS=1 meson test -C $(BUILD) --suite rigor --print-errorlogs -t 10

bench: build
	meson test -C $(BUILD) --benchmark --verbose

# What the machine cannot have is left out; the table says why. A build that was configured before its libraries were there
# remembers that they were not: it is configured anew. npm is asked only where its lock file is newer than what it left.
engines: deps
	@.ci/install optional engines $(ENGINE_PACKAGES)
	@[ "$(DEPS)" = no ] || solvers/engines/install.sh
	@[ ! -e $(BUILD)/build.ninja ] || [ $$(ninja -C $(BUILD) -t targets all | grep -c 'engines/[a-z]*_bridge:') -ge 3 ] || \
	    { meson configure $(BUILD) --clearcache && meson setup --reconfigure $(BUILD); } >/dev/null
	@$(MAKE) --no-print-directory build
	$(BUILD)/rigor list engines

# Every fuzz target for so many seconds, under ASan and UBSan; needs clang with libclang-rt-14-dev.
SECONDS ?= 60
FUZZED ?= build-fuzz
fuzz:
	[ -e $(FUZZED)/build.ninja ] || CC=clang meson setup $(FUZZED) -Dfuzz=true -Dpage=disabled -Dmpi=disabled \
	    --buildtype=debugoptimized -Db_sanitize=address,undefined -Db_lundef=false
	ninja -C $(FUZZED) rigor $$(ninja -C $(FUZZED) -t targets all | sed -n 's|^\(tests/fuzz/fuzz_[a-z_]*\): .*|\1|p')
	tests/fuzz/run.sh $(CURDIR)/$(FUZZED) $(SECONDS)

# With the engines, unless ENGINES=no: without them their figures say so. report-all adds what takes longer: the engines in
# their tunings, and their errors against their times.
ENGINES_WANTED = $(if $(filter no,$(ENGINES)),,engines)
report: deps build $(ENGINES_WANTED)
	$(BUILD)/rigor report -o reports/out
	@[ -e $(BUILD)/reports/page/viewer.html ] || grep -h 'viewer page and playground' $(BUILD)/meson-logs/meson-log.txt >&2 || :
	@[ ! -s .deps/why ] || cat .deps/why >&2

report-all: deps build $(ENGINES_WANTED)
	RIGOR_REPORT_ALL=1 $(BUILD)/rigor report -o reports/out

# The documents as a site that needs no server, beside the report; a link that leads nowhere is an error.
docs: build
	@.ci/install needed docs python3-sphinx python3-myst-parser doxygen
	@docs/generate.sh $(BUILD)/rigor docs/generated
	/usr/bin/python3 -m sphinx -q -W --keep-going -b html docs $(BUILD)/docs
	doxygen docs/Doxyfile
	@echo "$(BUILD)/docs/index.html"

# A release in $(BUILD)/dist: source archive with the page made, page, documents, .deb packages, the results of the standard
# report, and the checksums of all.
dist: report docs
	@.ci/install needed dist $(PACKAGING)
	.ci/dist $(BUILD)

# A short paper whose every number is computed: it fails where the text says anything else (reports/paper/README.md).
paper: build
	@.ci/install needed paper pandoc texlive-latex-recommended texlive-fonts-recommended lmodern
	python3 reports/paper/paper.py $(BUILD)/rigor $(BUILD)/paper

# The figure that README shows.
readme-picture: build
	$(BUILD)/rigor report substeps -o $(BUILD)/picture
	cp $(BUILD)/picture/substeps.svg docs/picture.svg

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

# Words that look misspelt and are meant; tests misspell on purpose.
SPELT := statics,fro,retuned,crate,heigth,positionof,linz
# A tool of these three that is not there is left out, and that is said (`make extras`).
has = @command -v $(1) >/dev/null || { echo "lint: no $(1), left out"; exit 0; };
lint:
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')
	$(call has,shellcheck) shellcheck -S warning -e SC1007,SC2010,SC2034,SC2046,SC2154,SC3044,SC3045 $$(git ls-files '*.sh' '.ci/*')
	$(call has,codespell) codespell -q 3 -L $(SPELT) $$(git ls-files '*.md' '*.c' '*.h' '*.ts' '*.mjs' ':!tests/page' ':!tests/bench/experiment')
	$(call has,reuse) reuse lint -q
	printf '%s\n' $(LINTED) | xargs -P 2 -n 8 clang-tidy -p $(BUILD) --quiet

# Which statements of model/ and solvers/ their own tests run.
coverage:
	@[ -d $(BUILD)-coverage ] || meson setup $(BUILD)-coverage --buildtype=debug -Doptimization=g -Db_coverage=true -Dpage=disabled >/dev/null
	ninja -C $(BUILD)-coverage rigor $$(ninja -C $(BUILD)-coverage -t targets all | sed -n 's,^\(tests/\(model\|solvers\|lecture\)/test_[a-z0-9_]*\): .*,\1,p')
	meson test -C $(BUILD)-coverage --no-rebuild --suite model --suite solvers -t 10 --quiet
	gcovr --root . --object-directory $(BUILD)-coverage --filter 'model/' --filter 'solvers/' --exclude-throw-branches

# Puts each misprint of tests/misprints into a copy of the tree, those of reports/ERRATA.md and others: the test named for it
# must fail. `make mutate PART=3/10` takes every tenth.
mutate:
	tests/mutate.sh . --part $(PART)

# Results of this build against those of another one, to the bit: `make bits OLD=../before/build/rigor`.
bits: build
	python3 tests/bits.py $(OLD) $(BUILD)/rigor

clean:
	rm -rf $(BUILD) $(BUILD)-coverage .deps
