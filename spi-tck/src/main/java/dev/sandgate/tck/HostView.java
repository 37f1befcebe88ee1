// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;

/**
 * What this JVM and the suite's sandboxes hold on this host at one moment, one line a thing.
 *
 * @param things descriptors, processes, mounts, cgroups and threads
 */
record HostView(Set<String> things) {

  /** Opened lazily by the JDK and kept for its life. */
  private static final Pattern OF_THE_JDK =
      Pattern.compile(".*(\\.jar|/modules|/dev/u?random|\\.so|/cgroup/.*|/cpu\\.max|/memory\\..*)");

  /** Pools that the JDK, JUnit and Mutiny share among all and never stop. */
  private static final Pattern SHARED_POOL =
      Pattern.compile(
          "ForkJoinPool.*|process reaper.*|VirtualThread-unpark.*|.*-Poller|.*[Uu]nblocker.*|Cleaner.*|"
              + "Common-Cleaner|pool-\\d+-thread-\\d+|executor-thread-.*|CompletableFutureDelay.*|"
              + "junit-.*|surefire-.*|Attach Listener|process-tree-.*|JFR .*");

  static HostView now() {
    try {
      Set<String> things = new TreeSet<>();
      descriptors(things);
      processes(things);
      mounts(things);
      cgroups(things);
      threads(things);
      return new HostView(things);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Makes the JDK open what it opens only once: pollers of virtual threads, the process reaper. The
   * connection comes only when a thread waits for it, else no poller would be asked.
   */
  static void warmUp() {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      FutureTask<Integer> accepted =
          new FutureTask<>(
              () -> {
                try (Socket socket = server.accept()) {
                  return socket.getInputStream().read();
                }
              });
      Thread waiting = Thread.ofVirtual().start(accepted);
      Eventually.value("a thread waits", waiting::getState, state -> state == Thread.State.WAITING);
      try (Socket socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
        socket.getOutputStream().write(1);
      }
      accepted.get();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void descriptors(Set<String> things) throws IOException {
    Map<String, Integer> seen = new HashMap<>();
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : open) {
        String target = target(descriptor);
        if (!OF_THE_JDK.matcher(target).matches()) {
          String kind = target.startsWith("/") ? target : target.replaceAll("\\[\\d+]", "");
          things.add("descriptor " + kind + " #" + seen.merge(kind, 1, Integer::sum));
        }
      }
    }
  }

  private static String target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException closedMeanwhile) {
      return "/dev/random";
    }
  }

  private static void processes(Set<String> things) {
    Set<ProcessHandle> mine =
        new java.util.HashSet<>(ProcessHandle.current().descendants().toList());
    ProcessHandle.allProcesses()
        .filter(process -> mine.contains(process) || mentionsNode(process))
        .forEach(process -> things.add("process " + process.pid() + " " + commandLine(process)));
  }

  private static boolean mentionsNode(ProcessHandle process) {
    return process.pid() != ProcessHandle.current().pid()
        && commandLine(process).contains("-" + LeakCheck.NODE + "-");
  }

  private static String commandLine(ProcessHandle process) {
    return process.info().commandLine().orElse("");
  }

  private static void mounts(Set<String> things) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
      String point = line.split(" ", -1)[4];
      if (point.contains(LeakCheck.NODE)) {
        things.add("mount " + point);
      }
    }
  }

  private static void cgroups(Set<String> things) throws IOException {
    for (Path root : cgroupRoots()) {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes a) {
              if (directory.toString().contains("-" + LeakCheck.NODE + "-")) {
                things.add("cgroup " + directory);
                return FileVisitResult.SKIP_SUBTREE;
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException removedMeanwhile) {
              return FileVisitResult.CONTINUE;
            }
          });
    }
  }

  private static List<Path> cgroupRoots() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
        .filter(line -> line.contains(" - cgroup"))
        .map(line -> Path.of(line.split(" ", -1)[4]))
        .distinct()
        .toList();
  }

  private static void threads(Set<String> things) {
    Map<String, Integer> seen = new HashMap<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      String name = thread.getName();
      if (!SHARED_POOL.matcher(name).matches()) {
        things.add("thread " + name + " #" + seen.merge(name, 1, Integer::sum));
      }
    }
  }
}
