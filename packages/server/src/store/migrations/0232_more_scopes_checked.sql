-- Every token has at most twenty scopes before 0231, so this finds none with more than forty.
alter table configuration_tokens validate constraint configuration_tokens_scopes_check;
