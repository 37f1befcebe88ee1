// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The way back. */
final class UndoTest {

  private final List<String> ran = new ArrayList<>();
  private final Undo undo = new Undo();

  @Test
  void shouldRunInReverseOnce() {
    undo.push("a", () -> ran.add("a"));
    undo.push("b", () -> ran.add("b"));
    undo.run();
    undo.run();
    assertEquals(List.of("b", "a"), ran);
  }

  @Test
  void shouldRunEveryStepAndTellOfEveryFailure() {
    undo.push("first", () -> ran.add("first"));
    undo.push(
        "second",
        () -> {
          throw new IOException("no disk");
        });
    undo.push(
        "third",
        () -> {
          throw new IllegalArgumentException("no way");
        });
    IllegalStateException failure = assertThrows(IllegalStateException.class, undo::run);
    assertEquals(List.of("first"), ran);
    assertEquals("cannot take back third: no way", failure.getMessage());
    assertEquals("cannot take back second: no disk", failure.getSuppressed()[0].getMessage());
  }

  @Test
  void shouldRunALateStepAtOnce() {
    undo.run();
    undo.push("late", () -> ran.add("late"));
    assertEquals(List.of("late"), ran);
  }

  @Test
  void shouldForgetWhatFoundItsOwner() {
    undo.push("a", () -> ran.add("a"));
    undo.keep();
    undo.run();
    assertTrue(ran.isEmpty());
  }

  @Test
  void shouldCarryItsFailuresWithTheCause() {
    undo.push(
        "thing",
        () -> {
          throw new IOException("stuck");
        });
    RuntimeException cause = new RuntimeException("why");
    assertSame(cause, undo.runBecause(cause));
    assertEquals("cannot take back thing: stuck", cause.getSuppressed()[0].getMessage());
  }
}
