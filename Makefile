# postrun - what can be made:
#
#   make                  build/postrun (VARIANT=release; debug, san and tsan are the others)
#   make test             everything that checks the program: N passed, N failed
#   make property golden  only the laws; only the recorded commands
#   make golden-accept    records what the golden commands print now: read the diff
#   make planted          200 made runs without a fault and 200 with one: what their reports say (about a minute)
#   make faults           each system call and each allocation fails in turn, kills, short reads: nothing torn, nothing lost (minutes)
#   make coverage         lines and ways of src/ that no test takes; below 92 % of lines, or with a way unexplained, it fails (minutes)
#   make stress           pictures of 1 to 512 GPUs, 45 s to 75 days, long names, columns missing: nothing touches (10 minutes)
#   make valgrind         test programs and reports of the samples under memcheck (VARIANT=debug; an hour on two cores)
#   make large            inputs of many MiB, of one line, of names: below 256 MiB, twice the time for twice as much (HOSTILE=, SCALE=)
#   make lint             the laws of the house: layers, words, names, format, analysers
#   make fuzz SECONDS=60  each door for foreign bytes under libFuzzer (clang); with SEED=1, the same inputs each time
#   make cluster          a batch in shards on a real Slurm of two nodes, one of which is lost: the index of one process (SLURM=)
#   make corpus           every log of a folder of real ones is read, or refused, and judged, as was reviewed (CORPUS=)
#   make bench            a report beside wc, libcsv and other tools, then judging, drawing and reading alone: ratios, and
#                         tests/bench/RESULTS.md; BYTES=1000000000 of log (200 MB), LARGE="10000000000 20000000000" as well: is it linear?
#   make bench-readers    each reader on a log of its kind, 20 MB of it: MB/s of a core, and against wc -l
#   make bench-growth     time and memory against rows, GPUs, rules and pictures
#   make guard            instructions of small runs, counted, against the accepted figures; make guard-accept takes them over
#   make docs             the parts of our documents that the program prints, and the pictures of the gallery
#   make install          program, manual page, templates, rules and samples; PREFIX=/usr/local, DESTDIR
#   make uninstall clean
#
# V=1 shows the commands, WERROR=1 makes warnings errors, CC=clang is the other compiler, -j1 does one thing at a time.
# No list of files anywhere: what lies in the right folder is built. A change of flags,
# or a file that came or went, rebuilds what it touches.

VARIANT ?= release
PREFIX  ?= /usr/local
SECONDS ?= 60
SEED    ?= 0
CORPUS  ?= ../shared/corpus
HOSTILE ?= ../shared/hostile
SLURM   ?= ../shared/slurm/slurm-sandbox.sh
SCALE   ?= 1
BYTES   ?= 200000000
LARGE   ?=
ifneq ($(filter valgrind,$(MAKECMDGOALS)),)
override VARIANT := debug
endif
ifneq ($(filter fuzz,$(MAKECMDGOALS)),)
override VARIANT := fuzz
override CC      := clang
endif
ifneq ($(filter coverage,$(MAKECMDGOALS)),)
override VARIANT := coverage
endif
# As many things at a time as there are cores, unless told otherwise; what is cleaned away is not built meanwhile.
ifeq ($(filter -j% --jobserver%,$(MAKEFLAGS))$(filter clean,$(MAKECMDGOALS)),)
MAKEFLAGS += -j$(shell nproc)
endif
ifeq ($(filter $(VARIANT),debug release san tsan fuzz coverage),)
$(error VARIANT is debug, release, san, tsan or coverage, not '$(VARIANT)')
endif
B := build/$(VARIANT)
, := ,

# ISA-L unpacks gzip three times as fast as zlib does; where it is not installed, or with ISAL=, zlib does it all.
ISAL     ?= $(shell pkg-config --exists libisal && echo libisal)
LIBRARIES = $(ISAL) cairo cairo-ft freetype2 yaml-0.1 libxxhash zlib libzstd liblzma expat libarchive
CPPFLAGS += -D_POSIX_C_SOURCE=200809L -Isrc $(if $(ISAL),-DHAVE_ISAL) $(shell pkg-config --cflags $(LIBRARIES))
WARNINGS  = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
	-Wwrite-strings -Wpointer-arith $(if $(WERROR),-Werror)
LDLIBS   += $(shell pkg-config --libs $(LIBRARIES)) -lcsv -lm -pthread
TESTLIBS  = $(shell pkg-config --cflags --libs cmocka jansson)

# The program holds these libraries, where the archives of all are installed: to find and bind 38 shared ones at each start takes 5 ms,
# 5 times what `wc -l` of a small log does. They stay shared with STATIC=, where an archive lacks (which is told), and in what serves to
# find faults. xxhash is always shared: its archive has nothing for the widest instructions.
STATIC ?= $(if $(filter release,$(VARIANT)),cairo pixman-1 fontconfig freetype brotlidec brotlicommon png16 yaml archive nettle \
	bz2 z zstd lzma expat csv)
WRAPPED = $(if $(filter release debug,$(VARIANT)),$(patsubst %,-Wl$(,)--wrap=%,malloc calloc realloc strdup))# base/allocator.c
HELD    = -Wl,-Bstatic $(filter -L%,$(LDLIBS)) $(STATIC:%=-l%) -Wl,-Bdynamic $(ISAL:lib%=-l%) -lxxhash -lm -pthread

# Where samples are gone through more is inlined and unrolled: a report of a large log takes a twentieth less.
SAMPLES = $(patsubst %,$(B)/%.o,base/pack% format/% series/% run/% rule/%)
FASTER  = $(if $(filter release,$(VARIANT)),-O3)

OPTIONS_debug   = -O0 -g3 -DWITHOUT_HUGE_PAGES
# Variables are not set to 0 by the compiler: that takes 4 % more instructions, and valgrind and the analysers see what was left unset.
OPTIONS_release = -O2 -g -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection \
	$(if $(filter x86_64,$(shell uname -m)),-fcf-protection=full)
OPTIONS_san     = -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
OPTIONS_tsan    = -O1 -g -fno-omit-frame-pointer -fsanitize=thread
OPTIONS_fuzz    = $(OPTIONS_san) -fsanitize=fuzzer-no-link -DSMALL_BUFFERS
# As the source stands, counted in each thread; behind walls nothing could be written down at the end.
OPTIONS_coverage = -O0 -g --coverage -fprofile-update=atomic -DWITHOUT_SANDBOX
# What is made to find faults is large, and linked two hundred times: where lld is installed it takes half a second less, each time.
LINKER  := $(if $(filter san tsan fuzz,$(VARIANT)),$(shell command -v ld.lld >/dev/null && echo -fuse-ld=lld))
# 9,400 addresses are put right at each start: told as 3 KB of bits they are in a tenth of the pages. Not all C libraries know those, nor all linkers.
PACKED  := $(if $(LINKER),,$(shell grep -qs GLIBC_ABI_DT_RELR "$$($(CC) -print-file-name=libc.so.6)" && echo -Wl$(,)-z$(,)pack-relative-relocs))
COMPILE = $(CC) -std=c11 $(WARNINGS) $(OPTIONS_$(VARIANT)) $(CPPFLAGS) -fPIE $(CFLAGS)
LINK    = $(COMPILE) $(LINKER) -pie -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code $(PACKED) $(LDFLAGS)
DEPENDS = -MMD -MP -MF $@.d -MT $@

SOURCES  := $(sort $(wildcard src/*/*.c))
OBJECTS   = $(SOURCES:src/%.c=$(B)/%.o) $(B)/embedded.o
EMBEDDED := $(sort $(wildcard rules/*.yaml rules/mapping/*.yaml rules/devices/*.yaml templates/*.tmpl))
TESTS    := $(patsubst tests/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/*_test.c tests/property/*_laws.c)))
MAKE_RUN := $(B)/tests/planted/make_run
MAKE_FLEET := $(B)/tests/fleet/make_fleet
SCENES   := $(B)/tests/scene/scene_dump $(B)/tests/scene/scene_dump_dejavu
REPLAYS  := $(patsubst tests/%_fuzz.c,$(B)/tests/%_replay,$(sort $(wildcard tests/fuzz/*_fuzz.c)))
FUZZERS  := $(patsubst tests/%.c,$(B)/tests/%,$(sort $(wildcard tests/fuzz/*_fuzz.c)))
Q        := $(if $(V),,@)
say       = $(if $(V),,@printf '  %-8s%s\n' $(1) $@ &&)
# The target from $(1): sources, objects and options. Where libraries can't be held it is told why: each start takes longer then.
shared    = $(LINK) $(WRAPPED) $(1) $(LDLIBS) -o $@
link      = $(if $(STATIC),if $(LINK) $(WRAPPED) $(1) $(HELD) -o $@ 2>$@.said; then rm $@.said; else \
	printf '  %-8s%s\n' SHARED "$$(grep -m 1 -e 'cannot find' -e 'undefined reference' $@.said)"; $(shared); fi,$(shared))
# Writes $(1) to the target, only if it says something else: what depends on it rebuilds only then.
note      = @mkdir -p $(@D) && printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' > $@

.PHONY: all test property golden golden-accept planted faults coverage stress lint valgrind large fuzz cluster corpus bench bench-readers bench-growth guard guard-accept docs install uninstall clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/postrun $(B)/rules.checked
	$(Q)$(if $(filter coverage,$(VARIANT)),,ln -sfn $(VARIANT)/postrun build/postrun)

$(B)/postrun: $(B)/main.o $(B)/libpostrun.a
	$(call say,LINK) $(call link,$^)
$(B)/libpostrun.a: $(OBJECTS) $(B)/sources.list
	$(call say,AR) rm -f $@ && $(AR) rcs $@ $(OBJECTS)
$(B)/%.o: src/%.c $(B)/flags.list
	$(call say,CC) mkdir -p $(@D) && $(COMPILE) $(if $(filter $(SAMPLES),$@),$(FASTER)) $(DEPENDS) -c $< -o $@
$(B)/embedded.o: $(B)/embedded.S
	$(call say,AS) $(COMPILE) -c $< -o $@
$(B)/chart/font_file.o: $(wildcard src/chart/font/*)

# Rules and templates inside the program: the table of src/base/embedded.h, made by a program of our own, for which base is enough.
$(B)/embed: $(B)/embed.o $(filter-out %/allocator.o,$(filter $(B)/base/%,$(OBJECTS)))
	$(call say,LINK) $(LINK) $^ $(LDLIBS) -o $@
$(B)/embedded.S: $(B)/embed $(EMBEDDED) $(B)/embedded.list
	$(call say,EMBED) $(B)/embed $(EMBEDDED) > $@

# A report takes the rules inside the program for right (src/rule/draft.h): here each build makes sure that they are.
$(B)/rules.checked: $(B)/postrun
	$(call say,CHECK) $< rules check --no-user-rules > $@ || { cat $@; false; }

$(B)/flags.list: FORCE
	$(call note,$(COMPILE) $(FASTER) $(LINK) $(WRAPPED) $(LDLIBS) $(HELD))
$(B)/sources.list: FORCE
	$(call note,$(SOURCES))
$(B)/embedded.list: FORCE
	$(call note,$(EMBEDDED))

$(B)/tests/%: tests/%.c $(B)/libpostrun.a $(B)/flags.list
	$(call say,TEST) mkdir -p $(@D) && $(LINK) $(DEPENDS) -Itests $< $(B)/libpostrun.a $(TESTLIBS) $(LDLIBS) -o $@
$(B)/tests/%_replay: tests/%_fuzz.c tests/fuzz/replay.c $(B)/libpostrun.a $(B)/flags.list
	$(call say,TEST) mkdir -p $(@D) && $(LINK) $(DEPENDS) $< tests/fuzz/replay.c $(B)/libpostrun.a $(LDLIBS) -o $@
$(B)/tests/%_fuzz: tests/%_fuzz.c $(B)/libpostrun.a $(B)/flags.list
	$(call say,FUZZER) mkdir -p $(@D) && $(LINK) $(DEPENDS) -fsanitize=fuzzer $< $(B)/libpostrun.a $(LDLIBS) -o $@

# The yardstick of pictures is libpng, which the program does without.
$(B)/tests/bench/png_encode: private CPPFLAGS += $(shell pkg-config --cflags libpng)
$(B)/tests/bench/png_encode: private LDLIBS += $(shell pkg-config --libs libpng)

# Linked as the program is: what is measured is what users have.
$(B)/tests/bench/%: tests/bench/%.c $(B)/libpostrun.a $(B)/flags.list
	$(call say,TEST) mkdir -p $(@D) && $(call link,$(DEPENDS) -Itests $< $(B)/libpostrun.a)

# The same with another font: no layout may rest on the widths of ours.
$(B)/tests/scene/scene_dump_dejavu: tests/scene/scene_dump.c tests/scene/dejavu.c $(B)/libpostrun.a $(B)/flags.list
	$(call say,TEST) mkdir -p $(@D) && $(LINK) -Itests $(filter %.c,$^) $(B)/libpostrun.a $(LDLIBS) -o $@

# Runs are made by a program of their own: it knows nothing of ours.
$(MAKE_RUN): $(wildcard tests/planted/*.[ch] tests/planted/*.def) $(B)/flags.list
	$(call say,TEST) mkdir -p $(@D) && $(LINK) $(filter %.c,$^) -lm -o $@

# What makes calls fail, loaded before the C library.
SHIM := $(B)/tests/faults/shim.so
$(SHIM): tests/faults/shim.c $(B)/flags.list
	$(call say,TEST) mkdir -p $(@D) && $(CC) -std=c11 $(WARNINGS) -O1 -fPIC -shared $< -ldl -o $@

BENCHES := $(addprefix $(B)/tests/bench/,png_encode judge_bench draw_bench gen read_bench measure libcsv_alone report_parts readers_bench)
# Under sanitizers neither pictures nor fleets are looked at (tests/run.sh). Benches are not run, but built without a warning.
UNSANITIZED = $(MAKE_RUN) $(MAKE_FLEET) $(SCENES) $(SHIM) $(BENCHES)
test: all $(TESTS) $(REPLAYS) $(if $(filter san tsan fuzz,$(VARIANT)),,$(UNSANITIZED))
	$(Q)tests/run.sh $(B)
property: $(filter $(B)/tests/property/%,$(TESTS))
	$(Q)tests/run.sh $(B) property
golden: all
	$(Q)tests/golden.sh $(B)/postrun
golden-accept: all
	$(Q)tests/golden.sh --accept $(B)/postrun
planted: all $(MAKE_RUN)
	$(Q)tests/truth.py $(B)/postrun --cluster
	$(Q)tests/planted.py $(B)/postrun $(MAKE_RUN)
faults: all $(SHIM)
	$(Q)tests/faults/faults.py $(B)/postrun $(SHIM) --all
# What embeds rules ran while it was built, and never does again.
coverage: all $(TESTS) $(REPLAYS) $(MAKE_RUN) $(MAKE_FLEET) $(SCENES) $(SHIM)
	$(Q)find $(B) -name '*.gcda' ! -name embed.gcda -delete
	$(Q)tests/run.sh $(B); status=$$?; tests/coverage.py $(B) && exit $$status
stress: $(SCENES)
	$(Q)tests/scene/check.py $(firstword $(SCENES)) --stress
lint: $(B)/main.o $(B)/libpostrun.a
	$(Q)tests/lint.sh $(B) -std=c11 $(WARNINGS) $(CPPFLAGS)
valgrind: all $(TESTS)
	$(Q)tests/run.sh $(B) valgrind
large: all
	$(Q)tests/large.py $(B)/postrun $(HOSTILE)/gen.py --scale $(SCALE)
fuzz: $(FUZZERS)
	$(Q)tests/run.sh $(B) fuzz $(SECONDS) $(SEED)
cluster: all
	$(Q)tests/cluster.sh $(B)/postrun $(SLURM)
corpus: all
	$(Q)tests/corpus.py $(B)/postrun $(CORPUS)
bench: all $(BENCHES)
	$(Q)tests/bench/side_by_side.py $(B) --bytes $(BYTES) --large '$(LARGE)' --write tests/bench/RESULTS.md
	$(Q)tests/bench/report_bench.sh $(B)/postrun $(B)/tests/bench/png_encode
	$(Q)$(B)/tests/bench/judge_bench
	$(Q)$(B)/tests/bench/draw_bench
	$(Q)$(B)/tests/bench/gen gpu 50000000 > $(B)/bench.csv && $(B)/tests/bench/read_bench $(B)/bench.csv; status=$$?; rm -f $(B)/bench.csv; exit $$status
bench-readers: $(B)/tests/bench/readers_bench
	$(Q)$< $(B)
bench-growth: all $(BENCHES)
	$(Q)tests/bench/growth.py $(B)
guard: all $(B)/tests/bench/gen
	$(Q)tests/bench/guard.py $(B)
guard-accept: all $(B)/tests/bench/gen
	$(Q)tests/bench/guard.py $(B) --accept
docs: all
	$(Q)tests/docs.sh --write $(B)/postrun
	$(Q)tests/gallery.py --write --all $(B)/postrun

# What is not the program lies together, so that links between its documents hold: README.md finds it beside itself.
share = $(DESTDIR)$(PREFIX)/share
$(B)/postrun.1: $(B)/postrun src/cmd/manual.sh README.md
	$(call say,MANUAL) src/cmd/manual.sh $(B)/postrun > $@
install: all $(B)/postrun.1
	install -D -m 755 $(B)/postrun $(DESTDIR)$(PREFIX)/bin/postrun
	install -D -m 644 $(B)/postrun.1 $(share)/man/man1/postrun.1
	install -D -m 644 -t $(share)/doc/postrun README.md SECURITY.md LICENSE NOTICE src/chart/font/OFL.txt
	$(Q)find rules samples templates -name __pycache__ -prune -o -type f -print | while read -r file; do \
	  mode=644; [ ! -x "$$file" ] || mode=755; install -D -m $$mode "$$file" "$(share)/postrun/$$file" || exit 1; done
	$(Q)for folder in rules samples templates; do ln -sfn ../../postrun/$$folder $(share)/doc/postrun/$$folder; done
uninstall:
	rm -rf $(DESTDIR)$(PREFIX)/bin/postrun $(share)/man/man1/postrun.1 $(share)/doc/postrun $(share)/postrun
clean:
	rm -rf build

-include $(wildcard $(B)/*.d $(B)/*/*.d $(B)/tests/*/*.d)
