-- The URL under which people reach a server process, so that commands print it. Null: not reported.
alter table processes add column public_url text;
