// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.backends;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backends in jars: compiled here, dropped into a directory, found. */
class PluginsTest {

  private static final String SOURCE =
      """
      package plug;
      import dev.sandgate.spi.*;
      import io.smallrye.mutiny.Uni;
      import java.util.*;
      public class Provider implements BackendProvider {
        public String name() { return "NAME"; }
        public Backend open(BackendContext context) {
          if (context.settings().containsKey("wrong")) {
            throw new SandgateException(ErrorCode.INVALID_CONFIG, "wrong", "wrong: leave it out", null);
          }
          return new Backend() {
            public Isolation isolation() { return Isolation.PROCESS; }
            public Set<Capability> capabilities() { return Set.of(); }
            public Probe probe() {
              try {
                Class.forName("io.vertx.core.Vertx");
                return new Probe(List.of(new Probe.Finding("seclusion", true, false, "it sees Vert.x")));
              } catch (ClassNotFoundException e) {
                return new Probe(List.of(new Probe.Finding("seclusion", true, true, "")));
              }
            }
            public Uni<Sandbox> create(SandboxSpec spec) { return Uni.createFrom().nothing(); }
            public Uni<List<Sandbox>> adopt(List<SandboxSpec> known) {
              return Uni.createFrom().item(List.of());
            }
            public void close() {}
          };
        }
      }
      """;

  @TempDir private Path directory;

  private Path plugins() throws IOException {
    return Files.createDirectories(directory.resolve("plugins"));
  }

  private Backends open(Map<String, String> settings) throws IOException {
    Map<String, String> all = new HashMap<>(settings);
    all.put("backend.container.enabled", "false");
    all.put("backend.fncall.enabled", "false");
    return Backends.open(
        new Backends.Setup("n1", directory.resolve("data"), Optional.of(plugins()), all));
  }

  private void jar(String file, String backend) throws IOException {
    Path classes = Files.createTempDirectory(directory, "classes");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    JavaFileObject source =
        new SimpleJavaFileObject(
            URI.create("string:///plug/Provider.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return SOURCE.replace("NAME", backend);
          }
        };
    List<String> options = List.of("-d", classes.toString(), "-proc:none");
    assertTrue(compiler.getTask(null, null, null, options, null, List.of(source)).call());
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(plugins().resolve(file)));
        var files = Files.walk(classes)) {
      for (Path entry : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
        put(jar, classes.relativize(entry).toString(), Files.readAllBytes(entry));
      }
      byte[] provider = "plug.Provider\n".getBytes(StandardCharsets.UTF_8);
      put(jar, "META-INF/services/dev.sandgate.spi.BackendProvider", provider);
    }
  }

  private static void put(JarOutputStream jar, String name, byte[] bytes) throws IOException {
    jar.putNextEntry(new JarEntry(name));
    jar.write(bytes);
    jar.closeEntry();
  }

  private SandgateException refused(Map<String, String> settings) {
    return assertThrows(
        SandgateException.class,
        () -> {
          try (Backends opened = open(settings)) {
            throw new AssertionError("opened " + opened.all());
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Test
  void shouldFindABackendInAJarThatSeesTheSpiOnly() throws IOException {
    jar("one.jar", "one");
    jar("two.jar", "two");
    try (Backends backends = open(Map.of())) {
      OpenBackend one = backends.require("backend", "one");
      OpenBackend two = backends.require("backend", "two");
      assertTrue(one.probe().join().available(), one.probe().join().reason());
      assertNotEquals(
          one.backend().getClass().getClassLoader(), two.backend().getClass().getClassLoader());
      assertTrue(backends.find("memory").isPresent(), "those of the class path are there too");
    }
  }

  @Test
  void shouldStopAtTwoBackendsOfOneName() throws IOException {
    jar("first.jar", "same");
    jar("second.jar", "same");
    SandgateException twice = refused(Map.of());
    assertEquals(ErrorCode.INVALID_CONFIG, twice.code());
    String message = String.valueOf(twice.getMessage());
    assertTrue(message.contains("first.jar") && message.contains("second.jar"), message);
    assertTrue(message.contains("node.plugins"), message);
  }

  @Test
  void shouldStopAtAnInvalidName() throws IOException {
    jar("bad.jar", "No Name");
    String message = String.valueOf(refused(Map.of()).getMessage());
    assertTrue(message.contains("bad.jar") && message.contains("[a-z0-9-]"), message);
  }

  @Test
  void shouldStopAtAJarThatIsNone() throws IOException {
    try (OutputStream out = Files.newOutputStream(plugins().resolve("empty.jar"))) {
      out.write("no jar".getBytes(StandardCharsets.UTF_8));
    }
    String message = String.valueOf(refused(Map.of()).getMessage());
    assertTrue(message.contains("empty.jar"), message);
  }

  @Test
  void shouldNameTheSettingThatIsWrong() throws IOException {
    jar("one.jar", "one");
    SandgateException wrong = refused(Map.of("backend.one.wrong", "x"));
    assertEquals("backend.one.wrong", wrong.field());
    SandgateException unknown = refused(Map.of("backend.nine.key", "x"));
    assertEquals("backend.nine.key", unknown.field());
    assertEquals("backend.one.enabled", refused(Map.of("backend.one.enabled", "maybe")).field());
    try (Backends backends = open(Map.of("backend.one.enabled", "false"))) {
      assertTrue(backends.find("one").isEmpty());
    }
  }
}
