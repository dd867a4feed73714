-- The statements of one turn of a session that has had turns before, for pgbench.
--
-- Taken from the log of a server with `log_statement = all` while `bench-fleet turns <url> 1 6` ran: the statements of one turn in their order, with
-- their texts as `inhouse-store` and `inhouse-fleet` send them, and parameters of the same sizes. They are prepared once for each connection, as sqlx
-- does. A unit test compares the texts with the sources of the two crates. A worker of the fleet claims several sessions with one statement if
-- it can, and answers the first prompt of a session with fewer statements; here each turn has one claim and all statements.
\if :prepared = 0
prepare enqueue as with limits as materialized (select set_config('lock_timeout', $8, true))
             select inhouse.enqueue($1, $2, $3, $4, $5, to_timestamp($6::float8), $7) from limits;
prepare claim as select delivery, (prompt).id, (prompt).session, (prompt).tenant, (prompt).prompt, (prompt).priority,
                    (prompt).dedupe, (prompt).attempts, (prompt).host
             from inhouse.claim($1, $2, $3, $4);
prepare epoch as select greatest(nextval('inhouse_epoch'), 1 + coalesce(
                 (select epoch from inhouse_session where project = $1 and session = $2), 0));
prepare acquire as with limits as materialized (select set_config('lock_timeout', '5s', true))
                 insert into inhouse_session as s (project, session, epoch, owner, until, owned)
                 select $1, $2, $3, $4, inhouse_now() + $5, inhouse_now() from limits
                 on conflict (project, session) do update
                 set epoch = excluded.epoch, owner = excluded.owner, until = inhouse_now() + $5, owned = inhouse_now()
                 where s.epoch < excluded.epoch
                 and (s.owner is null or s.owner = excluded.owner or s.until <= inhouse_now())
                 returning until;
prepare end_of as select next from inhouse_stream where project = $1 and session = $2 and subpath = $3;
prepare stream as select id, next from inhouse_stream where project = $1 and session = $2 and subpath = $3;
prepare page as
select body from (
    select position, body, sum(octet_length(body)) over (order by position) - octet_length(body) as before
    from (select position, body from inhouse_entry where stream = $1 and position >= $2 order by position limit 256) as rows
) as page where before < 1048576 order by position;
prepare journal as select call, tool, message, input, epoch, result from inhouse_journal
             where project = $1 and session = $2 order by id;
prepare subpaths as select subpath from inhouse_stream where project = $1 and session = $2 and subpath <> '' order by subpath;
prepare files as select path, octet_length(body)::bigint from inhouse_file
             where project = $1 and session = $2 order by path;
prepare record as select inhouse.record($1, $2, $3, $4);
prepare append (text, text, text, bigint, bigint, bytea[], bytea) as
with limits as materialized (
    select set_config('lock_timeout', '5s', true)
), held as (
    select 1 from inhouse_session, limits
    where project = $1 and session = $2 and epoch = $4 for share of inhouse_session
), stream as (
    select id, next from inhouse_stream where project = $1 and session = $2 and subpath = $3
), state as (
    select coalesce((select next from stream), 0) as next,
           exists (select 1 from inhouse_entry where stream = (select id from stream)
                   and position >= $5 and position < $5 + cardinality($6) and epoch <> $4) as conflict
), extended as (
    update inhouse_stream s
    set next = greatest(s.next, $5 + cardinality($6)),
        modified = greatest(s.modified + 1, inhouse_now()),
        summary = case when $5 + cardinality($6) > s.next then coalesce($7, s.summary) else s.summary end
    from held, state, stream
    where s.id = stream.id and s.next >= $5 and not state.conflict and $5 + cardinality($6) > state.next
    returning s.id
), created as (
    insert into inhouse_stream as s (project, session, subpath, next, modified, summary)
    select $1, $2, $3, cardinality($6), inhouse_now(), $7 from held
    where $5 = 0 and cardinality($6) > 0 and not exists (select 1 from stream)
    on conflict (project, session, subpath) do update
    set next = greatest(s.next, excluded.next),
        modified = greatest(s.modified + 1, excluded.modified),
        summary = case when excluded.next > s.next then coalesce(excluded.summary, s.summary) else s.summary end
    returning id
), added as (
    insert into inhouse_entry (stream, position, epoch, body)
    select written.id, $5 + entry.number - 1, $4, entry.body
    from (select id from extended union all select id from created) as written,
         unnest($6) with ordinality as entry (body, number)
    on conflict do nothing
)
select (select count(*) from held), next, conflict,
       exists (select 1 from extended) or exists (select 1 from created) from state;
prepare release as with limits as materialized (select set_config('lock_timeout', '1s', true))
             update inhouse_session set owner = null, until = 0 from limits
             where project = $1 and session = $2 and epoch = $3 and owner = $4;
prepare done as select inhouse.done($1, $2, $3, $4, $5, $6);
\set prepared 1
\endif
\set number random(1, :sessions)
execute enqueue('session-:number', '9 sent at 2142150556702', 'session-:number', 0, null, null, gen_random_uuid(), '25000');
execute claim(':incarnation', 1, ':tenant', null) \gset
execute epoch('inhouse-fleet', ':session') \gset
\set epoch :greatest
execute acquire('inhouse-fleet', ':session', :epoch, 'owner-:client_id', 30000000);
execute end_of('inhouse-fleet', ':session', '') \gset main_
execute end_of('inhouse-fleet', ':session', 'results') \gset results_
execute stream('inhouse-fleet', ':session', 'results') \gset results_
execute page(:results_id, :results_next - 1);
execute stream('inhouse-fleet', ':session', '') \gset main_
execute page(:main_id, :main_next - 1);
execute end_of('inhouse-fleet', ':session', '');
execute journal('inhouse-fleet', ':session');
execute stream('inhouse-fleet', ':session', '') \gset main_
execute page(:main_id, 0);
execute subpaths('inhouse-fleet', ':session');
execute end_of('inhouse-fleet', ':session', 'results');
execute files('inhouse-fleet', ':session');
execute stream('inhouse-fleet', ':session', 'results') \gset results_
execute page(:results_id, :results_next - 1);
execute record(':session', :delivery, '{message}', array[':message']);
-- appends
execute append('inhouse-fleet', ':session', 'results', :epoch, :results_next, array[':message']::bytea[], null);
execute record(':session', :delivery, '{message}', array[':message']);
execute release('inhouse-fleet', ':session', :epoch, 'owner-:client_id');
execute done(':session', :delivery, 'inhouse-fleet', ':session', :epoch, ':message');
