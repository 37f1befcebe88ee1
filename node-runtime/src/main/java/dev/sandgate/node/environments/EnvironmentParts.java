// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import dev.sandgate.node.config.LayerSettings;
import dev.sandgate.node.config.SharedSettings;
import dev.sandgate.node.config.TransferSettings;
import dev.sandgate.node.disk.DiskReserve;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * What environments stand on.
 *
 * @param data the node's data directory
 * @param settings how layers are made and kept
 * @param transfers how they come and leave
 * @param sharing which directory of layers it shares with other nodes
 * @param reserve what is made must leave of the disk
 * @param forget hears the digests of images that are removed; must not block
 */
public record EnvironmentParts(
    Path data,
    LayerSettings settings,
    TransferSettings transfers,
    SharedSettings sharing,
    DiskReserve reserve,
    Consumer<String> forget) {}
