// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.fullvm;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.sandgate.spi.Probe;
import dev.sandgate.spi.Probe.Finding;
import dev.sandgate.support.HostTool;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/** What full VMs need of this host: KVM, QEMU with the machine q35, and its disk tool. */
final class FullvmProbe {

  static final Finding MISSING =
      new Finding("implementation", true, false, "not part of this version; use container");

  private static final Path KVM = Path.of("/dev/kvm");

  private FullvmProbe() {}

  static Probe run() {
    HostTool qemu = HostTool.onPath("qemu-system-x86_64");
    return new Probe(
        List.of(
            kvm(),
            qemu.finding(true, "version", "install qemu-system-x86", "--version"),
            machine(qemu, "q35"),
            HostTool.onPath("qemu-img").finding(true, "version", "install qemu-utils", "--version"),
            MISSING));
  }

  private static Finding kvm() {
    try (FileChannel device = FileChannel.open(KVM, READ, WRITE)) {
      String seen = device.isOpen() ? "opens" : "closed at once";
      return new Finding(KVM.toString(), false, device.isOpen(), seen);
    } catch (IOException e) {
      String why = e + ": guests would be emulated; load kvm_intel or kvm_amd";
      return new Finding(KVM.toString(), false, false, why);
    }
  }

  private static Finding machine(HostTool qemu, String name) {
    Finding offered = qemu.finding(true, name, "install qemu-system-x86", "-M", "help");
    String subject = qemu.name() + " machine " + name;
    return new Finding(subject, offered.required(), offered.available(), offered.detail());
  }
}
