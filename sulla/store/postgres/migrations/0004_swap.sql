-- A small value in the place of one that is known.

CREATE FUNCTION swap(p_key text, p_old bytea, p_new bytea, p_ttl_ms bigint, p_swept bigint) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    -- Either waits for whoever has the row, and then looks at what that one left.
    IF p_old IS NULL THEN
        INSERT INTO small (key, value, until_ms) VALUES (p_key, p_new, now_ms() + p_ttl_ms)
            ON CONFLICT (key) DO UPDATE SET value = excluded.value, until_ms = excluded.until_ms
            WHERE small.until_ms <= now_ms() OR small.value = excluded.value;
    ELSE
        UPDATE small s SET value = p_new, until_ms = now_ms() + p_ttl_ms
            WHERE s.key = p_key AND s.value IN (p_old, p_new) AND (s.until_ms IS NULL OR s.until_ms > now_ms());
    END IF;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- As `put` does, and in the same order.
    DELETE FROM small s WHERE s.key IN (
        SELECT o.key FROM small o WHERE o.until_ms <= now_ms()
        ORDER BY o.until_ms LIMIT p_swept FOR UPDATE SKIP LOCKED
    );
    RETURN true;
END $$;
