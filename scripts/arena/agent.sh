#!/bin/sh
# agent.sh FOLDER [MOST]: an agent of the arena's demo. It looks sentences up, word by word, in the documents of a folder,
# and says the paragraph that it finds and what stands above it; of a question with several sentences it answers the
# first MOST. It reads a question as JSON on standard input, like every agent that is a program (docs/evaluation.md).
set -eu
folder=$1 most=${2:-9}
question=$(cat)
export question most
# shellcheck disable=SC2016
for file in "$folder"/*.md; do
    cat "$file"
    echo
done | awk '
    BEGIN {
        RS = ""
        text = ENVIRON["question"]
        gsub(/\\n/, " ", text); gsub(/\\"/, "\"", text); gsub(/\\\\/, "\\", text)
        pieces = split(text, piece, /\([0-9]+\) /)
        for (i = 2; i <= pieces && i - 1 <= ENVIRON["most"]; i++) {
            halves = split(piece[i], half, /____/)
            longest = half[1]
            if (halves > 1 && length(half[2]) > length(longest)) longest = half[2]
            sub(/^ +/, "", longest); sub(/" *[,}].*$/, "", longest); sub(/ +$/, "", longest)
            wanted[i - 1] = substr(longest, 1, 60)
            if (wanted[i - 1] != "") n = i - 1
        }
    }
    {
        if ($0 ~ /^#+ /) { heading = $0; sub(/\n.*$/, "", heading); sub(/^#+ /, "", heading) }
        gsub(/\n */, " ")
        for (i = 1; i <= n; i++) {
            if (found[i] || wanted[i] == "") continue
            at = index($0, wanted[i])
            if (!at) continue
            # A paragraph that opens in bold face is about what it opens with.
            above = heading
            before = substr($0, 1, at + length(wanted[i]))
            leads = split(before, lead, /\*\*/)
            if (leads > 2 && length(lead[2 * int((leads - 1) / 2)]) < 60) above = above ", " lead[2 * int((leads - 1) / 2)]
            found[i] = 1
            start = at > 200 ? at - 200 : 1
            said[i] = above ": " substr($0, start, 600)
        }
    }
    END { for (i = 1; i <= n; i++) print "(" i ") " (found[i] ? said[i] : "not found") "\n" }'
