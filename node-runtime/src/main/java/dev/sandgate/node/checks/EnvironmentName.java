// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.checks;

import java.util.regex.Pattern;

/** The form of what environments and layers are called by: it becomes names of files, tags of a registry and keys. */
public final class EnvironmentName {

  private static final String FORM = "(?!(?:sha256|\\.{1,2})(?::|$))[a-z0-9._-]{1,63}";
  private static final String RULE =
      "1–63 characters of [a-z0-9._-], but neither . nor .. nor sha256, which begins a digest";
  private static final Pattern NAME = Pattern.compile(FORM);
  private static final Pattern KEY = Pattern.compile(FORM + ":" + FORM);
  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");

  private EnvironmentName() {}

  /** A name that a caller gives, or a tag; INVALID_ARGUMENT with the field's name. */
  public static String of(String field, String value) {
    return Fields.matches(field, value, NAME, RULE);
  }

  /** A tag that a caller gives; empty: "latest". */
  public static String tag(String value) {
    return value.isEmpty() ? "latest" : of("tag", value);
  }

  /** Whether it is a name with a tag. */
  public static boolean isKey(String value) {
    return KEY.matcher(value).matches();
  }

  /** Whether it is the digest of a layer. */
  public static boolean isDigest(String value) {
    return DIGEST.matcher(value).matches();
  }
}
