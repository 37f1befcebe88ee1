// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.load.chaos.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Judges what was seen of many commands against what is promised of each. */
public final class Checker {

  private static final String LOST = "SANDBOX_LOST";
  private static final int KILL = 9;

  private final Collection<Account> accounts;
  private final Map<String, Box> boxes;

  /** Of a run that is over. */
  public Checker(Collection<Account> accounts, Collection<Box> boxes) {
    this.accounts = List.copyOf(accounts);
    this.boxes = boxes.stream().collect(Collectors.toMap(Box::id, Function.identity()));
  }

  /**
   * A promise.
   *
   * @param promise what must be so
   * @param violations where it is not, one line each
   */
  public record Verdict(String promise, List<String> violations) {

    /** Whether it was kept. */
    public boolean holds() {
      return violations.isEmpty();
    }
  }

  /** One verdict for each promise. */
  public List<Verdict> verdicts() {
    return List.of(
        new Verdict("no command ran twice", twice()),
        new Verdict("every acknowledged command ran", absent()),
        new Verdict("every byte is right and in its place", each(Checker::misplaced)),
        new Verdict("bytes written = delivered + reported truncated", each(Checker::unbalanced)),
        new Verdict("nothing is truncated without need", each(Checker::truncatedInVain)),
        new Verdict("every command ended once", each(Checker::endless)),
        new Verdict("every exit is right, or typed as not known", each(this::wronglyEnded)),
        new Verdict("a result stays what it was", each(Checker::changed)),
        new Verdict("only destroyed sandboxes are lost", lostBoxes()));
  }

  private List<String> each(Function<Account, List<String>> rule) {
    return accounts.stream().flatMap(account -> rule.apply(account).stream()).toList();
  }

  private List<String> twice() {
    List<String> violations = new ArrayList<>();
    Set<String> planned = new HashSet<>();
    accounts.forEach(
        account -> planned.add(account.plan().boxId() + " " + account.plan().execId()));
    for (Box box : boxes.values()) {
      Map<String, Integer> counts = new HashMap<>();
      box.tokens().forEach(token -> counts.merge(token, 1, Integer::sum));
      counts.forEach(
          (token, count) -> {
            if (count > 1) {
              violations.add("%s ran %d times in %s".formatted(token, count, box.id()));
            }
            if (!planned.contains(box.id() + " " + token)) {
              violations.add("%s ran in %s, where nobody asked for it".formatted(token, box.id()));
            }
          });
    }
    return violations;
  }

  private List<String> absent() {
    Map<String, Set<String>> tokens = new HashMap<>();
    boxes.values().stream()
        .filter(Box::readable)
        .forEach(box -> tokens.put(box.id(), new HashSet<>(box.tokens())));
    return accounts.stream()
        .filter(Account::acknowledged)
        .map(Account::plan)
        .filter(
            plan ->
                !tokens.getOrDefault(plan.boxId(), Set.of(plan.execId())).contains(plan.execId()))
        .map(plan -> plan.execId() + " was acknowledged and has not run in " + plan.boxId())
        .toList();
  }

  private static List<String> misplaced(Account account) {
    return account.readings().stream().flatMap(reading -> reading.wrongs().stream()).toList();
  }

  private static List<String> unbalanced(Account account) {
    List<String> violations = new ArrayList<>();
    for (Transcript reading : account.readings()) {
      if (reading.ending() instanceof Ending.Exited exited) {
        violations.addAll(reading.unbalanced(exited));
      }
    }
    return violations;
  }

  // What a killed node had not kept yet may be missing, and what is beyond the cap is.
  private static List<String> truncatedInVain(Account account) {
    return account.readings().stream()
        .filter(_ -> account.plan().fate() == Plan.Fate.FREE && !account.nodeDied())
        .filter(reading -> reading.truncatedBytes() > 0)
        .map(reading -> account.plan().execId() + " misses " + reading.truncatedBytes() + " bytes")
        .toList();
  }

  private static List<String> endless(Account account) {
    return account.readings().stream()
        .map(Transcript::endings)
        .filter(endings -> endings.size() != 1)
        .map(endings -> account.plan().execId() + ": ends told: " + endings)
        .toList();
  }

  private List<String> wronglyEnded(Account account) {
    List<String> violations = new ArrayList<>();
    for (Transcript reading : account.readings()) {
      for (Ending ending : reading.endings()) {
        if (!allowed(account, ending)) {
          violations.add(
              "%s, which is to exit with %d: %s"
                  .formatted(account.plan().execId(), account.plan().exitCode(), ending));
        }
      }
    }
    return violations;
  }

  private boolean allowed(Account account, Ending ending) {
    Plan plan = account.plan();
    Box box = boxes.get(plan.boxId());
    boolean struck = box != null && box.struck();
    return switch (ending) {
      case Ending.Exited exited -> exit(account, exited);
      case Ending.Unknown unknown ->
          unknown.killReason().isEmpty() ? account.nodeDied() : struck && lost(unknown);
      case Ending.Lost _ -> struck;
      case Ending.Surprise _ -> false;
    };
  }

  private static boolean lost(Ending.Unknown unknown) {
    return unknown.killReason().equals(LOST);
  }

  // Who killed it may have been known only to a node that was killed too.
  private static boolean exit(Account account, Ending.Exited exited) {
    Plan plan = account.plan();
    if (plan.killed()) {
      boolean reason = exited.killReason().equals("CALLER");
      return exited.signal() == KILL
          && (reason || (exited.killReason().isEmpty() && account.nodeDied()));
    }
    return exited.signal() == 0
        && exited.killReason().isEmpty()
        && exited.exitCode() == plan.exitCode();
  }

  private static List<String> changed(Account account) {
    Transcript later = account.later();
    Ending told = account.live().ending();
    Ending shown = later == null ? null : later.ending();
    return told == null || shown == null || told.equals(shown)
        ? List.of()
        : List.of(account.plan().execId() + ": was " + told + ", later " + shown);
  }

  private List<String> lostBoxes() {
    return boxes.values().stream()
        .filter(box -> !box.readable() && !box.struck())
        .map(box -> box.id() + " cannot be read though nothing was done to it")
        .toList();
  }
}
