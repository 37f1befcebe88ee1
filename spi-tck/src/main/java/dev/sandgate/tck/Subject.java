// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.tck;

import dev.sandgate.spi.BackendProvider;
import dev.sandgate.spi.Sandbox;
import dev.sandgate.spi.SandboxSpec;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What is under test: the parts that {@link BackendContract} asks its subclass for. */
record Subject(
    Supplier<BackendProvider> provider,
    Function<String, SandboxSpec> spec,
    Map<String, String> settings,
    GuestTools tools,
    Predicate<Sandbox> killGuest) {}
