#!/usr/bin/env bash
# scripts/setup, without touching the machine: dpkg-query, apt-get, sudo and the rest are stand-ins
# in a PATH of their own, which write down how they were called.
# shellcheck disable=SC2016  # the bodies of the stand-ins expand later
set -u
setup=${OVOID_SOURCE_DIR:?}/scripts/setup
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

check() { # WHAT, then a command that must succeed
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'failed: %s: %s\n  status %s, said: %s\n  calls: %s\n' "$case_name" "$what" \
            "$status" "$said" "$calls"
    fi
}
says() { grep -qF -- "$1" <<<"$said"; }
called() { grep -qxF -- "$1" <<<"$calls"; }
stand_in() { # NAME BODY
    printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$work" "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# begin CASE UID: a machine with apt, no sudo, and no package but make installed
begin() {
    case_name=$1
    rm -rf "${work:?}/bin" "$work/calls"
    mkdir -p "$work/bin"
    local tool
    for tool in bash env cat grep awk rm mktemp true; do
        ln -s "$(type -P $tool)" "$work/bin/$tool"
    done
    stand_in id "echo $2"
    stand_in dpkg-query 'echo "installed make"; echo "config-files gcc"; exit 1'
    stand_in apt-cache 'exit 0'
    stand_in apt-get 'exit 0'
}
# run GROUP...: without a terminal, so that nothing can wait for a password
run() {
    said=$(PATH="$work/bin" "$(command -v setsid)" --wait "$work/bin/bash" "$setup" "$@" \
        2>&1 </dev/null)
    status=$?
    calls=$(cat "$work/calls" 2>/dev/null)
}
options='-qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0'
install="apt-get $options install -y --no-install-recommends"
update="apt-get $options update"
all_missing='cmake ninja-build gcc libc6-dev libqhull-dev libjansson-dev libexpat1-dev libmicrohttpd-dev'

begin 'nothing is missing' 0
stand_in dpkg-query 'for p; do echo "installed $p"; done'
run run build test docs studio fuzz
check 'succeeds' [ "$status" -eq 0 ]
check 'is silent' [ -z "$said" ]
check 'leaves apt alone' [ "$(grep -c apt- <<<"$calls")" -eq 0 ]

begin 'root' 0
run run
check 'succeeds' [ "$status" -eq 0 ]
check 'says what it installs, in one line' \
    [ "$said" = "setup: installing Debian packages: $all_missing" ]
check 'installs what is missing' called "$install $all_missing"
check 'does not update needlessly' [ "$(grep -c ' update$' <<<"$calls")" -eq 0 ]

begin 'a package in two groups' 0
run fuzz tidy
check 'is installed once' called "$install clang-14 libclang-rt-14-dev llvm-14 clang-tidy-14"

begin 'a tool from elsewhere' 0
stand_in cmake 'exit 0'
stand_in gcc 'exit 0'
run run
check 'is good enough' called "$install ${all_missing/#cmake ninja-build gcc/ninja-build}"

begin 'no package lists yet' 0
stand_in apt-cache 'exit 100'
run run
check 'succeeds' [ "$status" -eq 0 ]
check 'updates, then installs' \
    [ "$(grep '^apt-get' <<<"$calls")" = "$update"$'\n'"$install $all_missing" ]

begin 'old package lists' 0
stand_in apt-get "case \"\$*\" in *update) : >$work/fresh ;; *) [ -e $work/fresh ] ;; esac"
run run
check 'succeeds' [ "$status" -eq 0 ]
check 'updates and tries again' [ "$(grep -c ' install ' <<<"$calls")" -eq 2 ]

begin 'the mirror cannot be reached' 0
stand_in apt-get 'echo "E: no route to mirror"; exit 100'
run run
check 'fails' [ "$status" -eq 1 ]
check 'shows the log' says 'E: no route to mirror'
check 'names the packages' says "setup: could not install: $all_missing"

begin 'neither root nor sudo' 1000
run run
check 'fails' [ "$status" -eq 1 ]
check 'says what to do, in one line' \
    [ "$said" = "setup: not root and no sudo; as root run: apt-get install $all_missing" ]
check 'leaves apt alone' [ "$(grep -c '^apt-get' <<<"$calls")" -eq 0 ]

begin 'sudo without a password' 1000
stand_in sudo '[ "$1" = -n ] && shift; exec "$@"'
run run
check 'succeeds' [ "$status" -eq 0 ]
check 'installs through sudo' grep -q "^sudo .*apt-get .* install .*$all_missing\$" <<<"$calls"

begin 'sudo that wants a password' 1000
stand_in sudo 'exit 1'
run run
check 'fails' [ "$status" -eq 1 ]
check 'names the packages' says "as root run: apt-get install $all_missing"

begin 'not Debian, tools there' 1000
rm "$work/bin/dpkg-query"
for tool in make cmake ninja gcc; do stand_in $tool 'exit 0'; done
run run
check 'goes on' [ "$status" -eq 0 ]
check 'says so' says 'not a Debian system'

begin 'not Debian, tools missing' 1000
rm "$work/bin/dpkg-query"
stand_in make 'exit 0'
run run
check 'fails' [ "$status" -eq 1 ]
check 'names the tools' says 'please install: cmake ninja gcc'

begin 'unknown group' 0
run biuld
check 'fails' [ "$status" -eq 1 ]
check 'says so' says 'no such group: biuld'

printf 'setup: %d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
