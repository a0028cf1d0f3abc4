-- Former proxies of checks: an error can quote the login of a proxy.
alter table former_secrets add column proxy text;

create or replace function keep_former_secrets() returns trigger language plpgsql as $$
declare
  -- Searching a text for more would delay other requests.
  most_rows constant integer := 32;
  most_bytes constant integer := 32768;
  old_url text;
  old_headers jsonb;
  old_post_data text;
  old_proxy text;
  forgotten timestamptz;
begin
  if new.url = '' then
    -- The database keeps nothing of a private definition.
    delete from former_secrets where org_id = old.org_id and check_id = old.check_id;
    if old.url <> '' then
      insert into former_secrets (org_id, check_id, replaced_at) values (old.org_id, old.check_id, clock_timestamp());
    end if;
    return new;
  end if;
  -- A secret of a target follows one of these characters.
  if new.url <> old.url and old.url ~ '[@?#;=]' then old_url := old.url; end if;
  if not old.headers <@ new.headers then old_headers := old.headers; end if;
  if new.post_data <> old.post_data and old.post_data <> '' then old_post_data := old.post_data; end if;
  if new.proxy <> old.proxy and old.proxy like '%@%' then old_proxy := old.proxy; end if;
  if num_nonnulls(old_url, old_headers, old_post_data, old_proxy) = 0 then return new; end if;
  insert into former_secrets (org_id, check_id, replaced_at, url, headers, post_data, proxy)
  values (old.org_id, old.check_id, clock_timestamp(), old_url, old_headers, old_post_data, old_proxy);
  with ranked as (
    select former_id, row_number() over newest as place, sum(
      coalesce(octet_length(url), 0) + coalesce(octet_length(headers::text), 0) + coalesce(octet_length(post_data), 0)
      + coalesce(octet_length(proxy), 0)
    ) over newest as bytes
    from former_secrets where org_id = old.org_id and check_id = old.check_id
    window newest as (order by replaced_at desc, former_id desc)
  ), deleted as (
    delete from former_secrets f using ranked r
    where f.org_id = old.org_id and f.check_id = old.check_id and f.former_id = r.former_id
      and (r.place > most_rows or r.bytes > most_bytes)
    returning f.replaced_at
  )
  select max(replaced_at) into forgotten from deleted;
  if forgotten is not null then
    insert into former_secrets (org_id, check_id, replaced_at) values (old.org_id, old.check_id, forgotten);
  end if;
  return new;
end $$;
create or replace trigger checks_keep_former before update on checks for each row
  when (old.url <> new.url or old.headers <> new.headers or old.post_data <> new.post_data or old.proxy <> new.proxy)
  execute function keep_former_secrets();
