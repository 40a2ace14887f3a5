-- Trees of web pages that agents duel on. A tree never changes: its id is a hash of all that it says.
CREATE TABLE info_tree (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    nodes   TEXT NOT NULL,               -- JSON: the tree, each parent before its children
    pages   INTEGER NOT NULL,            -- how many nodes
    source  TEXT NOT NULL,               -- what it was made from, for people
    run     INTEGER NOT NULL REFERENCES run(id)
) STRICT;

-- Matches, and what happened in each, one event after the other. Scores, winners and ratings are computed from the events.
CREATE TABLE duel (
    id         TEXT PRIMARY KEY,
    tree       TEXT NOT NULL REFERENCES info_tree(id),
    first      TEXT NOT NULL,            -- the agent in seat A
    second     TEXT NOT NULL,            -- the agent in seat B
    tournament TEXT REFERENCES tournament(name),
    round      INTEGER,                  -- of the tournament, from 1
    run        INTEGER NOT NULL REFERENCES run(id)
) STRICT;

CREATE TABLE duel_event (
    duel    TEXT NOT NULL REFERENCES duel(id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,            -- from 1
    event   TEXT NOT NULL,               -- JSON
    call    TEXT,                        -- the call that it rests on, where one was made
    run     INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (duel, seq)
) STRICT, WITHOUT ROWID;

-- What agents answered in matches.
CREATE TABLE duel_answer (
    id      TEXT PRIMARY KEY,
    duel    TEXT NOT NULL REFERENCES duel(id) ON DELETE CASCADE,
    round   INTEGER NOT NULL,            -- attempts at a question of this match, from 1
    side    TEXT NOT NULL,               -- A or B
    text    TEXT NOT NULL,
    payload TEXT NOT NULL,               -- JSON: state, words, tokens, money, seconds, why there is none
    run     INTEGER NOT NULL REFERENCES run(id),
    UNIQUE (duel, round, side)
) STRICT;

CREATE TABLE tournament (
    name    TEXT PRIMARY KEY,
    payload TEXT NOT NULL,               -- JSON: agents, trees, seed, rules
    run     INTEGER NOT NULL REFERENCES run(id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tournament_event (
    tournament TEXT NOT NULL REFERENCES tournament(name) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,         -- from 1
    event      TEXT NOT NULL,            -- JSON
    run        INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (tournament, seq)
) STRICT, WITHOUT ROWID;
