-- What nobody outside the project knows: the key of the fences around strangers' texts in prompts.
CREATE TABLE secret (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Where models were asked under the key that all projects had, it stays, because every prompt and so
-- every reply on record depends on it.
INSERT INTO secret (name, value)
SELECT 'fence', CASE WHEN EXISTS (SELECT 1 FROM call) THEN 'taskgen' ELSE lower(hex(randomblob(32))) END;
