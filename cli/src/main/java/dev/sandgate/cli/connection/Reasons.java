// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.connection;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Objects;

/** Failures of local files in plain words. */
public final class Reasons {

  private Reasons() {}

  /** The file, where it is known, and why. */
  public static String of(IOException failure) {
    String file = failure instanceof FileSystemException known ? known.getFile() : null;
    return file == null ? why(failure) : file + ": " + why(failure);
  }

  /** Why alone. */
  public static String why(IOException failure) {
    return switch (failure) {
      case AccessDeniedException denied -> "permission denied";
      case NoSuchFileException missing -> "no such file or directory";
      case FileAlreadyExistsException taken -> "something else of that name is there";
      case DirectoryNotEmptyException full -> "the directory is not empty";
      case NotDirectoryException other -> "it is no directory";
      case FileSystemException other -> Objects.requireNonNullElse(other.getReason(), "it failed");
      default -> Objects.requireNonNullElse(failure.getMessage(), "input or output failed");
    };
  }
}
