#!/usr/bin/env bash
# Packs the two programs that were built, for machines without a Rust toolchain: a tarball, a .deb and their checksums
# in target/dist. Both hold the programs, the unit file, completions for three shells, the manual page and the licence.
#   dist.sh FOLDER [--fast]    the folder with metnos and metnos-host; packed quickly, for tests
set -euo pipefail
cd "$(dirname "$0")/.."
built="$1"
fast=("${@:2}")
dist=target/dist
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)"
name="metnos-$version-$(uname -m)-linux"
rm -rf "$dist"
mkdir -p "$dist"

# stage FOLDER PREFIX: everything below FOLDER as it will lie below PREFIX
stage() {
  local to="$1" prefix="$2"
  mkdir -p "$to"/{bin,lib/metnos,lib/systemd/user,share/man/man1,share/doc/metnos}
  mkdir -p "$to"/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
  install -m 755 "$built/metnos-host" "$to/lib/metnos/metnos-host"
  install -m 755 "$built/metnos" "$to/lib/metnos/metnos"
  strip "$to/lib/metnos/metnos"
  # A link: the host is looked for beside the program itself.
  ln -s ../lib/metnos/metnos "$to/bin/metnos"
  local metnos=("env" -i "HOME=$PWD/$dist" "METNOS_HOME=$PWD/$dist/none" "$built/metnos")
  "${metnos[@]}" service unit --program "$prefix/lib/metnos/metnos" >"$to/lib/systemd/user/metnos.service"
  "${metnos[@]}" completions bash >"$to/share/bash-completion/completions/metnos"
  "${metnos[@]}" completions zsh >"$to/share/zsh/vendor-completions/_metnos"
  "${metnos[@]}" completions fish >"$to/share/fish/vendor_completions.d/metnos.fish"
  "${metnos[@]}" man | gzip -9n >"$to/share/man/man1/metnos.1.gz"
  install -m 644 README.md CHANGELOG.md LICENSE "$to/share/doc/metnos/"
}

stage "$dist/tree/metnos-$version" /usr/local
tar -C "$dist/tree" --sort=name --owner=0 --group=0 --numeric-owner -czf "$dist/$name.tar.gz" "metnos-$version"

stage "$dist/tree/deb" /usr
command -v cargo-deb >/dev/null 2>&1 || {
  echo "dist: cargo-deb is missing: it makes the Debian package; installing it once"
  cargo install --locked --quiet cargo-deb
}
cargo deb "${fast[@]}" --quiet --locked --no-build --no-strip -p metnos --output "$dist/" >/dev/null
rm -rf "$dist/tree"
(cd "$dist" && sha256sum -- *.tar.gz *.deb >SHA256SUMS)
echo "dist: $(cd "$dist" && ls | tr '\n' ' ')in $dist"
