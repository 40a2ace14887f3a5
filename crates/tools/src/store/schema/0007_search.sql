-- Answered searches of the web. One that was answered is not sent again.
CREATE TABLE search (
    provider TEXT NOT NULL,              -- such as brave
    server   TEXT NOT NULL,              -- its address with the engine, or the hash of a local file; never a key
    query    TEXT NOT NULL,
    results  TEXT NOT NULL,              -- JSON: address, title and snippet of each
    answered TEXT NOT NULL,              -- RFC 3339 UTC
    run      INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (provider, server, query)
) STRICT, WITHOUT ROWID;

-- Draws of topics from which trees are grown, and how each ended.
CREATE TABLE topic_draw (
    drawing TEXT NOT NULL,               -- hash of the topics, the seed, the search, the models and the shape of the trees
    number  INTEGER NOT NULL,            -- from 1
    outcome TEXT NOT NULL,               -- JSON
    tree    TEXT REFERENCES info_tree(id), -- what it became
    run     INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (drawing, number)
) STRICT, WITHOUT ROWID;
