# Sourced by the other scripts: checks what must be there, fetches CMake and libclang, and says where to build.
# Nothing is installed into the system and no root is needed: tools land in .tools, builds in the user's cache folder.
#
# What a user may set, each respected as it is:
#   CARGO_TARGET_DIR    build there and nowhere else
#   TASKGEN_BUILD_DIR   keep the intermediate files there instead of in the cache folder
#   LIBCLANG_PATH       the folder of a libclang.so (then none is fetched); a CMake 3.18 or newer on the PATH is used, too
#   TASKGEN_CPU         portable (default) or native
# What the sourcing script may set: BUILD_PROFILE, debug (default) or release.

CMAKE_VERSION=4.4.4
LIBCLANG_VERSION=18.1.1
RUST_MINIMUM=1.95
BUILD_SPACE_KIB=$((5 * 1024 * 1024))

die() {
    echo "make: $*" >&2
    exit 2
}

say() {
    echo "set-up: $*" >&2
}

# at_least HAVE WANT: whether the dotted version HAVE is WANT or newer.
at_least() {
    awk -v have="$1" -v want="$2" 'BEGIN {
        n = split(want, w, "."); split(have, h, ".")
        for (i = 1; i <= n; i++) { if (h[i] + 0 != w[i] + 0) exit !(h[i] + 0 > w[i] + 0) }
    }'
}

# Everything that is missing is named at once, in one line.
check_machine() {
    local commands="" packages="" rust="" version
    lacks() {
        commands="$commands${commands:+, }$1"
        packages="$packages $2"
    }
    command -v "${CC:-gcc}" >/dev/null 2>&1 || lacks "${CC:-gcc}" gcc
    command -v "${CXX:-g++}" >/dev/null 2>&1 || lacks "${CXX:-g++}" g++
    command -v make >/dev/null 2>&1 || lacks make make
    command -v git >/dev/null 2>&1 || lacks git git
    command -v python3 >/dev/null 2>&1 || lacks python3 python3
    python3 -m pip --version >/dev/null 2>&1 || lacks pip python3-pip
    version=$(rustc --version 2>/dev/null | awk '{ print $2 }') || true
    if ! command -v cargo >/dev/null 2>&1 || ! at_least "${version:-0}" $RUST_MINIMUM; then
        rust="Rust $RUST_MINIMUM or newer${version:+, found $version} (from rustup.rs: rustup toolchain install $RUST_MINIMUM && rustup default $RUST_MINIMUM)"
    fi
    [ -z "$commands$rust" ] ||
        die "missing: $commands${commands:+ (Debian/Ubuntu: apt-get install$packages)}${commands:+${rust:+; }}$rust"
}

# fetch_tool NAME VERSION MEGABYTES: unpacks a wheel of the Python package index into .tools/NAME-VERSION.
fetch_tool() {
    local folder="$PWD/.tools/$1-$2" answer
    [ ! -d "$folder" ] || return 0
    say "fetching $1 $2 with pip into .tools ($3 MB)"
    rm -rf "$folder.part"
    # A user's own pip settings must not turn --target into something else, hence PIP_USER.
    if ! answer=$(PIP_USER=0 PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
        python3 -m pip install --quiet --no-deps --only-binary :all: --target "$folder.part" "$1==$2" 2>&1); then
        rm -rf "$folder.part"
        die "cannot fetch $1 $2 with $(python3 -m pip --version | cut -d' ' -f1,2): $(echo "$answer" | grep -i error | tail -n 1)" \
            "(what to do: make a package index reachable, e.g. PIP_INDEX_URL; or a newer pip: python3 -m pip install --user -U pip;" \
            "or the system's own: apt-get install cmake libclang-dev, then LIBCLANG_PATH=FOLDER)"
    fi
    mv "$folder.part" "$folder"
}

usable_cmake() {
    local version
    version=$(cmake --version 2>/dev/null | awk 'NR == 1 { print $3 }')
    at_least "${version:-0}" 3.18
}

# CMake and libclang are reached through a link in the build folder: build scripts remember LIBCLANG_PATH, and the same
# words in every checkout keep a second clone from compiling all C++ again.
prepare_tools() {
    mkdir -p "$1"
    if ! usable_cmake; then
        fetch_tool cmake $CMAKE_VERSION 30
        ln -sfn "$PWD/.tools/cmake-$CMAKE_VERSION" "$1/cmake"
        export PATH="$1/cmake/cmake/data/bin:$PATH"
        usable_cmake || die "the fetched CMake does not run: $PWD/.tools/cmake-$CMAKE_VERSION (what to do: apt-get install cmake)"
    fi
    if [ -z "${LIBCLANG_PATH:-}" ]; then
        fetch_tool libclang $LIBCLANG_VERSION 25
        ln -sfn "$PWD/.tools/libclang-$LIBCLANG_VERSION" "$1/libclang"
        export LIBCLANG_PATH="$1/libclang/clang/native"
    fi
    # The wheel has no stddef.h of its own: the compiler's is as good.
    export BINDGEN_EXTRA_CLANG_ARGS="${BINDGEN_EXTRA_CLANG_ARGS:--I$("${CC:-gcc}" -print-file-name=include)}"
}

# The CPU level is part of the folder's name: two levels never mix, and a native build never travels to another CPU.
cpu_level() {
    if [ "${TASKGEN_CPU:-portable}" = native ]; then
        { grep -m1 -E '^(flags|Features)' /proc/cpuinfo 2>/dev/null || sysctl -n machdep.cpu.brand_string; } |
            git hash-object --stdin | cut -c1-8 | sed 's/^/native-/'
    else
        echo portable
    fi
}

cache_folder() {
    echo "${XDG_CACHE_HOME:-${HOME:-$PWD/.tools}/.cache}/taskgen/build"
}

build_name() {
    local compiler libraries
    compiler="rust$(rustc --version | awk '{ print $2 }')-gcc$("${CC:-gcc}" -dumpversion)"
    libraries=$(cat Cargo.lock .cargo/config.toml | git hash-object --stdin | cut -c1-12)
    echo "$compiler-$libraries-$(cpu_level)"
}

# Keeps the disk from filling: the three newest builds stay for two weeks of idleness, the others for a day, and the output
# of our own packages of checkouts long gone for a week.
remove_stale_builds() {
    local stamp
    { ls -1t "$1"/*/last-used 2>/dev/null || true; } | tail -n +4 | while read -r stamp; do
        # Used within a day, it may be in use now.
        [ -z "$(find "$stamp" -mtime +0)" ] || rm -rf "$(dirname "$stamp")"
    done
    { find "$1" -mindepth 2 -maxdepth 2 -name last-used -mtime +14 2>/dev/null || true; } | while read -r stamp; do
        rm -rf "$(dirname "$stamp")"
    done
    find "$2/debug" "$2/release" -mindepth 2 -maxdepth 2 \( -name '*taskgen*' -o -name 'it-*' -o -name 'accept-*' -o -name 'interop-*' \) -mtime +7 -exec rm -rf {} + 2>/dev/null || true
}

# Cargo tells one checkout's package from another's by relative paths and times alone: what another checkout built last
# would be taken for this one's. Where another one was the last, this one's own code is compiled again.
refresh_own_code() {
    [ "$(cat "$BUILD_FOLDER/last-checkout" 2>/dev/null)" != "$PWD" ] || return 0
    touch src/lib.rs src/main.rs src/bin/*.rs crates/*/src/lib.rs tests/*/main.rs benches/*.rs benches/*/*.rs
    echo "$PWD" > "$BUILD_FOLDER/last-checkout"
}

# Cargo's intermediate files are shared by all checkouts (they are most of the time and space); its results, the two
# binaries, stay in the checkout, so that no other checkout can swap them under a running test.
prepare_build_folder() {
    if [ -z "${CARGO_TARGET_DIR:-}" ]; then
        export CARGO_TARGET_DIR="$PWD/target"
        [ "${TASKGEN_CPU:-portable}" = portable ] || CARGO_TARGET_DIR="$PWD/target/native"
        export CARGO_BUILD_BUILD_DIR="${TASKGEN_BUILD_DIR:-$(cache_folder)/$(build_name)}"
    fi
    BUILD_FOLDER=${CARGO_BUILD_BUILD_DIR:-$CARGO_TARGET_DIR}
    mkdir -p "$BUILD_FOLDER" 2>/dev/null ||
        die "cannot write the build folder: $BUILD_FOLDER (what to do: set TASKGEN_BUILD_DIR to a folder that can be written)"
    touch "$BUILD_FOLDER/last-used"
    refresh_own_code
    remove_stale_builds "$(cache_folder)" "$BUILD_FOLDER"
    if [ "${TASKGEN_CPU:-portable}" = native ]; then
        # whisper.cpp reads the first, llama.cpp's crate decides by the second.
        export GGML_NATIVE=ON RUSTFLAGS="${RUSTFLAGS:-} -C target-cpu=native"
    fi
}

# Whether the slow part, the C++ of the two engines, is already built.
already_built() {
    ls "$BUILD_FOLDER/${BUILD_PROFILE:-debug}"/deps/libllama_cpp_2-*.rlib >/dev/null 2>&1
}

check_space() {
    local free
    already_built && return 0
    free=$(df -Pk "$BUILD_FOLDER" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge $BUILD_SPACE_KIB ] ||
        die "not enough space: $((free / 1024)) MB free in $BUILD_FOLDER, $((BUILD_SPACE_KIB / 1024)) MB needed (what to do: set TASKGEN_BUILD_DIR to a larger disk)"
}

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
# An outer make's job server is not ours to hand on.
unset MAKEFLAGS MFLAGS MAKELEVEL
check_machine
prepare_build_folder
check_space
prepare_tools "$BUILD_FOLDER/tools"
BINARIES=$CARGO_TARGET_DIR/${BUILD_PROFILE:-debug}
