-- What is kept. A log's columns are those of the SQLite keeper (sulla/store/sqlite_tables.py) and of `rules.Log`.

-- Milliseconds since 1970 by the server's clock: the one clock that all daemons of a shared store have in common.
CREATE FUNCTION now_ms() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$$;

-- Names are ordered by code point, as Python orders them: COLLATE "C".
CREATE TABLE logs (
    -- An identity is never given twice: so the lease of a deleted log cannot match another log.
    life bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text COLLATE "C" NOT NULL UNIQUE,
    created_ms bigint NOT NULL,
    last_seq bigint NOT NULL DEFAULT 0,
    waking bigint NOT NULL DEFAULT 0,
    woken_seq bigint NOT NULL DEFAULT 0,
    claimed bigint NOT NULL DEFAULT 0,
    epoch bigint NOT NULL DEFAULT 0,
    owner text NOT NULL DEFAULT '',
    released boolean NOT NULL DEFAULT false,
    until_ms bigint NOT NULL DEFAULT 0,
    ttl_ms bigint NOT NULL DEFAULT 0,
    write_no bigint NOT NULL DEFAULT 0,
    answer bigint NOT NULL DEFAULT 0,
    kind text COLLATE "C" NOT NULL,
    status text NOT NULL CHECK (status IN ('idle', 'open', 'suspended')),
    agent text NOT NULL,
    due_ms bigint,
    consumed bigint NOT NULL,
    body bytea NOT NULL
) WITH (fillfactor = 70);  -- Room on the page for the next version of a row: most writes touch no index then.

CREATE INDEX logs_kind ON logs (kind, key);
-- Ready whatever the time; the same words as in `postgres_rows.AWAKE`, or the planner would not see that it may use it.
CREATE INDEX logs_awake ON logs (key) WHERE status = 'open' OR woken_seq > claimed;
CREATE INDEX logs_suspended ON logs (key) WHERE status = 'suspended';
CREATE INDEX logs_due ON logs (due_ms, key) WHERE due_ms IS NOT NULL;

CREATE TABLE records (
    life bigint NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    offered boolean NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (life, seq)
);

CREATE TABLE dedupe (
    life bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (life, id)
);

CREATE TABLE small (
    key text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL,
    until_ms bigint
);

CREATE INDEX small_until ON small (until_ms) WHERE until_ms IS NOT NULL;

-- What is on its way over the bus. It may be lost, and a crash of the server empties it.
CREATE UNLOGGED TABLE bus (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms bigint NOT NULL,
    channels text[] NOT NULL,
    payloads bytea[] NOT NULL
);
