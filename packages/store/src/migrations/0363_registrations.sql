-- Registrations of domain names, asked from the registries by RDAP. One row for each name, whoever has checks of it.
create table registrations (
  name text collate "C" primary key,
  -- the last label: registries limit requests for all of their names together
  tld text collate "C" not null,
  -- the next request
  due_at timestamptz not null,
  -- when a check of the name was judged last, to the day
  wanted_at timestamptz not null,
  asked_at timestamptz,
  -- requests in a row without an answer
  failures integer not null default 0,
  answered_at timestamptz,
  -- why the last answer says nothing. Null: it has the end of the registration.
  fault text,
  expires_at timestamptz,
  registrar text,
  name_servers text[] not null default '{}',
  statuses text[] not null default '{}'
);
-- A chore asks the names that are due.
create index registrations_due on registrations (due_at);
-- The same chore counts the latest requests to each registry.
create index registrations_asked on registrations (tld, asked_at);
