// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.container;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.spi.ResourceLimits;
import java.util.List;

/**
 * The ext4 file system that holds what a sandbox may write, and no more.
 *
 * @param blocks of 4 KiB in all
 * @param inodes in all
 */
record ImageSize(long blocks, long inodes) {

  private static final long BLOCK = 4096;
  private static final long MEBIBYTE = 1L << 20;
  private static final long LEAST_BYTES = MEBIBYTE;
  private static final long MOST_BYTES = 8 * MEBIBYTE * MEBIBYTE;
  private static final long USUAL_BYTES_PER_INODE = 16_384;
  private static final long FEW_INODES = 4_096;
  private static final long GROUP_BLOCKS = 32_768;
  private static final long INODES_PER_BLOCK = 16;
  private static final long DESCRIPTORS_PER_BLOCK = 128;
  private static final long MOST_KEPT_BACK = 4_096;
  private static final int OWN_BLOCKS =
      16; // directories of the file system, of the platform and of the overlay
  private static final int OWN_INODES = 20;
  private static final int ROUNDS = 20;
  private static final String FEATURES =
      "none,ext_attr,dir_index,filetype,extent,flex_bg,large_file,huge_file,dir_nlink,extra_isize,sparse_super2,"
          + "uninit_bg";

  /** Whether these limits bound what is written. */
  static boolean isWanted(ResourceLimits limits) {
    if (limits.diskBytes() == 0 && limits.inodes() > 0) {
      throw invalid("limits.inodes", "it needs limits.disk_bytes beside it");
    }
    return limits.diskBytes() > 0;
  }

  /** What limits come to; INVALID_ARGUMENT for those that no such file system can have. */
  static ImageSize of(ResourceLimits limits) {
    long bytes = limits.diskBytes();
    if (bytes < LEAST_BYTES || bytes > MOST_BYTES) {
      throw invalid("limits.disk_bytes", "give 1 MiB to 8 TiB, not %,d bytes".formatted(bytes));
    }
    long most = Math.max(FEW_INODES, bytes / BLOCK);
    if (limits.inodes() > most) {
      throw invalid("limits.inodes", "at most %,d with that limits.disk_bytes".formatted(most));
    }
    long usual = Math.max(FEW_INODES, bytes / USUAL_BYTES_PER_INODE);
    long inodes = (limits.inodes() == 0 ? usual : limits.inodes()) + OWN_INODES;
    return new ImageSize(blocks((bytes + BLOCK - 1) / BLOCK, inodes), inodes);
  }

  /** The number with which as many are left for files as are wanted. */
  private static long blocks(long wanted, long inodes) {
    long blocks = wanted;
    for (int round = 0; round < ROUNDS; round++) {
      blocks = wanted + OWN_BLOCKS + tables(blocks, inodes) + keptBack(blocks);
    }
    return blocks;
  }

  /** Superblock, group descriptors, and per group two bitmaps and its part of the inodes. */
  private static long tables(long blocks, long inodes) {
    long groups = Math.ceilDiv(blocks, GROUP_BLOCKS);
    long perGroup = Math.ceilDiv(Math.ceilDiv(inodes, groups), INODES_PER_BLOCK);
    return 1 + Math.ceilDiv(groups, DESCRIPTORS_PER_BLOCK) + groups * (2 + perGroup);
  }

  /** What the kernel keeps for its own needs when the file system is full. */
  private static long keptBack(long blocks) {
    return Math.min(blocks / 50, MOST_KEPT_BACK);
  }

  /** A name as the spawner takes it; another layout needs another one. */
  String name() {
    return "v1-b%d-i%d".formatted(blocks, inodes);
  }

  /** The arguments of mkfs.ext4 that make it in a file. */
  List<String> arguments(String file) {
    return List.of(
        "-q",
        "-F",
        "-b",
        Long.toString(BLOCK),
        "-m",
        "0",
        "-I",
        "256",
        "-N",
        Long.toString(inodes),
        "-O",
        FEATURES,
        "-E",
        "lazy_itable_init=1,num_backup_sb=0,root_owner=0:0,nodiscard",
        file,
        Long.toString(blocks));
  }
}
