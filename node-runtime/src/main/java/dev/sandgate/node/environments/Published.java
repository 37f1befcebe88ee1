// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.sandgate.proto.v1.Environment;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an environment has besides its layers.
 *
 * @param user who runs commands by default
 * @param env variables of commands
 * @param cwd working directory of commands that name none; empty: the user's home
 * @param owner who gave it its name; empty when nobody is known
 */
public record Published(String user, Map<String, String> env, String cwd, String owner) {

  static final String TABLE_COLUMN = "ADD COLUMN published BLOB NOT NULL DEFAULT x''";

  /** Freezes. */
  public Published {
    env = Collections.unmodifiableMap(new TreeMap<>(env));
  }

  /** With nothing but a user. */
  static Published by(String user) {
    return new Published(user, Map.of(), "", "");
  }

  /** With another user. */
  Published with(String other) {
    return new Published(other, env, cwd, owner);
  }

  /** Of another owner. */
  Published of(String other) {
    return new Published(user, env, cwd, other);
  }

  static Published of(Environment shown) {
    return new Published(shown.getUser(), shown.getEnvMap(), shown.getCwd(), shown.getOwner());
  }

  /** Puts it where callers see it. */
  void show(Environment.Builder shown) {
    shown.setUser(user).putAllEnv(env).setCwd(cwd).setOwner(owner);
  }

  /** Of a row of environments, also of one that an earlier version wrote. */
  static Published read(ResultSet row) throws SQLException {
    try {
      return of(Environment.parseFrom(row.getBytes("published"))).with(row.getString("user"));
    } catch (InvalidProtocolBufferException e) {
      throw new SandgateException(
          ErrorCode.INTERNAL, "", "what is recorded of an environment is damaged", e);
    }
  }

  /** For a row. */
  byte[] bytes() {
    Environment.Builder kept = Environment.newBuilder();
    show(kept);
    return kept.clearUser().build().toByteArray();
  }
}
