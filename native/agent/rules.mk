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
FUZZ_REPLACED := main spawn child files files_data files_tree files_move descendants dial cgroup clock
FUZZ_SOURCES := $(filter-out $(FUZZ_REPLACED:%=agent/%.c),$(AGENT_SOURCES))
FUZZ_RUN = -max_total_time=$(1) -timeout=20 -rss_limit_mb=1024 -max_len=200000 -print_final_stats=1 -verbosity=0 -artifact_prefix=$(abspath $(BUILD))/fuzz/

$(BUILD)/fuzz/parse: fuzz/parse.c agent/message.c agent/wire.c
$(BUILD)/fuzz/dispatch: fuzz/dispatch.c $(FUZZ_SOURCES)
$(BUILD)/fuzz/parse $(BUILD)/fuzz/dispatch: $(wildcard agent/*.h)
	@mkdir -p $(@D)
	@echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n ? 0 : 0; }' > $(BUILD)/fuzz/probe.c
	@$(CLANG) -fsanitize=fuzzer,address,undefined -o $(BUILD)/fuzz/probe $(BUILD)/fuzz/probe.c || \
	  { echo 'fuzz: clang with its sanitizer runtime is missing: install clang and libclang-rt-14-dev' >&2; exit 1; }
	$(CLANG) $(FUZZ_FLAGS) -Dkill=fuzz_kill -o $@ $(filter %.c,$^)

# A quarter of the time for the parser alone, the rest for whole conversations.
fuzz: $(BUILD)/fuzz/parse $(BUILD)/fuzz/dispatch
	$(PYTHON) fuzz/seeds.py $(BUILD)/fuzz/corpus
	$(BUILD)/fuzz/parse $(call FUZZ_RUN,$$(( ($(SECONDS) + 3) / 4 ))) $(abspath $(BUILD))/fuzz/corpus/parse
	$(BUILD)/fuzz/dispatch $(call FUZZ_RUN,$$(( $(SECONDS) - $(SECONDS) / 4 ))) $(abspath $(BUILD))/fuzz/corpus/dispatch
