-- When old partitions were last looked at and dropped, over all nodes, so that a clock that jumps is noticed and a day
-- is a day for all of them. One row; it belongs to no company.
create table partition_upkeep (
  is_only boolean primary key default true check (is_only),
  seen_at timestamptz not null,
  held_until timestamptz,
  dropped_on date
);
insert into partition_upkeep (seen_at) values (now());
