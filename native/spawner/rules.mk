# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0

SPAWNER_TEST_PROGRAMS := $(BUILD)/stub_agent $(BUILD)/probe $(BUILD)/tamper $(BUILD)/core_guest $(BUILD)/hold
PROGRAMS += $(SPAWNER_TEST_PROGRAMS)
CHECKS += check-spawner

$(SPAWNER_TEST_PROGRAMS): $(BUILD)/%: $(BUILD)/objects/spawner/test/%.o
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

# The tests make sandboxes on this machine: they need root.
check-spawner: $(BUILD)/spawner $(SPAWNER_TEST_PROGRAMS)
	$(PYTHON) -m unittest discover -s spawner/test -p 'test_*.py'

.PHONY: check-spawner
