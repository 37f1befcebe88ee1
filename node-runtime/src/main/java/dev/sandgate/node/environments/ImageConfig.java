// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.node.checks.Variables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What commands of an image begin with, by its configuration (image-spec, config.md). Of its variables those are taken whose names a
 * command's can have; a working directory that is not in the image is none.
 *
 * @param user who runs them; its user may be empty
 * @param env variables
 * @param cwd absolute, or empty
 */
record ImageConfig(Account user, Map<String, String> env, String cwd) {

  private static final Pattern NAME =
      Pattern.compile("|[^-:/\\s\\p{Cntrl}][^:/\\s\\p{Cntrl}]{0,63}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  static ImageConfig of(JsonNode config) {
    Map<String, String> env = new LinkedHashMap<>();
    for (JsonNode one : config.path("Env")) {
      String[] parts = one.asText().split("=", 2);
      if (parts.length == 2 && VARIABLE.matcher(parts[0]).matches()) {
        env.put(parts[0], parts[1]);
      }
    }
    Account user = Account.of(config.path("User").asText(""));
    return new ImageConfig(user, env, absolute(config.path("WorkingDir").asText("")));
  }

  private static String absolute(String directory) {
    if (directory.isEmpty() || directory.indexOf('\0') >= 0) {
      return "";
    }
    return Path.of("/").resolve(directory).normalize().toString();
  }

  /** INVALID_ARGUMENT when it has what no command can begin with. */
  void check(boolean forUser) {
    if (forUser && !(isName(user.user()) && isName(user.group()))) {
      throw OciLayout.bad(
          "its configuration names the user "
              + Fields.shown(user.text())
              + ", which is none; give user");
    }
    Variables.environment("image", env);
    Fields.workingDirectory("image", cwd);
  }

  private static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** As far as the image's own files have it. */
  Published published(Beneath view) throws IOException {
    return new Published(user.text(), env, has(view) ? cwd : "", "");
  }

  private boolean has(Beneath view) throws IOException {
    if (cwd.isEmpty() || cwd.equals("/")) {
      return true;
    }
    // The dot has a link at its end followed, too.
    Optional<Path> place = view.resolve(Path.of("/").relativize(Path.of(cwd)).resolve("."));
    Optional<Path> entry = place.isEmpty() ? Optional.empty() : view.find(place.get());
    return entry.filter(found -> Files.isDirectory(found, LinkOption.NOFOLLOW_LINKS)).isPresent();
  }
}
