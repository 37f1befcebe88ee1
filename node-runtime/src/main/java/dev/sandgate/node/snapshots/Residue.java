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
          "/**/.vault-token",
          "/**/.config/rclone/rclone.conf",
          "/**/.rclone.conf",
          "/**/.s3cfg",
          "/**/.boto",
          "/**/.oci",
          "/**/.mc/config.json",
          "/**/.databrickscfg",
          "/**/.kaggle/kaggle.json",
          "/**/.terraform.d/credentials.tfrc.json",
          "/**/.config/doctl",
          "/**/.config/glab-cli",
          "/**/.config/helm/registry/config.json",
          "/**/.password-store",
          "/**/.authinfo",
          "/**/.mylogin.cnf",
          "/etc/ssh/ssh_host_*");

  /** Files that go while the directories that they are in stay: services want these. */
  static final List<PathPattern> FILES = patterns("/var/log/**", "/var/cache/apt/**");

  /** Files that go when a {@link #SECRET} is in them. */
  static final List<PathPattern> MAY_HOLD_SECRETS =
      patterns(
          "/**/.npmrc",
          "/**/.yarnrc.yml",
          "/**/.yarnrc",
          "/**/pip.conf",
          "/**/.gitconfig",
          "/**/.config/git/config",
          "/**/*.git/config",
          "/**/*.git/modules/**/config",
          "/**/*.git/worktrees/*/config.worktree",
          "/**/.terraformrc",
          "/**/.my.cnf");

  /** What a credential looks like there; a user's name of 20 characters in an address is a token. */
  static final Pattern SECRET =
      Pattern.compile(
          "_authToken|_auth\\s*=|_password|npmAuthToken|npmAuthIdent"
              + "|://[^/\\s:@]+:[^/\\s@]+@|://[^/\\s:@]{20,}@"
              + "|(?i:authorization:\\s*+(basic|bearer|token)\\s)"
              + "|(?im:^[ \\t]*+(password|token)[ \\t]*+=[ \\t]*+\\S)");

  /** Files of environment variables that go when a {@link #SECRET} or a {@link #SECRET_VARIABLE} is in them. */
  static final List<PathPattern> VARIABLES = patterns("/**/.env", "/**/.env.*", "/**/.envrc");

  /** Files of variables without values. */
  static final List<PathPattern> EXAMPLES =
      patterns("/**/.env.example", "/**/.env.sample", "/**/.env.template", "/**/.env.dist");

  /** A variable that has a value and the name of a credential. */
  static final Pattern SECRET_VARIABLE =
      Pattern.compile(
          "(?im)^[ \\t]*+(export[ \\t]++)?(\\w{0,64}_)?"
              + "(token|secret|password|passwd|pass|api_?key|access_?key|secret_?key|private_?key)"
              + "(_?\\d{1,3})?[ \\t]*+=[ \\t]*+[\"']?[^\\s\"'#$]");

  private Residue() {}

  private static List<PathPattern> patterns(String... texts) {
    return Stream.of(texts).map(PathPattern::of).toList();
  }
}
