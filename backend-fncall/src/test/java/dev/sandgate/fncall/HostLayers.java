// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fncall;

import dev.sandgate.spi.Layer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Root file systems made of this host's own programs: busybox, python3 with its library, the C compiler. */
final class HostLayers {

  private static final String BASE =
      """
      set -e
      cd "$1"
      mkdir -p bin proc sys dev etc tmp run var root work usr/bin usr/lib lib64
      cp /bin/busybox bin/busybox
      for applet in $(bin/busybox --list); do [ "$applet" = busybox ] || ln -s busybox "bin/$applet"; done
      printf 'root:x:0:0:root:/root:/bin/sh\\nuser:x:1000:1000::/work:/bin/sh\\n' > etc/passwd
      printf 'root:x:0:\\nuser:x:1000:\\n' > etc/group
      chmod 1777 tmp
      chown 1000:1000 work
      """;

  private static final String LIBRARIES =
      """
      libraries() {
        ldd "$@" 2>/dev/null | grep -o '/[^ ]*[.]so[^ :]*' | sort -u | tar -P -chf - -T - | tar -xf - 2> /dev/null
      }
      """;

  private static final String PYTHON =
      """
      mkdir -p usr/lib/python3.11
      cp -a /usr/bin/python3.11 usr/bin/python3
      (cd /usr/lib/python3.11 && tar -cf - --exclude=test --exclude='config-*' --exclude=idlelib --exclude=ensurepip .) |
        tar -xf - -C usr/lib/python3.11
      libraries /usr/bin/python3.11 /usr/lib/python3.11/lib-dynload/*.so
      """;

  private static final String COMPILER =
      """
      version=$(gcc -dumpversion | cut -d. -f1)
      dpkg -L "gcc-$version" "cpp-$version" "libgcc-$version-dev" libgcc-s1 libc6 libc6-dev linux-libc-dev \
          binutils-x86-64-linux-gnu | grep -v '/share/\\|/plugin/\\|lto1' | while read -r file; do
        if [ -f "$file" ]; then echo "$file"; fi
      done | tar -P -cf - --no-recursion -T - | tar -xf - 2> /dev/null
      libraries "/usr/lib/gcc/x86_64-linux-gnu/$version/cc1" "/usr/lib/gcc/x86_64-linux-gnu/$version/collect2" \
        /usr/bin/x86_64-linux-gnu-as /usr/bin/x86_64-linux-gnu-ld "/usr/bin/x86_64-linux-gnu-gcc-$version"
      for tool in as ld; do ln -sf "x86_64-linux-gnu-$tool" "usr/bin/$tool"; done
      ln -sf "x86_64-linux-gnu-gcc-$version" usr/bin/cc
      """;

  private HostLayers() {}

  static Layer python(Path directory) throws IOException, InterruptedException {
    return layer(directory, "python", BASE + LIBRARIES + PYTHON);
  }

  static Layer compiler(Path directory) throws IOException, InterruptedException {
    return layer(directory, "compiler", BASE + LIBRARIES + COMPILER);
  }

  private static Layer layer(Path directory, String name, String script)
      throws IOException, InterruptedException {
    Path root = Files.createDirectories(directory.resolve(name));
    run("/bin/bash", "-c", script, "make", root.toString());
    Path image = directory.resolve(name + ".erofs");
    run("mkfs.erofs", "--quiet", image.toString(), root.toString());
    run("rm", "-rf", root.toString());
    return new Layer("sha256:" + sha256(Files.readAllBytes(image)), image);
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(String.join(" ", command) + ": " + output);
    }
    return output;
  }
}
