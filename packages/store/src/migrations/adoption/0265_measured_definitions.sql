-- How many bytes the definition of a check has as JSON. Every write keeps it, so that adding up those of an organisation reads no definition.
-- Null: not written since this column was added, and not measured by the chore yet.
alter table checks add column definition_bytes integer;

create function definition_bytes_of(url text, match_string text, post_data text, headers jsonb) returns integer
language sql stable parallel safe as $$
  select octet_length(to_json(url)::text) + octet_length(to_json(match_string)::text)
    + octet_length(to_json(post_data)::text) + octet_length(headers::text)
$$;

create function measure_definition() returns trigger language plpgsql as $$
begin
  new.definition_bytes := definition_bytes_of(new.url, new.match_string, new.post_data, new.headers);
  return new;
end $$;

create trigger checks_measure before insert or update of url, match_string, post_data, headers on checks
  for each row execute function measure_definition();

-- What the chore writes is no change: nobody has to be sent the check again, and nobody waits for it.
create or replace function stamp_updated_at() returns trigger language plpgsql as $$
begin
  if current_setting('dogwatch.is_measuring', true) = 'yes' then
    return new;
  end if;
  new.updated_at := sync_tick();
  return new;
end $$;

create or replace function tick_first() returns trigger language plpgsql as $$
begin
  if current_setting('dogwatch.is_measuring', true) = 'yes' then
    return null;
  end if;
  perform sync_tick();
  return null;
end $$;
