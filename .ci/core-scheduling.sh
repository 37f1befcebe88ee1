# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
#
# Core scheduling for real, sourced by `./sandgate test core-scheduling`: hosts rarely have a kernel with
# CONFIG_SCHED_CORE, so one is built from Debian's sources (once: it is kept in the cache directory) and booted by QEMU
# with two CPUs that are threads of one core. In it the real spawner makes sandboxes (native/spawner/test/core_guest.c).

CORE_PACKAGES="flex=flex bison=bison bc=bc libelf-dev=/usr/include/libelf.h libssl-dev=/usr/include/openssl/ssl.h xz-utils=xz cpio=cpio qemu-system-x86=qemu-system-x86_64"
GUEST_SECONDS=240

kernel_source() { find /usr/src -maxdepth 1 -name 'linux-source-*.tar.xz' | sort -V | tail -n 1; }

# Debian's newest kernel source that apt offers.
need_kernel_source() {
  local name
  [[ -z $(kernel_source) ]] || return 0
  as_root || die "the kernel's source is missing; run as root: apt-get install linux-source"
  name=$(apt-cache search --names-only '^linux-source-[0-9.]+$' | sort -V | tail -n 1 | cut -d' ' -f1)
  [[ -n $name ]] || { apt-get update -qq >>"$LOG" 2>&1; name=$(apt-cache search --names-only '^linux-source-[0-9.]+$' | sort -V | tail -n 1 | cut -d' ' -f1); }
  [[ -n $name ]] || die "apt offers no package linux-source-*"
  say "installing $name"
  apt_install "$name" || { tail -n 20 "$LOG" >&2; die "apt-get install failed"; }
}

# What of the fragment the kernel's own rules did not take.
refused_options() {
  grep -E '^CONFIG_.*=y$' "$ROOT/native/guest/kernel.fragment" | while read -r line; do grep -qx "$line" "$1" || printf '%s ' "$line"; done
}

compile_kernel() {
  local tree=$1
  make -C "$tree" -s tinyconfig || return
  (cd "$tree" && ./scripts/kconfig/merge_config.sh -m -O . .config "$ROOT/native/guest/kernel.fragment") || return
  make -C "$tree" -s olddefconfig || return
  printf 'not taken: %s\n' "$(refused_options "$tree/.config")"
  make -C "$tree" -s -j"$(nproc)" bzImage
}

# Leaves the path of a kernel in KERNEL: one that was built before, of whatever version, else a new one.
guest_kernel() {
  local cache print tree
  cache=${SANDGATE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sandgate}/guest-kernel
  print=$(sha256sum <"$ROOT/native/guest/kernel.fragment" | cut -c1-12)
  mkdir -p "$cache"
  KERNEL=$(find "$cache" -maxdepth 1 -name "linux-source-*-$print" | sort -V | tail -n 1)
  [[ -z $KERNEL ]] || return 0
  need_kernel_source
  tree=$(mktemp -d "$cache/.build-XXXXXX")
  # shellcheck disable=SC2064 # now, as it is local
  trap "rm -rf '$tree'" EXIT
  say "building a kernel from $(basename "$(kernel_source)"): some minutes, once"
  logged "unpacking the kernel's source" tar -C "$tree" --strip-components=1 -xf "$(kernel_source)"
  logged "build of the guest's kernel" compile_kernel "$tree"
  KERNEL=$cache/$(basename "$(kernel_source)" .tar.xz)-$print
  mv "$tree/arch/x86/boot/bzImage" "$KERNEL"
}

# An initial file system of three directories, the spawner, and the program that is both init and the sandboxes' agent.
pack_guest() {
  local root=$1 archive=$2
  mkdir -p "$root"/{proc,sys,dev,run}
  cp "$ROOT/native/build/spawner" "$root/spawner"
  cp "$ROOT/native/build/core_guest" "$root/init"
  (cd "$root" && find . | cpio --quiet -o -H newc) | gzip -1 >"$archive"
}

boot_guest() {
  timeout "$GUEST_SECONDS" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max,vendor=GenuineIntel -smp 2,cores=1,threads=2 \
    -m 512 -kernel "$KERNEL" -initrd "$1" -append 'console=ttyS0 quiet panic=-1' -display none -serial stdio -monitor none -nic none -no-reboot \
    </dev/null | tr -d '\r'
}

run_core_scheduling() {
  local scratch outcome=0
  lock
  need_packages "$BUILD_PACKAGES $CORE_PACKAGES"
  guest_kernel
  logged "build of the native helpers" make -C "$ROOT/native" all build/core_guest
  unlock
  scratch=$(mktemp -d)
  pack_guest "$scratch/root" "$scratch/initrd"
  boot_guest "$scratch/initrd" | tee "$OUT/core-scheduling.log" | grep --line-buffered '^core-scheduling: ' || outcome=1
  rm -rf "$scratch"
  if [[ $outcome -ne 0 ]] || ! grep -qx 'core-scheduling: result: ok' "$OUT/core-scheduling.log"; then
    die "core scheduling does not hold, or the guest did not end by itself in $GUEST_SECONDS s; all it said is in $OUT/core-scheduling.log"
  fi
}
