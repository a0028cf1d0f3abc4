-- The time that decides: all processes take it from here, and what is deleted is deleted by it. A function, so that it can be
-- asked for in one word.
create function database_time() returns timestamptz
  language sql volatile parallel safe
  as $$ select clock_timestamp() $$;
