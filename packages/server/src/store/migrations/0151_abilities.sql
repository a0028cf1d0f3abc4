-- What the build of a process can do that older builds cannot (store/abilities.ts). Older builds write nothing here. A change of
-- the database's layout waits until every process that runs has the ability which that change needs: `nodes`, results on several
-- nodes; `sealed_hours`, results of an hour in one row.
alter table processes add column abilities text[] not null default '{}';
