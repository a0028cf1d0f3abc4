-- Rules on parts of a response, and what a request sends.

-- Method of the request. Empty: GET, or POST if there is a body.
alter table checks add column method text not null default '';
-- Maximum number of redirects to follow. 0: the default.
alter table checks add column max_redirects integer not null default 0;
-- Version of IP that runs use. Empty: any.
alter table checks add column ip_family text not null default '';
-- Address of a proxy, with its login. Empty: none.
alter table checks add column proxy text not null default '';
-- Status codes that pass, such as 200-299. Empty: `status_code_op` decides.
alter table checks add column status_codes text[] not null default '{}';
-- Rules on parts of a response. Each has `on`, `is`, and perhaps `at` and `value`.
alter table checks add column assertions jsonb not null default '[]';
-- Share of the lifetime of a certificate below which the check is degraded, in percent. 0: no limit.
alter table checks add column cert_warn_percent integer not null default 0;

alter table checks add constraint checks_ip_family_check check (ip_family in ('', 'any', '4', '6', 'both')) not valid;
alter table checks drop constraint private_definition_is_blank;
-- only the agent has a private definition: the server stores nothing of it, and no shared monitor runs it
alter table checks add constraint private_definition_is_blank check (
  url <> '' or (restricted and match_string = '' and match_mode = '' and post_data = '' and headers = '{}'
    and status_code_op = '' and status_code_value = 0 and method = '' and proxy = '' and status_codes = '{}'
    and assertions = '[]')) not valid;

-- blank_definition removes the fields of a definition that becomes private, which servers of the previous version do not know.
create function blank_definition() returns trigger language plpgsql as $$
begin
  new.method := '';
  new.proxy := '';
  new.status_codes := '{}';
  new.assertions := '[]';
  return new;
end $$;
create trigger checks_blank_definition before update of url on checks for each row
  when (new.url = '' and old.url <> '') execute function blank_definition();

-- definition_bytes_of measures a definition. A list without rules counts as nothing.
create function definition_bytes_of(url text, match_string text, post_data text, headers jsonb, assertions jsonb)
returns integer language sql stable parallel safe as $$
  select definition_bytes_of(url, match_string, post_data, headers) + octet_length(assertions::text) - 2
$$;

-- measure_definition keeps definition_bytes with every write.
create or replace function measure_definition() returns trigger language plpgsql as $$
begin
  new.definition_bytes := definition_bytes_of(new.url, new.match_string, new.post_data, new.headers, new.assertions);
  return new;
end $$;
create trigger checks_measure_rules before update of assertions on checks
  for each row execute function measure_definition();
