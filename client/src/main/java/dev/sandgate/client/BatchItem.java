// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.client;

/** What came of one sandbox of a batch. */
public sealed interface BatchItem {

  /**
   * Which of the batch.
   *
   * @return from 0
   */
  int index();

  /**
   * It takes commands.
   *
   * @param index which of the batch, from 0
   * @param sandbox its handle
   */
  record Created(int index, SandboxHandle sandbox) implements BatchItem {}

  /**
   * It was not made.
   *
   * @param index which of the batch, from 0
   * @param reason why
   */
  record Failed(int index, SandgateClientException reason) implements BatchItem {}
}
