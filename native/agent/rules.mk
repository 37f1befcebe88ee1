# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0

$(BUILD)/vectors: test/vectors.c agent/wire.c agent/message.c $(wildcard agent/*.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.c,$^)

check-agent: $(BUILD)/agent $(BUILD)/vectors
	$(PYTHON) vectors/generate.py --check
	$(BUILD)/vectors vectors/frames.txt
	$(PYTHON) test/run.py

FUZZ_FLAGS := -std=gnu17 -D_GNU_SOURCE= -O1 -g $(WARNINGS) -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_REPLACED := main spawn child files files_data files_tree files_move files_set files_archive files_extract files_watch descendants dial cgroup clock
FUZZ_SOURCES := $(filter-out $(FUZZ_REPLACED:%=agent/%.c),$(AGENT_SOURCES))
FUZZ_RUN = -max_total_time=$(1) -timeout=20 -rss_limit_mb=1024 -max_len=200000 -print_final_stats=1 -verbosity=0 -artifact_prefix=$(abspath $(BUILD))/fuzz/

$(BUILD)/fuzz/parse: fuzz/parse.c agent/message.c agent/wire.c
$(BUILD)/fuzz/dispatch: fuzz/dispatch.c $(FUZZ_SOURCES)
$(BUILD)/fuzz/tar: fuzz/tar.c agent/tar.c
$(BUILD)/fuzz/parse $(BUILD)/fuzz/dispatch $(BUILD)/fuzz/tar: $(wildcard agent/*.h)
	@mkdir -p $(@D)
	@echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n ? 0 : 0; }' > $(BUILD)/fuzz/probe.c
	@$(CLANG) -fsanitize=fuzzer,address,undefined -o $(BUILD)/fuzz/probe $(BUILD)/fuzz/probe.c || \
	  { echo 'fuzz: clang with its sanitizer runtime is missing: install clang and libclang-rt-14-dev' >&2; exit 1; }
	$(CLANG) $(FUZZ_FLAGS) -Dkill=fuzz_kill -o $@ $(filter %.c,$^)

# A quarter of the time each for the parser of frames and for that of archives, the rest for whole conversations.
fuzz: $(BUILD)/fuzz/parse $(BUILD)/fuzz/dispatch $(BUILD)/fuzz/tar
	$(PYTHON) fuzz/seeds.py $(BUILD)/fuzz/corpus
	$(BUILD)/fuzz/parse $(call FUZZ_RUN,$$(( ($(SECONDS) + 3) / 4 ))) $(abspath $(BUILD))/fuzz/corpus/parse
	$(BUILD)/fuzz/tar $(call FUZZ_RUN,$$(( ($(SECONDS) + 3) / 4 ))) $(abspath $(BUILD))/fuzz/corpus/tar
	$(BUILD)/fuzz/dispatch $(call FUZZ_RUN,$$(( $(SECONDS) - $(SECONDS) / 2 ))) $(abspath $(BUILD))/fuzz/corpus/dispatch
