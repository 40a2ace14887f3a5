#!/usr/bin/env bash
# Puts a release build of both programs under a prefix, with shell completions and man pages; `uninstall` removes just
# what was put there. No root is needed for the usual prefix.
#
# What a user may set, each respected as it is:
#   PREFIX                 the folder with bin/ and share/ (default ~/.local)
#   TASKGEN_CPU            native (default here: built for exactly this machine's CPU) or portable (for others, too)
#   TASKGEN_INSTALL_FROM   a folder with both programs: nothing is built, they are taken from there
set -euo pipefail

PREFIX=${PREFIX:-$HOME/.local}
case $PREFIX in /*) ;; *) PREFIX=$PWD/$PREFIX ;; esac
RECORD=$PREFIX/share/taskgen/installed

fail() {
    echo "make: $*" >&2
    exit 2
}

announce() {
    cat >&2 <<TEXT
make install: taskgen and taskgen-llm, with completions for bash, zsh and fish and with man pages, under $PREFIX
  download   0.2 GB of crates and tools, unless they are here; no models (taskgen fetches them when it needs them)
  disk       about 2 GB for the build, in the cache folder
  time       about 15 minutes on 2 cores; again: a few
TEXT
}

# Builds both programs and says in BINARIES where they are.
build() {
    BUILD_PROFILE=release
    export TASKGEN_CPU="${TASKGEN_CPU:-native}"
    . "$(dirname "$0")/setup.sh"
    already_built || say "building for $TASKGEN_CPU CPUs; the C++ of the two engines takes most of 15 minutes"
    cargo build --locked --release
}

# put MODE FILE PLACE: copies it under the prefix and records it. A program that is running is replaced, not overwritten.
put() {
    local place=$PREFIX/$3
    mkdir -p "$(dirname "$place")"
    cp "$2" "$place.part"
    chmod "$1" "$place.part"
    mv -f "$place.part" "$place"
    echo "$3" >> "$RECORD.part"
}

put_everything() {
    local pages shell page
    mkdir -p "$(dirname "$RECORD")" 2>/dev/null ||
        fail "cannot write: $PREFIX (what to do: make install PREFIX=FOLDER that can be written)"
    : > "$RECORD.part"
    put 755 "$BINARIES/taskgen" bin/taskgen
    # taskgen finds the language model's program beside itself.
    put 755 "$BINARIES/taskgen-llm" bin/taskgen-llm
    pages=$(mktemp -d)
    for shell in bash zsh fish; do
        "$PREFIX/bin/taskgen" completions $shell > "$pages/$shell"
    done
    put 644 "$pages/bash" share/bash-completion/completions/taskgen
    put 644 "$pages/zsh" share/zsh/site-functions/_taskgen
    put 644 "$pages/fish" share/fish/vendor_completions.d/taskgen.fish
    "$PREFIX/bin/taskgen" man --output "$pages/man" > /dev/null
    for page in "$pages/man/"*.1; do
        put 644 "$page" "share/man/man1/$(basename "$page")"
    done
    rm -r "$pages"
}

# Removes what the record names and nothing else; folders that are empty then go, too, but for bin.
remove_recorded() {
    local place
    while read -r place; do
        rm -f "$PREFIX/$place"
    done < "$RECORD"
    rm -f "$RECORD"
}

# remove_empty FOLDER: removes it and the folders above it under share/, as long as they are empty.
remove_empty() {
    local folder=$1
    while [ "$folder" != share ] && rmdir "$PREFIX/$folder" 2>/dev/null; do
        folder=$(dirname "$folder")
    done
}

# Whether the shell will find this program, and what to add where it will not.
check_path() {
    local found
    case :$PATH: in
        *":$PREFIX/bin:"*) ;;
        *)
            echo "$PREFIX/bin is not on the PATH yet; add it: $(path_line)" >&2
            return
            ;;
    esac
    found=$(command -v taskgen || true)
    [ "$found" = "$PREFIX/bin/taskgen" ] ||
        echo "another taskgen comes first on the PATH: $found (what to do: remove it, or put $PREFIX/bin before it)" >&2
}

path_line() {
    case ${SHELL:-} in
        */fish) echo "fish_add_path '$PREFIX/bin'" ;;
        */zsh) echo "echo 'export PATH=\"$PREFIX/bin:\$PATH\"' >> ~/.zshrc" ;;
        *) echo "echo 'export PATH=\"$PREFIX/bin:\$PATH\"' >> ~/.bashrc" ;;
    esac
}

# The other two shells look into the usual folders by themselves.
check_zsh() {
    case ${SHELL:-} in
        */zsh) echo "completions in zsh: add fpath+=('$PREFIX/share/zsh/site-functions') to ~/.zshrc, before compinit" >&2 ;;
    esac
}

install_all() {
    local count size
    if [ -n "${TASKGEN_INSTALL_FROM:-}" ]; then
        BINARIES=$TASKGEN_INSTALL_FROM
    else
        announce
        build
    fi
    [ -x "$BINARIES/taskgen" ] && [ -x "$BINARIES/taskgen-llm" ] || fail "not both programs are in $BINARIES"
    put_everything
    # Files of an earlier version that this one does not have.
    if [ -f "$RECORD" ]; then
        { grep -Fxv -f "$RECORD.part" "$RECORD" || true; } | while read -r place; do rm -f "$PREFIX/$place"; done
    fi
    mv -f "$RECORD.part" "$RECORD"
    count=$(wc -l < "$RECORD")
    size=$(du -cm "$PREFIX/bin/taskgen" "$PREFIX/bin/taskgen-llm" | awk 'END { print $1 }')
    echo "installed under $PREFIX: $("$PREFIX/bin/taskgen" --version), $((count)) files, $size MB (make uninstall removes them)"
    check_path
    check_zsh
}

uninstall() {
    local folders folder
    [ -f "$RECORD" ] || fail "nothing is installed under $PREFIX (what to do: make uninstall PREFIX=FOLDER, as it was installed)"
    folders=$(xargs -d '\n' -n 1 dirname < "$RECORD" | sort -u)
    remove_recorded
    for folder in $folders share/taskgen; do
        [ "$folder" = bin ] || remove_empty "$folder"
    done
    echo "removed from $PREFIX"
}

case ${1:-install} in
    install) install_all ;;
    uninstall) uninstall ;;
    *) fail "no such argument: $1 (what to do: install or uninstall)" ;;
esac
