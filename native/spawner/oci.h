// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "blank.h"
#include "host.h"

#include <stdio.h>

/// The directory on which the short-lived commands build the world that the runtime takes its mounts from.
#define OCI_WORLD "/mnt"

/// One blank to be made by an OCI runtime.
struct oci_blank {
  const char *runtime;
  const char *id;
  enum class class;
};

/// `spawner oci` and `spawner oci-delete`; the exit code.
int oci_create_command(const struct settings *settings, const struct oci_blank *blank);
int oci_delete_command(const struct settings *settings, const struct oci_blank *blank);

/// `spawner oci-init`, the container's first program: installs our filter and becomes the agent.
int oci_init_command(void);

/// Writes the container's config.json.
void oci_write_config(FILE *file, const struct host *host, const struct oci_blank *blank);
