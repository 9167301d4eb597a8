#!/bin/sh
# The Debian package: made of this build, looked into, unpacked and run,
# installed into a root of its own and removed without a rest. Where dpkg-deb is
# missing there is nothing to test. Needs COSY_SOURCE and COSY_BUILD.
. "$(dirname "$0")/../contract/shell.sh"
source=$(cd "${COSY_SOURCE:-.}" && pwd)
build=$(cd "${COSY_BUILD:-build}" && pwd)
COSY_CACHE=$work/cache
COSY_LIBRARY=$work/library.db
DPKG_DEB_COMPRESSOR_TYPE=none # quick
export COSY_CACHE COSY_LIBRARY DPKG_DEB_COMPRESSOR_TYPE

for tool in dpkg dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null && continue
    echo "skipped: there is no $tool"
    finish
    exit
done

check "made" ends 0 "$source/scripts/deb" "$build" "$work"
package=$(cat "$work/out")
check "where it says" [ -f "$package" ]
version=$("$cosy" --version | sed -n 's/^cosy //p')
check "its name" [ "$(basename "$package")" = \
    "cosy_${version}_$(dpkg --print-architecture).deb" ]

# ---- What it says
# field NAME TEXT: the field holds it.
field() {
    dpkg-deb -f "$package" "$1" | grep -q -F -e "$2" && return 0
    echo "$1: $(dpkg-deb -f "$package" "$1")"
    return 1
}
check "version" field Version "$version"
check "a C library" field Depends "libc6 (>="
check "SQLite" field Depends "libsqlite3"
check "SQLite" field Depends "libsqlite3-0"
check "a compiler" field Depends "gcc | c-compiler"
check "gnuplot" field Recommends gnuplot-nox
check "all is filled in" [ -z "$(dpkg-deb -f "$package" | grep @[A-Z])" ]

# ---- What it holds
dpkg-deb -c "$package" | sed 's/.* \.\//\//' >"$work/contents"
for file in bin/cosy include/cosy/model.h share/man/man1/cosy.1.gz \
    share/doc/cosy/copyright share/doc/cosy/changelog.gz \
    share/doc/cosy/README.md share/doc/cosy/examples/spheres/model.cosy \
    share/doc/cosy/manual/tutorial.md share/doc/cosy/topics/seize.txt \
    share/bash-completion/completions/cosy \
    share/zsh/vendor-completions/_cosy \
    share/fish/vendor_completions.d/cosy.fish; do
    check "$file" grep -qx "/usr/$file" "$work/contents"
done
check "nothing elsewhere" [ -z "$(grep -v '^/$\|^/usr/' "$work/contents")" ]
check "nothing local" [ -z "$(grep local "$work/contents")" ]
check "belongs to root" [ -z "$(dpkg-deb -c "$package" |
    awk '$2 != "root/root"')" ]
check "every example" [ "$(grep -c 'model.cosy$' "$work/contents")" -eq \
    "$(ls "$source"/examples/*/model.cosy | wc -l)" ]

# ---- What it does
mkdir "$work/unpacked"
check "unpacked" ends 0 dpkg-deb -x "$package" "$work/unpacked"
check "sums" ends 0 dpkg-deb -e "$package" "$work/control"
check "are right" ends 0 sh -c "cd '$work/unpacked' &&
    md5sum -c --quiet '$work/control/md5sums'"
program=$work/unpacked/usr/bin/cosy
check "tells its version" [ "$("$program" --version | head -n 1)" = "cosy $version" ]
cd "$work"
for backend in cc auto; do
    check "runs an example by $backend" ends 0 "$program" run --quiet \
        --backend=$backend -o results-$backend \
        unpacked/usr/share/doc/cosy/examples/spheres/model.cosy
    check "results of $backend" [ -s results-$backend/summary.json ]
done
check "manual" [ "$(gzip -dc unpacked/usr/share/man/man1/cosy.1.gz |
    head -n 1)" = "$(head -n 1 "$source/docs/cosy.1")" ]
check "changelog" [ "$(gzip -dc unpacked/usr/share/doc/cosy/changelog.gz |
    head -n 1)" = "cosy ($version) unstable; urgency=medium" ]

# ---- In and out: needs root, or what dpkg takes for it
root=$work/root
into() {
    ends 0 dpkg --root="$root" --log=/dev/null --force-not-root \
        --force-depends --force-bad-path --force-script-chrootless "$@"
}
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
if [ "$(id -u)" -eq 0 ]; then
    check "installed" into -i "$package"
    check "known" into -s cosy
    check "as installed" grep -q '^Status: .* installed$' "$work/out"
    check "runs" [ "$("$root/usr/bin/cosy" --version | head -n 1)" = \
        "cosy $version" ]
    check "removed" into -P cosy
    check "without a rest" [ -z "$(find "$root" -type f \
        ! -path "$root/var/lib/dpkg/*")$(ls -d "$root/usr" 2>/dev/null)" ]
else
    echo "not installed into a root of its own: this needs root"
fi

finish
