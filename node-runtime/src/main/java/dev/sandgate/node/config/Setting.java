// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.config;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;

/** Checks of settings. */
public final class Setting {

  private Setting() {}

  /** INVALID_CONFIG with the setting's name and the fix, unless the rule holds. */
  public static void check(boolean holds, String setting, String fix) {
    if (!holds) {
      throw new SandgateException(
          ErrorCode.INVALID_CONFIG, setting, setting + " is not usable; " + fix, null);
    }
  }
}
