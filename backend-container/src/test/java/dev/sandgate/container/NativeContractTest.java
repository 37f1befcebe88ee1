// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

/** The contract on blanks that the spawner makes. */
final class NativeContractTest extends ContainerContract {}
