-- For the status and the metrics, which must not read all open sessions.
create index session_open on inhouse.session (ready_at) where state <> 'idle';
create index session_waiting on inhouse.session (ready_at) where state = 'ready';
create index work_oldest on inhouse.work (created) where state in ('queued', 'running');

-- Returns the oldest next prompt of the sessions that wait neither for a person nor for a time; no row if there is none.
--
-- The oldest prompt of a session is its next one. If a thousand prompts that wait for a person or a time are older, it is that of the session that is
-- ready for the longest time.
create function inhouse.oldest() returns table (work uuid, session text, created timestamptz) language sql stable as $$
    select o.id, o.session, o.created
    from (
        (select 1 as rank, w.id, w.session, w.created
         from (
             select q.id, q.session, q.created, q.not_before from inhouse.work q
             where q.state in ('queued', 'running') order by q.created limit 1000
         ) w
         join inhouse.session s on s.name = w.session
         where w.not_before <= clock_timestamp()
             and (s.state in ('ready', 'running') or s.state = 'delayed' and s.ready_at <= clock_timestamp())
         order by w.created limit 1)
        union all
        (select 2, w.id, w.session, w.created
         from (select s.name, s.work from inhouse.session s where s.state = 'ready' order by s.ready_at limit 1) s
         cross join lateral (
             (select q.id, q.session, q.created from inhouse.work q where q.id = s.work)
             union all
             (select q.id, q.session, q.created from inhouse.work q
              where s.work is null and q.session = s.name and q.state = 'queued' and q.not_before <= clock_timestamp()
              order by q.number limit 1)
         ) w)
    ) o
    order by o.rank limit 1
$$;
