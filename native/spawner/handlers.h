// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "request.h"

/// One kind of request: reads its fields, refuses what makes no sense, does it or begins it.
typedef enum outcome handler(struct host *, struct reader *, struct work *, struct writer *, struct fault *);

enum outcome outcome_of(int result);

/// What a request that waits came to when it was begun: WAITING, or FAILED and then no work is left.
enum outcome begun(int result, struct work *work);

/// Reads an id; false when it is none.
bool read_id(struct reader *fields, char *id);

/// Judges the fields once all are read: DONE when the request can be tried.
enum outcome judge(const struct reader *fields, bool named, struct fault *fault);

void read_limits(struct reader *fields, struct limits *limits);

void write_usage(struct writer *answer, const struct usage *usage);

handler activate_blank, stage, list_layer, discard, tell_disk, try_disk, reclaim;
