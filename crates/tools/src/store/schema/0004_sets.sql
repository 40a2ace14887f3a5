-- A set keeps its tasks' own lines, so that nothing that happens to the tasks changes it.
CREATE TABLE set_member (
    task_set  TEXT NOT NULL REFERENCES task_set(id) ON DELETE CASCADE,
    place     INTEGER NOT NULL,          -- from 0, best first
    task      TEXT NOT NULL,             -- it may be gone from `task`
    line      TEXT,                      -- as it is exported; NULL where withdrawn, or chosen before sets were frozen
    leaf      TEXT,                      -- SHA-256 of its nonce and its line
    translation INTEGER NOT NULL DEFAULT 0, -- whether it says the task before it in another language
    withdrawn INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (task_set, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX set_member_task ON set_member(task);

INSERT INTO set_member (task_set, place, task)
SELECT task_set, row_number() OVER (PARTITION BY task_set ORDER BY task) - 1, task FROM task_set_member;
DROP TABLE task_set_member;

ALTER TABLE task_set ADD COLUMN sha256 TEXT;  -- of the lines as they were frozen
ALTER TABLE task_set ADD COLUMN frozen_at TEXT; -- RFC 3339 UTC: when the run began that froze it first
ALTER TABLE task_set ADD COLUMN nonce TEXT;   -- hides the lines behind their leaves until they are revealed

-- What the canaries of this project's sets follow from.
INSERT INTO secret (name, value) VALUES ('canary', lower(hex(randomblob(32))));

-- Recordings whose speakers withdrew consent. Nothing of what was said is left, and the same bytes are not taken in again.
CREATE TABLE forgotten (
    seminar      TEXT PRIMARY KEY,
    forgotten    TEXT NOT NULL,              -- RFC 3339 UTC
    finished     INTEGER NOT NULL DEFAULT 0, -- 0 from the beginning until the database was rewritten without the deleted pages
    counts       TEXT NOT NULL DEFAULT '{}', -- JSON: how much of what went
    run          INTEGER NOT NULL REFERENCES run(id)
) STRICT;
