# shellcheck shell=bash
# SPDX-FileCopyrightText: 2026 The Sandgate Authors
# SPDX-License-Identifier: Apache-2.0
#
# The whole suite, sourced by ./sandgate test: native checks and fuzzing, every module with its checks, the example
# backend outside the reactor. Options: --quick (short fuzzing, no tests tagged slow); the rest goes to Maven.

ROWS=()
FAILED=0
REASONS=

usage() {
  cat << 'END'
Usage: ./sandgate test [--quick] [MAVEN-OPTION...]    the whole suite: native checks and fuzzing, all modules, the example
       ./sandgate test core-scheduling                what needs a kernel of its own, built at first (minutes)

  --quick       short fuzzing, and no tests tagged slow
  MAVEN-OPTION  goes to Maven, for instance -pl spi or -Dtest=LayerStoreTest

Needs root. Installs what is missing. Exit code 0 when everything passed, 1 otherwise.
END
}

# Runs one suite with its output shown, and notes its outcome and time; the next ones run all the same.
suite() {
  local name=$1 start=$SECONDS outcome=passed
  shift
  printf '\n== %s\n' "$name"
  "$@" 9>&- </dev/null 2>&1 | tee "$OUT/test.log" && ! tells_errors || { outcome=FAILED; FAILED=1; REASONS+=$(reasons "$name"); }
  ROWS+=("$(printf '%-28s %-7s %5d s' "$name" "$outcome" $((SECONDS - start)))")
}

# Maven goes on after a failed test, so that the modules that need this one are tested too, and ends as if all were well;
# what went wrong it has told all the same.
tells_errors() { sed 's/\x1b\[[0-9;]*m//g' "$OUT/test.log" | grep '^\[ERROR\]' > /dev/null; }

# Why the suite just run failed: what Maven calls an error, what a test process left as it died, or the last lines.
reasons() {
  local found
  found=$(sed 's/\x1b\[[0-9;]*m//g' "$OUT/test.log" | grep -E '^\[ERROR\] +[A-Z]' | grep -vE 'Re-run Maven|^.ERROR. See ' | awk '!seen[$0]++' | head -n 60)
  [[ -n $found ]] || found=$(tail -n 20 "$OUT/test.log")
  printf '\n== why %s failed\n%s\n' "$1" "$found"
  find "$ROOT" -maxdepth 5 -path '*/surefire-reports/*.dump*' -size +0 -print -exec head -n 20 {} \;
}

# Builds the example as a third party would: against published artefacts, from a repository of their own. Maven caches
# what it resolves, so all this happens in a local repository of its own, hard links to the user's at first.
example_backend() {
  local cache=$OUT/example-m2 repository=file://$OUT/example-repo
  rm -rf "$OUT/example-repo" "$cache" && mkdir -p "$cache"
  cp -al "$(local_repository)/." "$cache" 2>/dev/null || cp -a "$(local_repository)/." "$cache"
  maven -q -f "$ROOT" deploy -pl .,spi,spi-tck -Dmaven.test.skip=true -Dspotless.check.skip -Dcheckstyle.skip \
    -Dmaven.repo.local="$cache" -DaltDeploymentRepository="sandgate::$repository" || return
  rm -rf "$cache/dev/sandgate"
  maven -f "$ROOT/examples/backend-process/pom.xml" clean verify \
    -Dmaven.repo.local="$cache" -Dsandgate.repo="$repository" -Dsandgate.native="$ROOT/native/build"
}

local_repository() { maven -q -N -f "$ROOT" help:evaluate -Dexpression=settings.localRepository -DforceStdout 2>/dev/null | sed 's/\x1b\[[0-9;]*m//g'; }

# Adds up the reports of every test class: passed, failed, skipped. The failure of a class as a whole is in no count of
# Surefire's, so failures are counted where they are told.
totals() {
  find "$ROOT" -maxdepth 5 -path '*/surefire-reports/TEST-*.xml' -print0 | xargs -0 -r grep -hE '<testsuite |^ *<(failure|error)[ >]' | awk '
    function field(name) { return match($0, " " name "=\"[0-9]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) : 0 }
    /<testsuite / { all += field("tests"); skipped += field("skipped"); next }
    { failed++ }
    END { printf "%d passed, %d failed, %d skipped\n", all - failed - skipped, failed, skipped }'
}

summary() {
  printf '%s\n== summary\n' "$REASONS"
  printf '%s\n' "${ROWS[@]}"
  printf '%-28s %-7s %5d s\n' total "" $SECONDS
  totals
}

run_suite() {
  local fuzz_seconds=60 options=()
  [[ ! ${1:-} =~ ^(-h|--help|help)$ ]] || { usage; return; }
  if [[ ${1:-} == --quick ]]; then
    fuzz_seconds=5
    options+=(-DexcludedGroups=slow)
    shift
  fi
  as_root || die "'test' makes namespaces, mounts and cgroups: run it as root"
  find_jdk
  build
  lock
  need_packages "$BUILD_PACKAGES $TEST_PACKAGES"
  find "$ROOT" -maxdepth 5 -path '*/surefire-reports/*' \( -name 'TEST-*.xml' -o -name '*.dump*' \) -delete
  suite "native checks" make -C "$ROOT/native" check
  suite "native fuzzing" make -C "$ROOT/native" fuzz SECONDS="$fuzz_seconds"
  suite "modules" maven -f "$ROOT" --fail-at-end verify -Dmaven.test.failure.ignore "${options[@]}" "$@"
  [[ ! -d $ROOT/examples/backend-process ]] || suite "example backend" example_backend
  unlock
  summary
  return $FAILED
}
