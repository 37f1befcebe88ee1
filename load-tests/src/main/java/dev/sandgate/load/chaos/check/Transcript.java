// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one reader was given of a command, over however many connections. Bytes are compared as they come and not kept.
 * Thread-safe.
 */
public final class Transcript {

  private static final int MOST_WRONGS = 10;

  private final Plan plan;
  private final Track stdout;
  private final Track stderr;
  private final List<String> wrongs = new ArrayList<>();
  private final List<Ending> endings = new ArrayList<>();
  private boolean known;
  private boolean started;

  /** Of one stream. */
  private static final class Track {
    private final String name;
    private final Content content;
    private long position;
    private long delivered;
    private long truncated;

    Track(String name, Content content) {
      this.name = name;
      this.content = content;
    }
  }

  /** Begins with nothing seen. */
  public Transcript(Plan plan) {
    this.plan = plan;
    this.stdout = new Track("stdout", plan.stdout());
    this.stderr = new Track("stderr", plan.stderr());
  }

  /** The platform knows the command; whether it says that it runs. */
  public synchronized void started(boolean running) {
    known = true;
    started |= running;
    refuseBehindEnd("started");
  }

  /** Bytes came. */
  public synchronized void output(boolean error, long offset, ByteBuffer data) {
    Track track = error ? stderr : stdout;
    int count = data.remaining();
    refuseBehindEnd(track.name);
    if (offset != track.position) {
      wrong("%s goes on at %d instead of %d".formatted(track.name, offset, track.position));
    }
    if (!track.content.matches(offset, data)) {
      wrong("%s has wrong bytes between %d and %d".formatted(track.name, offset, offset + count));
    }
    track.position = offset + count;
    track.delivered += count;
  }

  /** A hole was reported. */
  public synchronized void truncated(boolean error, long from, long to) {
    Track track = error ? stderr : stdout;
    refuseBehindEnd(track.name);
    if (from != track.position || to <= from) {
      wrong("%s: a hole from %d to %d at %d".formatted(track.name, from, to, track.position));
    }
    track.position = to;
    track.truncated += to - from;
  }

  /** An end was told. */
  public synchronized void ended(Ending ending) {
    started |= ending instanceof Ending.Exited;
    endings.add(ending);
  }

  private void refuseBehindEnd(String what) {
    if (!endings.isEmpty()) {
      wrong(what + " behind the end");
    }
  }

  private void wrong(String what) {
    if (wrongs.size() < MOST_WRONGS) {
      wrongs.add(plan.execId() + ": " + what);
    }
  }

  /** The next byte of stdout that is wanted. */
  public synchronized long stdoutPosition() {
    return stdout.position;
  }

  /** The next byte of stderr that is wanted. */
  public synchronized long stderrPosition() {
    return stderr.position;
  }

  /** Whether the platform knows the command. */
  public synchronized boolean known() {
    return known;
  }

  /** Whether the platform said that the command was started: that it runs, or how it ended. */
  public synchronized boolean acknowledged() {
    return started;
  }

  /** Bytes that were reported missing. */
  public synchronized long truncatedBytes() {
    return stdout.truncated + stderr.truncated;
  }

  /** What was wrong with what came, one line each. */
  synchronized List<String> wrongs() {
    return List.copyOf(wrongs);
  }

  /** The ends that were told. */
  synchronized List<Ending> endings() {
    return List.copyOf(endings);
  }

  /** The last end that was told, or null for none. */
  public synchronized @Nullable Ending ending() {
    return endings.isEmpty() ? null : endings.getLast();
  }

  /** What a result says that was written and neither came nor was reported missing, one line each. */
  synchronized List<String> unbalanced(Ending.Exited exited) {
    List<String> lines = new ArrayList<>();
    balance(stdout, exited.stdoutBytes(), lines);
    balance(stderr, exited.stderrBytes(), lines);
    return lines;
  }

  private void balance(Track track, long written, List<String> lines) {
    if (track.delivered + track.truncated != written) {
      lines.add(
          "%s: %s: %d written, %d delivered, %d reported truncated"
              .formatted(plan.execId(), track.name, written, track.delivered, track.truncated));
    }
    if (!plan.killed() && written != track.content.length()) {
      lines.add(
          "%s: %s: %d written of %d, says its result"
              .formatted(plan.execId(), track.name, written, track.content.length()));
    }
  }
}
