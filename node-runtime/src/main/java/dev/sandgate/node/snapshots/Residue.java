// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.snapshots;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What work leaves behind in a tree that nobody wants to give to others. */
final class Residue {

  /** Entries that go with everything below them. */
  static final List<PathPattern> ENTRIES =
      patterns(
          // What was typed.
          "/**/.*_history",
          "/**/.lesshst",
          "/**/.viminfo",
          "/**/.wget-hsts",
          "/**/.local/share/fish/fish_history",
          // What was fetched.
          "/**/.cache/*",
          "/**/.npm/_cacache",
          "/**/.npm/_logs",
          "/**/.cargo/registry/cache",
          "/var/cache/apk/*",
          "/var/cache/dnf/*",
          "/var/cache/yum/*",
          "/var/lib/apt/lists/*",
          // What was put down for a moment.
          "/tmp/*",
          "/var/tmp/*",
          "/run/*",
          // What proves who somebody is.
          "/**/.ssh/*",
          "/**/.netrc",
          "/**/.git-credentials",
          "/**/.pypirc",
          "/**/.pgpass",
          "/**/.aws",
          "/**/.azure",
          "/**/.kube",
          "/**/.gnupg",
          "/**/.docker/config.json",
          "/**/.config/gcloud",
          "/**/.config/gh",
          "/**/.config/hub",
          "/**/.config/git/credentials",
          "/**/.config/containers/auth.json",
          "/**/.cargo/credentials",
          "/**/.cargo/credentials.toml",
          "/**/.gem/credentials",
          "/**/.composer/auth.json",
          "/**/.huggingface/token",
          "/etc/ssh/ssh_host_*");

  /** Files that go while the directories that they are in stay: services want these. */
  static final List<PathPattern> FILES = patterns("/var/log/**", "/var/cache/apt/**");

  /** Files that go when a {@link #SECRET} is in them. */
  static final List<PathPattern> MAY_HOLD_SECRETS =
      patterns("/**/.npmrc", "/**/.yarnrc.yml", "/**/.yarnrc", "/**/pip.conf", "/**/.gitconfig");

  /** What a credential looks like there. */
  static final Pattern SECRET =
      Pattern.compile(
          "_authToken|_auth\\s*=|_password|npmAuthToken|npmAuthIdent|://[^/\\s:@]+:[^/\\s@]+@");

  private Residue() {}

  private static List<PathPattern> patterns(String... texts) {
    return Stream.of(texts).map(PathPattern::of).toList();
  }
}
