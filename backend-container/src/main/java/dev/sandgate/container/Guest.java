// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import dev.sandgate.support.agent.AgentConnection;

/**
 * What a sandbox lives in now; after a reset it is another one.
 *
 * @param name of its cgroups and socket, which the spawner knows it by
 * @param agent its agent, set up
 */
record Guest(String name, AgentConnection agent) {}
