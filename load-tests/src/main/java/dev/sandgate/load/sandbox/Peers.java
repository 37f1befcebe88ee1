// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.sandbox;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandgate.load.measure.Findings;
import dev.sandgate.load.measure.Samples;
import dev.sandgate.load.tool.Child;
import dev.sandgate.load.tool.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * crun, bwrap and a bare spawn, each timed by a C program in a mount namespace of its own, where one overlay of the same
 * layers is the root of all their containers and, for crun, cgroup2 is mounted where crun wants it.
 */
final class Peers implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> NAMESPACES =
      List.of("pid", "network", "ipc", "uts", "mount", "user", "cgroup");
  private static final int HOST_UID = 300_000;
  private static final int UIDS = 65_536;

  private static final String WITH_ROOT =
      """
      mount -t overlay -o "lowerdir=$1" overlay "$2"
      shift 2
      exec "$@"
      """;
  private static final String WITH_CGROUP2 = "mount -t cgroup2 none /sys/fs/cgroup\n" + WITH_ROOT;

  private final Tools tools;
  private final LayerStack stack;
  private final Path directory;
  private final Path timecmd;
  private final Optional<Path> crun;
  private final Optional<Path> bwrap;
  private boolean live;

  /** Prepares bundles below a directory that the caller removes. */
  Peers(Tools tools, LayerStack stack, Path directory) throws IOException, InterruptedException {
    this.tools = tools;
    this.stack = stack;
    this.directory = Files.createDirectories(directory);
    this.timecmd = tools.timecmd();
    this.crun = tools.find("crun", "crun");
    this.bwrap = tools.find("bwrap", "bubblewrap");
    for (String part : List.of("rootfs", "state")) {
      Files.createDirectories(directory.resolve(part));
    }
    bundle("once", List.of("/bin/true"));
    bundle("live", List.of("/bin/sleep", "100000"));
  }

  boolean hasCrun(Findings findings) {
    return has(crun, "crun", findings);
  }

  boolean hasBwrap(Findings findings) {
    return has(bwrap, "bwrap", findings);
  }

  private static boolean has(Optional<Path> program, String name, Findings findings) {
    if (program.isEmpty()) {
      findings.note(name + ": not run, it cannot be installed here");
    }
    return program.isPresent();
  }

  // crun's own default, without a terminal and with the two namespaces that it leaves out.
  private void bundle(String name, List<String> command) throws IOException, InterruptedException {
    Path bundle = Files.createDirectories(directory.resolve(name));
    if (crun.isEmpty()) {
      return;
    }
    Path file = bundle.resolve("config.json");
    if (!Files.exists(file)) {
      Child.start(
              tools.log("crun"), List.of(crun.get().toString(), "spec", "-b", bundle.toString()))
          .lines();
    }
    ObjectNode config = (ObjectNode) JSON.readTree(file.toFile());
    config.withObject("/process").put("terminal", false).set("args", JSON.valueToTree(command));
    config.withObject("/root").put("path", rootfs());
    ObjectNode linux = config.withObject("/linux");
    linux.remove("resources");
    ArrayNode namespaces = linux.putArray("namespaces");
    NAMESPACES.forEach(type -> namespaces.addObject().put("type", type));
    for (String mappings : List.of("uidMappings", "gidMappings")) {
      ObjectNode mapping = linux.putArray(mappings).addObject();
      mapping.put("containerID", 0).put("hostID", HOST_UID).put("size", UIDS);
    }
    JSON.writeValue(file.toFile(), config);
  }

  /** Microseconds of `crun run` of a program that does nothing: create, start, wait, delete. */
  Samples crunRun(int count) throws IOException, InterruptedException {
    return timeCrun(count, List.of("run", "-b", directory.resolve("once").toString(), "run{}"));
  }

  /** Microseconds of `crun exec` in a container that lives. */
  Samples crunExec(int count) throws IOException, InterruptedException {
    if (!live) {
      timeCrun(1, List.of("run", "-d", "-b", directory.resolve("live").toString(), "live"));
      live = true;
    }
    return timeCrun(count, List.of("exec", "live", "/bin/true"));
  }

  /** Microseconds of bwrap with all its namespaces. */
  Samples bwrapRun(int count) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(bwrapCommand());
    command.add("/bin/true");
    return time(WITH_ROOT, count, command);
  }

  private List<String> bwrapCommand() {
    String program = bwrap.orElseThrow().toString();
    List<String> command = new ArrayList<>(List.of(program, "--unshare-all", "--uid", "0"));
    command.addAll(List.of("--gid", "0", "--bind", rootfs(), "/"));
    command.addAll(List.of("--proc", "/proc", "--dev", "/dev"));
    return command;
  }

  /** Microseconds of starting the same program on the host and waiting for it. */
  Samples spawn(int count) throws IOException, InterruptedException {
    return time(WITH_ROOT, count, List.of(stack.trueProgram().toString()));
  }

  private Samples timeCrun(int count, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(crun.orElseThrow().toString()));
    command.addAll(List.of("--root", directory.resolve("state").toString()));
    command.add("--cgroup-manager=disabled");
    command.addAll(arguments);
    return time(WITH_CGROUP2, count, command);
  }

  /** The command of a bwrap sandbox that says "up" and idles until its parent dies. */
  List<String> idleBwrap() {
    List<String> command = new ArrayList<>(bwrapCommand());
    command.addAll(List.of("--die-with-parent", "--as-pid-1"));
    command.addAll(List.of("/bin/sh", "-c", "echo up; exec sleep 100000"));
    return command;
  }

  /** Starts a command that finds the root of the containers mounted. */
  Child start(List<String> command) throws IOException {
    return start(WITH_ROOT, command);
  }

  private Child start(String script, List<String> command) throws IOException {
    List<String> wrapped = new ArrayList<>(List.of("unshare", "-m", "sh", "-ec", script, "sh"));
    wrapped.addAll(List.of(stack.lowerDirectories(), rootfs()));
    wrapped.addAll(command);
    return Child.start(tools.log("peers"), wrapped);
  }

  private Samples time(String script, int count, List<String> command)
      throws IOException, InterruptedException {
    List<String> timed = new ArrayList<>(List.of(timecmd.toString(), Integer.toString(count)));
    timed.addAll(command);
    try (Child child = start(script, timed)) {
      return Samples.of(child.lines().stream().mapToDouble(Double::parseDouble).toArray());
    }
  }

  private String rootfs() {
    return directory.resolve("rootfs").toString();
  }

  @Override
  public void close() throws IOException {
    try {
      if (live) {
        timeCrun(1, List.of("delete", "-f", "live"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("a container of crun may be left in " + directory, e);
    }
  }
}
