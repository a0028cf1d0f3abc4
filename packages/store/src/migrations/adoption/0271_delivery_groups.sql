-- Deliveries of one group go out in one message, whose id is made from it. Null: the delivery goes out by itself.
alter table deliveries add column group_id text collate "C";
