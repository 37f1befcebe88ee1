// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
// A connection to a port of the sandbox's loopback.
#pragma once

#include "channel.h"
#include "loop.h"
#include "message.h"
#include "sink.h"
#include "source.h"

struct tunnel {
  struct channel channel;
  struct runner runner;
  uint16_t port;
  int error;                  // the first that went wrong
  bool connected, told_started, told_end, shut, second_family;
  struct watch socket;
  struct source source;
  struct sink sink;
};

void tunnel_start(const struct message *message);
bool tunnel_take(struct tunnel *tunnel, const struct message *message);
void tunnel_cancel(struct tunnel *tunnel);
