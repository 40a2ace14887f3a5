-- Facts are stored, conclusions are derived: ratings, ranks, means and intervals are folds over these rows.
-- A migration that has landed is never edited; the next one gets a file of its own.
-- Method-specific detail is a JSON payload; what is looked up or joined is a column.

-- One command. Every fact names the run that stored it.
CREATE TABLE run (
    id           INTEGER PRIMARY KEY,
    command      TEXT NOT NULL,
    config_hash  TEXT NOT NULL,
    seed         INTEGER NOT NULL,
    tool_version TEXT NOT NULL,
    host         TEXT,
    started      TEXT NOT NULL,           -- RFC 3339 UTC
    ended        TEXT,
    exit         INTEGER
) STRICT;

-- A recording by the hash of its bytes; the same bytes under two names are one seminar with two paths.
CREATE TABLE seminar (
    id           TEXT PRIMARY KEY,
    media_sha256 TEXT NOT NULL UNIQUE,
    duration_ms  INTEGER NOT NULL,
    title        TEXT NOT NULL,
    language     TEXT NOT NULL,           -- BCP 47
    discipline   TEXT,
    licence      TEXT NOT NULL DEFAULT 'unknown',
    payload      TEXT NOT NULL DEFAULT '{}',
    run          INTEGER NOT NULL REFERENCES run(id)
) STRICT;

CREATE TABLE seminar_path (
    path    TEXT PRIMARY KEY,             -- under the seminars folder, with extension
    seminar TEXT NOT NULL REFERENCES seminar(id) ON DELETE CASCADE
) STRICT;

-- Versions of a seminar's text. The newest `seq` is current; older ones stay for the facts that point at them.
CREATE TABLE transcript (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    seminar    TEXT NOT NULL REFERENCES seminar(id) ON DELETE CASCADE,
    model      TEXT NOT NULL,
    model_sha256 TEXT NOT NULL,
    parameters TEXT NOT NULL,
    language   TEXT NOT NULL,
    run        INTEGER NOT NULL REFERENCES run(id)
) STRICT;

CREATE TABLE segment (
    transcript TEXT NOT NULL REFERENCES transcript(id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    start_ms   INTEGER NOT NULL,
    end_ms     INTEGER NOT NULL,
    speaker    TEXT,
    text       TEXT NOT NULL,
    confidence REAL NOT NULL,
    PRIMARY KEY (transcript, seq)
) STRICT, WITHOUT ROWID;

-- `superseded` rows are kept facts that no longer follow from the current transcript, prompts and models.
CREATE TABLE inspiration (
    id         TEXT PRIMARY KEY,
    seminar    TEXT NOT NULL REFERENCES seminar(id) ON DELETE CASCADE,
    transcript TEXT NOT NULL REFERENCES transcript(id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    traits     TEXT NOT NULL,             -- JSON list
    text       TEXT NOT NULL,
    superseded INTEGER NOT NULL DEFAULT 0,
    review     TEXT,                      -- JSON: status, reviewer, reason
    payload    TEXT NOT NULL DEFAULT '{}',
    call       TEXT,
    run        INTEGER NOT NULL REFERENCES run(id)
) STRICT;
CREATE INDEX inspiration_seminar ON inspiration(seminar);

-- The transcript's own span beside the model's wording; characters are Unicode scalar values of the joined segments.
CREATE TABLE evidence (
    inspiration TEXT NOT NULL REFERENCES inspiration(id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,
    segment     INTEGER NOT NULL,
    start_char  INTEGER NOT NULL,
    end_char    INTEGER NOT NULL,
    start_ms    INTEGER NOT NULL,
    end_ms      INTEGER NOT NULL,
    quote       TEXT NOT NULL,
    wording     TEXT,
    similarity  REAL NOT NULL DEFAULT 1.0,
    PRIMARY KEY (inspiration, seq)
) STRICT, WITHOUT ROWID;

-- Seminar tasks, imported questions, wiki topics and tree questions alike; what only some have is nullable.
CREATE TABLE task (
    id         TEXT PRIMARY KEY,
    origin     TEXT NOT NULL DEFAULT 'seminar' CHECK (origin IN ('seminar', 'imported', 'wiki', 'tree')),
    seminar    TEXT REFERENCES seminar(id) ON DELETE CASCADE,
    phase      TEXT,
    type       TEXT,
    difficulty TEXT,
    discipline TEXT,
    language   TEXT NOT NULL,
    template   TEXT,                      -- before placeholders were filled
    text       TEXT NOT NULL,
    as_of      TEXT,
    superseded INTEGER NOT NULL DEFAULT 0,
    payload    TEXT NOT NULL DEFAULT '{}',
    call       TEXT,
    run        INTEGER NOT NULL REFERENCES run(id)
) STRICT;
CREATE INDEX task_seminar ON task(seminar);

CREATE TABLE task_source (
    task        TEXT NOT NULL REFERENCES task(id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,
    inspiration TEXT NOT NULL REFERENCES inspiration(id) ON DELETE CASCADE,
    PRIMARY KEY (task, seq)
) STRICT, WITHOUT ROWID;

-- What a stage looked at and did not keep, by rule. Recomputed with its item.
CREATE TABLE rejection (
    stage   TEXT NOT NULL,
    seminar TEXT NOT NULL REFERENCES seminar(id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL,
    rule    TEXT NOT NULL,
    detail  TEXT NOT NULL,
    call    TEXT,
    run     INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (stage, seminar, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE task_set (
    id      TEXT PRIMARY KEY,
    name    TEXT NOT NULL,
    version INTEGER NOT NULL,
    frozen  INTEGER NOT NULL DEFAULT 0,
    canary  TEXT,
    run     INTEGER NOT NULL REFERENCES run(id),
    UNIQUE (name, version)
) STRICT;

CREATE TABLE task_set_member (
    task_set TEXT NOT NULL REFERENCES task_set(id) ON DELETE CASCADE,
    task     TEXT NOT NULL REFERENCES task(id) ON DELETE CASCADE,
    PRIMARY KEY (task_set, task)
) STRICT, WITHOUT ROWID;

-- The question that a ranking asks; never its ratings.
CREATE TABLE ranking (
    seq        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    item_kind  TEXT NOT NULL,             -- task, agent
    items_hash TEXT NOT NULL,
    items      TEXT NOT NULL,             -- JSON list of ids
    task_set   TEXT REFERENCES task_set(id),
    method     TEXT NOT NULL,
    parameters TEXT NOT NULL,
    seed       INTEGER NOT NULL,
    panel      TEXT NOT NULL,             -- JSON list of judges
    run        INTEGER NOT NULL REFERENCES run(id)
) STRICT;

CREATE TABLE agent (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL,
    config_hash TEXT NOT NULL,
    version     TEXT NOT NULL,
    payload     TEXT NOT NULL DEFAULT '{}',
    run         INTEGER NOT NULL REFERENCES run(id)
) STRICT;

-- Reports, reference reports, gold articles, turns of a conversation. The text never changes after storing.
CREATE TABLE document (
    id      TEXT PRIMARY KEY,
    kind    TEXT NOT NULL,                -- report, reference, gold, turn
    task    TEXT REFERENCES task(id) ON DELETE CASCADE,
    agent   TEXT REFERENCES agent(id),
    attempt INTEGER NOT NULL DEFAULT 1,
    state   TEXT NOT NULL CHECK (state IN ('ok', 'refused', 'empty', 'timeout', 'error')),
    text    TEXT,
    input_tokens  INTEGER,
    output_tokens INTEGER,
    cost_micro    INTEGER,
    ms      INTEGER,
    payload TEXT NOT NULL DEFAULT '{}',
    run     INTEGER NOT NULL REFERENCES run(id)
) STRICT;
CREATE INDEX document_task ON document(task, agent);

CREATE TABLE content (
    sha256      TEXT PRIMARY KEY,
    bytes       BLOB NOT NULL,
    compression TEXT NOT NULL,
    size        INTEGER NOT NULL
) STRICT;

CREATE TABLE page_visit (
    id        TEXT PRIMARY KEY,
    url       TEXT NOT NULL,
    final_url TEXT,
    fetched   TEXT NOT NULL,
    status    INTEGER,
    cause     TEXT,
    fetcher   TEXT NOT NULL,
    content   TEXT REFERENCES content(sha256),
    payload   TEXT NOT NULL DEFAULT '{}',
    run       INTEGER NOT NULL REFERENCES run(id)
) STRICT;
CREATE INDEX page_visit_url ON page_visit(url);

CREATE TABLE extract (
    content   TEXT NOT NULL REFERENCES content(sha256) ON DELETE CASCADE,
    extractor TEXT NOT NULL,
    version   TEXT NOT NULL,
    title     TEXT,
    text      TEXT NOT NULL,
    PRIMARY KEY (content, extractor, version)
) STRICT;

-- Spans of documents and pages. `source` is a document's id or a page's content hash.
CREATE TABLE statement (
    id         TEXT PRIMARY KEY,
    source     TEXT NOT NULL,
    start_char INTEGER,
    end_char   INTEGER,
    text       TEXT NOT NULL,
    extractor  TEXT NOT NULL,
    version    TEXT NOT NULL,
    call       TEXT,
    payload    TEXT NOT NULL DEFAULT '{}',
    run        INTEGER NOT NULL REFERENCES run(id)
) STRICT;
CREATE INDEX statement_source ON statement(source);

CREATE TABLE citation (
    document   TEXT NOT NULL REFERENCES document(id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    label      TEXT,
    url        TEXT,
    start_char INTEGER,
    end_char   INTEGER,
    statement  TEXT REFERENCES statement(id),
    diagnosis  TEXT,
    extractor  TEXT NOT NULL,
    version    TEXT NOT NULL,
    run        INTEGER NOT NULL REFERENCES run(id),
    PRIMARY KEY (document, extractor, version, seq)
) STRICT;

CREATE TABLE key_point (
    id       TEXT PRIMARY KEY,
    task     TEXT NOT NULL REFERENCES task(id) ON DELETE CASCADE,
    source   TEXT NOT NULL,
    text     TEXT NOT NULL,
    spans    TEXT NOT NULL,               -- JSON list
    verified INTEGER NOT NULL,
    call     TEXT,
    payload  TEXT NOT NULL DEFAULT '{}',
    run      INTEGER NOT NULL REFERENCES run(id)
) STRICT;

-- Something that measures: a criterion, a rubric, a scale.
CREATE TABLE instrument (
    id          TEXT PRIMARY KEY,
    family      TEXT NOT NULL,            -- rankeval, kae, ace, wiki_writing, deepeval, arena …
    criterion   TEXT NOT NULL,
    version     TEXT NOT NULL,
    scale       TEXT NOT NULL,
    weight      REAL,
    decided_by  TEXT NOT NULL CHECK (decided_by IN ('model', 'code', 'person')),
    payload     TEXT NOT NULL DEFAULT '{}',
    UNIQUE (family, criterion, version)
) STRICT;

CREATE TABLE judge (
    id             TEXT PRIMARY KEY,
    kind           TEXT NOT NULL CHECK (kind IN ('model', 'person', 'code')),
    model_asked    TEXT,
    model_returned TEXT,
    prompt_hash    TEXT,
    payload        TEXT NOT NULL DEFAULT '{}'
) STRICT;

-- Every judgement there is: RankEval verdicts, KAE relations, ACE ratings, people's scores.
-- `subject` is what is judged; for pairs it was shown first and `other` second.
CREATE TABLE judgement (
    id            TEXT PRIMARY KEY,
    instrument    TEXT NOT NULL REFERENCES instrument(id),
    subject       TEXT NOT NULL,
    other         TEXT,
    judge         TEXT NOT NULL REFERENCES judge(id),
    sample        INTEGER NOT NULL DEFAULT 0,
    evidence_hash TEXT,
    state         TEXT NOT NULL CHECK (state IN ('scored', 'not_applicable', 'unscored')),
    value         REAL,
    label         TEXT,
    confidence    REAL,
    cause         TEXT,
    payload       TEXT NOT NULL DEFAULT '{}',
    call          TEXT,
    run           INTEGER NOT NULL REFERENCES run(id),
    CHECK ((state = 'unscored') = (cause IS NOT NULL))
) STRICT;
CREATE INDEX judgement_subject ON judgement(instrument, subject, other);

CREATE TABLE reference_set (
    id      TEXT PRIMARY KEY,
    task    TEXT NOT NULL REFERENCES task(id) ON DELETE CASCADE,
    name    TEXT NOT NULL,
    version INTEGER NOT NULL,
    frozen  INTEGER NOT NULL DEFAULT 0,
    members TEXT NOT NULL,                -- JSON list of key points
    run     INTEGER NOT NULL REFERENCES run(id),
    UNIQUE (task, name, version)
) STRICT;

CREATE TABLE checklist (
    id      TEXT PRIMARY KEY,
    task    TEXT NOT NULL REFERENCES task(id) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    frozen  INTEGER NOT NULL DEFAULT 0,
    members TEXT NOT NULL,                -- JSON list of instruments with weights
    call    TEXT,
    run     INTEGER NOT NULL REFERENCES run(id),
    UNIQUE (task, version)
) STRICT;

-- Long texts of requests and replies, once each.
CREATE TABLE blob (
    sha256 TEXT PRIMARY KEY,
    text   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One logical model call; also the cache. `request` is canonical JSON whose long strings stand in `blob`.
CREATE TABLE call (
    id             TEXT PRIMARY KEY,
    role           TEXT NOT NULL,
    prompt         TEXT NOT NULL,
    prompt_hash    TEXT NOT NULL,
    variables_hash TEXT,
    request        TEXT NOT NULL,
    model_asked    TEXT NOT NULL,
    model_returned TEXT,
    reply          TEXT,                  -- hash into blob
    cause          TEXT,
    error          TEXT,
    input_tokens   INTEGER NOT NULL,
    output_tokens  INTEGER NOT NULL,
    cached_tokens  INTEGER NOT NULL,
    cost_micro     INTEGER,               -- micro-dollars; NULL is unknown, not free
    price_version  TEXT,
    ms             INTEGER NOT NULL,
    attempts       INTEGER NOT NULL,
    payload        TEXT NOT NULL DEFAULT '{}',
    run            INTEGER NOT NULL REFERENCES run(id)
) STRICT;
CREATE INDEX call_role ON call(role);

-- Append-only streams: the steps of a run, matches, tournaments.
CREATE TABLE event (
    stream  TEXT NOT NULL,
    seq     INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    payload TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (stream, seq)
) STRICT, WITHOUT ROWID;
