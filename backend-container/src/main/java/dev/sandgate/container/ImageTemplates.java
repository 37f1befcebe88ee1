// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empty file systems that the spawner copies for sandboxes with a limit of disk: one is made the first time that its size is
 * wanted, and a bounded number is kept. Blocks; for virtual threads.
 */
final class ImageTemplates {

  private static final Logger LOG = LoggerFactory.getLogger(ImageTemplates.class);
  private static final int MOST = 64;
  private static final int PATIENCE_SECONDS = 60;

  private final Path directory;
  private final Supplier<Optional<Path>> mkfs;
  private final Map<ImageSize, Template> known = new LinkedHashMap<>(16, 0.75f, true);

  ImageTemplates(Path directory, Supplier<Optional<Path>> mkfs) {
    this.directory = directory;
    this.mkfs = mkfs;
  }

  /** One that stays as long as it is open. */
  interface Lease extends AutoCloseable {

    /** As the spawner wants it. */
    String name();

    @Override
    void close();
  }

  private static final class Template {
    private final ReentrantLock making = new ReentrantLock();
    private boolean made; // guarded by making
    private int users; // guarded by the map
  }

  /** The template of a size, made if need be. INVALID_ARGUMENT when this host has no means to. */
  Lease lease(ImageSize size) {
    Template template = take(size);
    try {
      makeOnce(template, size);
    } catch (RuntimeException e) {
      giveBack(template);
      throw e;
    }
    return new Lease() {
      @Override
      public String name() {
        return size.name();
      }

      @Override
      public void close() {
        giveBack(template);
      }
    };
  }

  private Template take(ImageSize size) {
    synchronized (known) {
      Template template = known.computeIfAbsent(size, _ -> new Template());
      template.users++;
      dropUnused();
      return template;
    }
  }

  private void giveBack(Template template) {
    synchronized (known) {
      template.users--;
    }
  }

  /** Those that were not used for longest go first; whoever wants one again makes it again. */
  private void dropUnused() {
    List<ImageSize> unused = new ArrayList<>();
    known.forEach(
        (size, template) -> {
          if (template.users == 0 && unused.size() < known.size() - MOST) {
            unused.add(size);
          }
        });
    for (ImageSize size : unused) {
      known.remove(size);
      delete(directory.resolve(size.name()));
    }
  }

  private void makeOnce(Template template, ImageSize size) {
    template.making.lock();
    try {
      if (!template.made) {
        make(size);
        template.made = true;
      }
    } finally {
      template.making.unlock();
    }
  }

  private void make(ImageSize size) {
    Path tool = mkfs.get().orElseThrow(ImageTemplates::missing);
    Path file = directory.resolve(size.name() + ".new");
    try {
      Files.createDirectories(directory);
      Files.deleteIfExists(file);
      String said = run(tool, size, file);
      if (!said.isEmpty()) {
        throw failed(said, null);
      }
      Files.move(file, directory.resolve(size.name()), StandardCopyOption.ATOMIC_MOVE);
      LOG.info("made the file system {} for limits of disk", size.name());
    } catch (IOException e) {
      throw failed(e.getMessage(), e);
    }
  }

  /** What it says when it fails; nothing when all is well. */
  private static String run(Path tool, ImageSize size, Path file) throws IOException {
    List<String> command = new ArrayList<>(List.of(tool.toString()));
    command.addAll(size.arguments(file.toString()));
    Path words = Path.of(file + ".out");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(words.toFile())
            .redirectErrorStream(true)
            .start();
    try {
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      String said = Files.readString(words, StandardCharsets.ISO_8859_1).strip();
      return ended && process.exitValue() == 0 ? "" : "mkfs.ext4 failed: " + said;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted while mkfs.ext4 ran";
    } finally {
      process.destroyForcibly();
      Files.deleteIfExists(words);
    }
  }

  /** Removes what an earlier run left; blocks. */
  void sweep() {
    Set<String> mine = new HashSet<>();
    synchronized (known) {
      known.keySet().forEach(size -> mine.add(size.name()));
      if (!Files.isDirectory(directory)) {
        return;
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          if (mine.stream().noneMatch(String.valueOf(file.getFileName())::startsWith)) {
            delete(file);
          }
        }
      } catch (IOException e) {
        LOG.warn("templates of an earlier run stay in {}", directory, e);
      }
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("{} stays", file, e);
    }
  }

  private static SandgateException missing() {
    return SandgateException.invalid(
        "limits.disk_bytes",
        "this node cannot limit what a sandbox writes: mkfs.ext4 is not there; install e2fsprogs on it, or leave the limit out");
  }

  private static SandgateException failed(@Nullable String why, @Nullable Exception cause) {
    boolean full = String.valueOf(why).contains("No space left");
    return new SandgateException(
        full ? ErrorCode.RESOURCE_EXHAUSTED : ErrorCode.BACKEND_UNAVAILABLE,
        "limits.disk_bytes",
        "no file system of that size could be made: " + why,
        cause);
  }
}
