# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0

$(BUILD)/vectors: test/vectors.c agent/wire.c agent/message.c $(wildcard agent/*.h)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -o $@ $(filter %.c,$^)

check-agent: $(BUILD)/agent $(BUILD)/vectors
	$(PYTHON) vectors/generate.py --check
	$(BUILD)/vectors vectors/frames.txt
	$(PYTHON) test/run.py
