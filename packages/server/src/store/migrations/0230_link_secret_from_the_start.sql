-- Versions of checks are made with this secret, so that nobody can try guesses of a password against one: there is one from the start.
insert into link_secret (secret, created_at)
values (sha256(convert_to(concat(gen_random_uuid(), gen_random_uuid(), gen_random_uuid()), 'UTF8')), now())
on conflict do nothing;
