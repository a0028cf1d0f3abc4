-- The SHA-256 of the enrollment token by which a monitor enrolled last. The page that shows a token waits for its monitors by
-- this. Null: it enrolled before there was this column.
alter table monitors add column enrolled_with bytea;
-- The host and port of the process that printed a link. When it starts again, it prints another one, and this one ends.
alter table set_up_links add column printed_by text;
