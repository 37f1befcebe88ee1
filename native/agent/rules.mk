# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0

check-agent: $(BUILD)/agent
	$(PYTHON) vectors/generate.py --check
