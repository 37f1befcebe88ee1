// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.swap;

import static dev.sandgate.node.config.Setting.check;

import dev.sandgate.node.environments.Tool;
import dev.sandgate.spi.ErrorCode;
import dev.sandgate.spi.SandgateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Swap that the node sets up when it is told to, and takes away with the last sandbox: while any lives its memory may be there. What an
 * earlier run left is found again by what is written in {@code swap.area}. Blocks.
 */
public final class Swap implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Swap.class);
  private static final String SETTING = "node.swap";
  private static final Pattern VALUE = Pattern.compile("(zram|file):(\\d{7,15})");
  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Path record;
  private final BooleanSupplier needed;
  private Optional<SwapArea> area = Optional.empty();

  private Swap(Path data, BooleanSupplier needed) {
    this.record = data.resolve("swap.area");
    this.needed = needed;
  }

  /**
   * Sets up what is wanted.
   *
   * @param settings with {@code node.swap}: {@code zram:BYTES} or {@code file:BYTES}; nothing is set up without it
   * @param data the node's directory
   * @param needed whether sandboxes live whose memory may be there
   * @throws SandgateException INVALID_CONFIG when it cannot be
   */
  public static Swap open(Map<String, String> settings, Path data, BooleanSupplier needed) {
    String value = settings.getOrDefault(SETTING, "");
    Matcher wanted = VALUE.matcher(value);
    check(
        value.isEmpty() || wanted.matches(),
        SETTING,
        "give zram:BYTES or file:BYTES with at least 1000000 bytes, or leave it out");
    Swap swap = new Swap(data, needed);
    try {
      swap.find(value);
      if (!value.isEmpty() && swap.area.isEmpty()) {
        swap.make(value, wanted.group(1), Long.parseLong(wanted.group(2)), data);
      }
      return swap;
    } catch (IOException e) {
      throw unusable(value, e.toString(), e);
    } catch (SandgateException e) {
      throw unusable(value, String.valueOf(e.getMessage()), e);
    }
  }

  private static SandgateException unusable(String value, String why, Exception cause) {
    return new SandgateException(
        ErrorCode.INVALID_CONFIG,
        SETTING,
        "%s: %s cannot be set up: %s; leave it out, or give the host swap yourself"
            .formatted(SETTING, value, why),
        cause);
  }

  /** Takes over what an earlier run left, or takes it away when something else is wanted. */
  private void find(String wanted) throws IOException {
    if (!Files.exists(record)) {
      return;
    }
    String[] lines = Files.readString(record).split("\n", -1);
    boolean sameBoot = lines[1].equals(boot());
    SwapArea left = area(Path.of(lines[2]));
    if (sameBoot && isOn(left.device())) {
      area = Optional.of(left);
      if (!lines[0].equals(wanted)) {
        close();
      }
      return;
    }
    if (left instanceof SwapFile || sameBoot) {
      left.remove();
    }
    Files.delete(record);
  }

  private static SwapArea area(Path device) {
    String name = device.toString();
    return name.startsWith("/dev/zram")
        ? new Zram(Integer.parseInt(name.substring("/dev/zram".length())))
        : new SwapFile(device);
  }

  private static boolean isOn(Path device) throws IOException {
    return Files.readAllLines(Path.of("/proc/swaps")).stream()
        .anyMatch(line -> line.startsWith(device + " "));
  }

  private void make(String value, String kind, long bytes, Path data) throws IOException {
    SwapArea made = kind.equals("zram") ? zram(bytes) : SwapFile.make(data.toRealPath(), bytes);
    try {
      Files.writeString(record, String.join("\n", value, boot(), made.device().toString()));
      String device = made.device().toString();
      run("mkswap", device);
      run("swapon", "--priority", Integer.toString(made.priority()), device);
    } catch (IOException | RuntimeException e) {
      made.remove();
      Files.deleteIfExists(record);
      throw e;
    }
    area = Optional.of(made);
    LOG.info("memory of paused sandboxes goes to {} ({})", made.device(), value);
  }

  private static Zram zram(long bytes) throws IOException {
    if (!Zram.isThere()) {
      run("modprobe", "zram", "num_devices=0");
    }
    return Zram.make(bytes);
  }

  private static String boot() throws IOException {
    return Files.readString(BOOT).strip();
  }

  private static void run(String... command) {
    new Tool(PATIENCE, command).run(line -> LOG.debug("{}: {}", command[0], line));
  }

  /** Takes it away unless sandboxes live; what is there comes back into memory first. */
  @Override
  public void close() {
    if (area.isEmpty() || needed.getAsBoolean()) {
      return;
    }
    SwapArea unneeded = area.get();
    area = Optional.empty();
    try {
      run("swapoff", unneeded.device().toString());
      unneeded.remove();
      Files.delete(record);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
