# The few verbs people type; Meson does the building.
#
#     make               build/cosy, and all that the tests need
#     make cosy          build/cosy alone
#     make test          all tests
#     make quick         the tests that catch most, in a minute
#     make accept        writes what COSY does now into the expectations of TEST=
#                        a pass (check, lower ...), lang, manual
#     make test-asan     the same under the address and undefined-behaviour
#                        sanitizers, in a build directory of its own
#     make hunt          looks for bugs: SECONDS=60 for each part, SEED=1,
#                        PARTS= (docs/hunt.md)
#     make fields        FIELDs judged by all problems with known solutions, on three
#                        grids each (tests/fields)
#     make bench         measurements (bench/)
#     make format        lay out every C file; format-check only checks
#     make layers        check every #include against the table of layers
#     make diagrams      syntax diagrams of the language, in build/diagrams
#     make manual        brings docs/manual up to date with what COSY prints
#     make install       PREFIX=/usr/local, DESTDIR as usual
#     make deb           a Debian package, in build
#     make clean

BUILD  = build
ASAN   = build-asan
PREFIX = /usr/local

# For make hunt.
SECONDS = 60
SEED    = 1
PARTS   =

C_FILES = $(shell find include src tools tests bench -name '*.[ch]' | sort)

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) $(NINJAFLAGS)

cosy: $(BUILD)/build.ninja
	@ninja -C $(BUILD) $(NINJAFLAGS) cosy

$(BUILD)/build.ninja:
	@meson setup --prefix $(PREFIX) $(BUILD)

$(ASAN)/build.ninja:
	@meson setup -Db_sanitize=address,undefined -Db_lundef=false $(ASAN)

test: $(BUILD)/build.ninja
	@scripts/run-tests $(BUILD)

quick: $(BUILD)/build.ninja
	@scripts/run-tests $(BUILD) quick

accept: $(BUILD)/build.ninja
	@scripts/accept $(BUILD) $(TEST)

test-asan: $(ASAN)/build.ninja
	@scripts/run-tests $(ASAN)

hunt: all
	@$(BUILD)/tools/hunt/hunt $(BUILD)/cosy . --seconds $(SECONDS) --seed $(SEED) \
	    --keep $(BUILD)/hunt-found $(PARTS)
	@KILLS=100 COSY_PROGRAM=$(BUILD)/cosy sh tests/cli/test_parts.sh

fields: all
	@status=0; for f in open apart; do for how in "" --orders; do \
	    $(BUILD)/tests/fields/judge $(BUILD)/cosy tests/fields/$$f $$how \
	    || status=1; done; done; exit $$status

bench: all
	@if [ -x bench/run ]; then bench/run $(BUILD); \
	else echo "bench/run: there are no measurements yet"; fi

format:
	@clang-format -i $(C_FILES)

format-check:
	@clang-format --dry-run -Werror $(C_FILES)

layers:
	@scripts/layers --self-test
	@scripts/layers

diagrams: all
	@$(BUILD)/grammar diagrams grammar/cosy.ebnf $(BUILD)/diagrams
	@echo "$(BUILD)/diagrams/index.html"

manual: all
	@scripts/manual --update $(BUILD) pages syntax graphs examples

install: all
	@meson install -C $(BUILD)

deb: all
	@scripts/deb $(BUILD)

clean:
	@rm -rf $(BUILD) $(ASAN)

.PHONY: all test test-asan bench format format-check layers diagrams install deb
.PHONY: clean cosy hunt manual quick accept fields
