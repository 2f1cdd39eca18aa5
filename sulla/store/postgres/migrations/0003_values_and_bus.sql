-- Small values, and what travels between daemons.

CREATE FUNCTION put(p_key text, p_value bytea, p_ttl_ms bigint, p_swept bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- Before the sweep, which waits for nobody: so two of these cannot wait for each other.
    INSERT INTO small (key, value, until_ms) VALUES (p_key, p_value, now_ms() + p_ttl_ms)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, until_ms = excluded.until_ms;
    -- More than was added, so that what ran out does not pile up.
    DELETE FROM small s WHERE s.key IN (
        SELECT o.key FROM small o WHERE o.until_ms <= now_ms()
        ORDER BY o.until_ms LIMIT p_swept FOR UPDATE SKIP LOCKED
    );
END $$;

-- One row for all that a daemon has to say at once, and its number as the notification: a payload of NOTIFY is bounded,
-- and a transaction that notifies waits for every other one that does, so it must be short and wait for no disk.
CREATE FUNCTION say(
    p_sender text, p_marks text, p_channels text[], p_payloads bytea[], p_kept_ms bigint, p_swept bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    said bigint;
BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    DELETE FROM bus b WHERE b.at_ms < now_ms() - p_kept_ms AND b.id IN (
        SELECT o.id FROM bus o ORDER BY o.id LIMIT p_swept FOR UPDATE SKIP LOCKED
    );
    INSERT INTO bus (at_ms, channels, payloads) VALUES (now_ms(), p_channels, p_payloads) RETURNING id INTO said;
    PERFORM pg_notify('sulla:' || current_schema(), concat_ws(' ', p_sender, said, p_marks));
END $$;
