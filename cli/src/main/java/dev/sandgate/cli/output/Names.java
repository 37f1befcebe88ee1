// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.ProtocolMessageEnum;
import java.util.Locale;

/** Enum values as they are shown: SANDBOX_STATE_RUNNING is RUNNING. */
public final class Names {

  private Names() {}

  /** The short name. */
  public static String of(ProtocolMessageEnum value) {
    return of(value.getValueDescriptor());
  }

  static String of(EnumValueDescriptor value) {
    String type =
        value.getType().getName().replaceAll("([a-z])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT);
    String name = value.getName();
    return name.startsWith(type + "_") ? name.substring(type.length() + 1) : name;
  }
}
