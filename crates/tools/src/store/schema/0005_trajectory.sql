-- What an agent did on its way to a report, where its provider or its program tells. A stranger's text, within limits.
CREATE TABLE trajectory (
    document   TEXT PRIMARY KEY REFERENCES document(id) ON DELETE CASCADE,
    told_by    TEXT NOT NULL,            -- provider or program
    searches   INTEGER NOT NULL,         -- queries
    visits     INTEGER NOT NULL,         -- opened pages
    steps      TEXT NOT NULL,            -- JSON: a list of steps, in order
    left_out   INTEGER NOT NULL,         -- steps beyond the limits
    unreadable INTEGER NOT NULL,         -- lines of a program that are no step
    run        INTEGER NOT NULL REFERENCES run(id)
) STRICT;

-- Replies that providers are making in the background. A row goes when its call is on record, or there will be no reply.
CREATE TABLE background_reply (
    call   TEXT PRIMARY KEY,             -- the call that it will be
    reply  TEXT NOT NULL,                -- the provider's id of it
    run    INTEGER NOT NULL REFERENCES run(id)
) STRICT;
