// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.regex.Pattern;

/** Lines up columns, two spaces between them; colour codes count as nothing. */
public final class Table {

  private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");

  private Table() {}

  /** Lines of a header and rows of as many cells. */
  public static List<String> format(List<String> header, List<List<String>> rows) {
    int[] widths = new int[header.size()];
    List<List<String>> all = new ArrayList<>();
    all.add(header);
    all.addAll(rows);
    for (List<String> row : all) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    return all.stream().map(row -> line(row, widths)).toList();
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = String.join("", Collections.nCopies(widths[i] - width(row.get(i)) + 2, " "));
      line.append(row.get(i)).append(padding);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String cell) {
    String plain = COLOUR.matcher(cell).replaceAll("");
    return plain.codePointCount(0, plain.length());
  }
}
