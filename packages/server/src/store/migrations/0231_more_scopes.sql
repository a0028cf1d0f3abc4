-- There are more scopes than twenty: a token may have each of them.
alter table configuration_tokens
  drop constraint configuration_tokens_scopes_check,
  add constraint configuration_tokens_scopes_check check (cardinality(scopes) between 1 and 40) not valid;
