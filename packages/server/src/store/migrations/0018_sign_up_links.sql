-- Links by which somebody signs up, sent to the address that they gave: whose it is, is proved before there is an account.

create table sign_up_links (
  token_hash bytea primary key,
  email text not null,
  expires_at timestamptz not null
);
