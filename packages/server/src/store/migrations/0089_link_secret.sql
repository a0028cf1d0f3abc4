-- The secret that signs the links in alerts by which an incident is acknowledged. One row, made with the first link.
create table link_secret (
  is_the_one boolean primary key default true,
  secret bytea not null,
  created_at timestamptz not null,
  constraint link_secret_is_the_one_check check (is_the_one)
);
