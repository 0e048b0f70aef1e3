# A thin front for Meson. `make report` and `make test` do everything on a fresh machine.
BUILD ?= build
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo)
PACKAGES := gcc libc6-dev meson ninja-build pkg-config libcmocka-dev libopenblas-dev liblapacke-dev libgsl-dev \
            libjansson-dev libqhull-dev libsuitesparse-dev libsqlite3-dev libhdf5-dev gnuplot-nox
# For the viewer page and the playground; where they cannot be had, the rest builds.
PAGE := clang lld wasi-libc libclang-rt-14-dev-wasm32 $(shell command -v npm >/dev/null || echo nodejs npm)
# Not needed to build and test, but used by bench, format, lint, sweeps across machines and the browser tests.
EXTRAS := libode-dev clang-format clang-tidy chromium openmpi-bin libopenmpi-dev libclang-rt-14-dev

.PHONY: all deps extras build test report bench format lint clean

all: build

# $(call install,packages): those of them that are not there yet.
define install
	@missing=$$(for p in $(1); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'install ok installed' || echo $$p; done); \
	if [ -n "$$missing" ]; then \
	    $(SUDO) apt-get update && $(SUDO) apt-get install -y --no-install-recommends $$missing; \
	fi
endef

deps:
	$(call install,$(PACKAGES))
	-$(call install,$(PAGE))

extras:
	$(call install,$(EXTRAS))

$(BUILD)/build.ninja: | deps
	meson setup $(BUILD)

build: deps $(BUILD)/build.ninja
	@ninja -C $(BUILD)

test: build
	meson test -C $(BUILD) --suite rigor --print-errorlogs

bench: build
	meson test -C $(BUILD) --benchmark --verbose

report: build
	$(BUILD)/rigor report -o reports/out

format:
	clang-format -i $$(git ls-files '*.c' '*.h')

lint:
	clang-format --dry-run -Werror $$(git ls-files '*.c' '*.h')
	clang-tidy -p $(BUILD) --quiet $$(git ls-files 'model/*.c' 'solvers/*.c' 'scenes/*.c' 'bench/*.c')

clean:
	rm -rf $(BUILD)
