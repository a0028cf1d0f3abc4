-- Setting up a fresh server. One row: done_at is null until the server has an owner.
create table server_set_up (
  is_the_one boolean primary key default true,
  done_at timestamptz,
  -- The organisation that the built-in monitor joins. Null on a database that was in use before there was one.
  first_org_id bigint,
  constraint server_set_up_is_the_one_check check (is_the_one)
);
insert into server_set_up (done_at) select case when exists (select from people) then clock_timestamp() end;
-- Links by which the first person is made. All of them end with the set-up.
create table set_up_links (
  token_hash bytea primary key,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- When somebody signed up with this address without proving that it is theirs. Null: they proved it by a link, or were made by others.
alter table people add column claimed_at timestamptz;
-- When a member hid the list of first steps, for all members. Null: it is shown until all of them are done.
alter table organisations add column first_steps_hidden_at timestamptz;
