-- Each step of the store in one call, which is one transaction and one round trip. A step that is refused answers with
-- the log's row as it found it, and `sulla/store/rules.py` says why, in the same words as for every other keeper.

CREATE FUNCTION offer(
    p_key text, p_id text, p_kind text, p_body bytea, p_digest bytea, p_wakes boolean, p_max_waiting bigint,
    p_create boolean, h_kind text, h_status text, h_agent text, h_due_ms bigint, h_consumed bigint, h_body bytea,
    OUT outcome text, OUT number bigint, OUT kept_digest bytea, OUT waiting bigint
) LANGUAGE plpgsql AS $$
DECLARE
    log record;
BEGIN
    LOOP
        SELECT l.life, l.last_seq, l.waking, l.consumed INTO log FROM logs l WHERE l.key = p_key FOR NO KEY UPDATE;
        EXIT WHEN FOUND;
        waiting := -h_consumed;
        outcome := CASE WHEN NOT p_create THEN 'absent' WHEN waiting >= p_max_waiting THEN 'full' END;
        IF outcome IS NOT NULL THEN
            RETURN;
        END IF;
        -- Somebody else may be faster: then the next look finds theirs.
        INSERT INTO logs (key, created_ms, kind, status, agent, due_ms, consumed, body)
            VALUES (p_key, now_ms(), h_kind, h_status, h_agent, h_due_ms, h_consumed, h_body)
            ON CONFLICT (key) DO NOTHING;
    END LOOP;
    SELECT 'known', d.seq, d.digest INTO outcome, number, kept_digest
        FROM dedupe d WHERE d.life = log.life AND d.id = p_id;
    IF FOUND THEN
        RETURN;
    END IF;
    waiting := log.waking - log.consumed;
    IF waiting >= p_max_waiting THEN
        outcome := 'full';
        RETURN;
    END IF;
    number := log.last_seq + 1;
    INSERT INTO records (life, seq, kind, offered, body) VALUES (log.life, number, p_kind, true, p_body);
    INSERT INTO dedupe (life, id, seq, digest) VALUES (log.life, p_id, number, p_digest);
    UPDATE logs l SET
        last_seq = number,
        waking = l.waking + p_wakes::int,
        woken_seq = CASE WHEN p_wakes THEN number ELSE l.woken_seq END
        WHERE l.life = log.life;
    outcome := 'first';
END $$;

CREATE FUNCTION acquire(
    p_key text, p_owner text, p_ttl_ms bigint, p_after bigint, p_records bigint, p_bytes bigint,
    OUT state logs, OUT seqs bigint[], OUT kinds text[], OUT offereds boolean[], OUT bodies bytea[]
) LANGUAGE plpgsql AS $$
DECLARE
    now bigint;
BEGIN
    SELECT * INTO state FROM logs l WHERE l.key = p_key FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    now := now_ms();  -- Now, not before the wait for the row.
    IF state.owner <> '' AND NOT state.released
        -- More time left than it ever had: the server's clock was put back.
        AND state.until_ms > now AND state.until_ms - now <= state.ttl_ms
        -- An earlier boot of the same home is in nobody's way.
        AND (state.owner = p_owner OR split_part(state.owner, ':', 1) <> split_part(p_owner, ':', 1))
    THEN
        state := NULL;
        RETURN;
    END IF;
    UPDATE logs l SET
        epoch = l.epoch + 1, owner = p_owner, released = false, until_ms = now + p_ttl_ms, ttl_ms = p_ttl_ms,
        write_no = 0, answer = 0
        WHERE l.life = state.life
        RETURNING * INTO state;
    IF p_after IS NOT NULL THEN
        SELECT array_agg(t.seq), array_agg(t.kind), array_agg(t.offered), array_agg(t.body)
            INTO seqs, kinds, offereds, bodies
            FROM (
                SELECT r.*, sum(octet_length(r.body)) OVER (ORDER BY r.seq) - octet_length(r.body) AS before
                FROM (
                    SELECT * FROM records r WHERE r.life = state.life AND r.seq > p_after
                    ORDER BY r.seq LIMIT p_records
                ) r
                ORDER BY r.seq
            ) t
            WHERE t.before < p_bytes;
    END IF;
END $$;

CREATE FUNCTION append(
    p_key text, p_life bigint, p_epoch bigint, p_owner text, p_number bigint, p_kinds text[], p_bodies bytea[],
    h_kind text, h_status text, h_agent text, h_due_ms bigint, h_consumed bigint, h_body bytea,
    p_claimed bigint, p_release boolean,
    OUT kept bigint, OUT state logs
) LANGUAGE plpgsql AS $$
DECLARE
    ours boolean;
    last bigint;
BEGIN
    SELECT * INTO state FROM logs l WHERE l.key = p_key FOR NO KEY UPDATE;
    ours := FOUND AND state.life = p_life AND state.epoch = p_epoch AND state.owner = p_owner;
    IF ours AND p_number > 0 AND p_number = state.write_no THEN
        kept := state.answer;
        state := NULL;
        RETURN;
    END IF;
    last := state.last_seq + cardinality(p_kinds);
    IF NOT ours OR state.released OR p_number <> state.write_no + 1 OR p_claimed > last THEN
        RETURN;
    END IF;
    INSERT INTO records (life, seq, kind, offered, body)
        SELECT p_life, state.last_seq + d.place, d.kind, false, d.body
        FROM unnest(p_kinds, p_bodies) WITH ORDINALITY AS d(kind, body, place);
    UPDATE logs l SET
        last_seq = last, claimed = greatest(l.claimed, p_claimed), released = p_release,
        write_no = p_number, answer = last,
        kind = h_kind, status = h_status, agent = h_agent, due_ms = h_due_ms, consumed = h_consumed, body = h_body
        WHERE l.life = p_life;
    kept := last;
    state := NULL;
END $$;

CREATE FUNCTION renew(
    p_key text, p_life bigint, p_epoch bigint, p_owner text, p_ttl_ms bigint,
    OUT kept boolean, OUT state logs
) LANGUAGE plpgsql AS $$
BEGIN
    -- A crash that loses a renewal lets the lease run out sooner, and the fence holds: no need to wait for the disk.
    PERFORM set_config('synchronous_commit', 'off', true);
    UPDATE logs l SET until_ms = now_ms() + p_ttl_ms, ttl_ms = p_ttl_ms
        WHERE l.key = p_key AND l.life = p_life AND l.epoch = p_epoch AND l.owner = p_owner AND NOT l.released;
    kept := FOUND;
    IF NOT kept THEN
        SELECT * INTO state FROM logs l WHERE l.key = p_key;
    END IF;
END $$;

CREATE FUNCTION remove_log(
    p_key text, p_life bigint, p_epoch bigint, p_owner text, p_last_seq bigint,
    OUT outcome text, OUT state logs
) LANGUAGE plpgsql AS $$
DECLARE
    ours boolean;
BEGIN
    SELECT * INTO state FROM logs l WHERE l.key = p_key FOR UPDATE;
    ours := FOUND AND state.life = p_life AND state.epoch = p_epoch AND state.owner = p_owner AND NOT state.released;
    IF NOT ours THEN
        outcome := 'refused';
        RETURN;
    END IF;
    IF p_last_seq <> state.last_seq THEN
        outcome := 'stays';
    ELSE
        DELETE FROM records r WHERE r.life = p_life;
        DELETE FROM dedupe d WHERE d.life = p_life;
        DELETE FROM logs l WHERE l.life = p_life;
        outcome := 'removed';
    END IF;
    state := NULL;
END $$;
