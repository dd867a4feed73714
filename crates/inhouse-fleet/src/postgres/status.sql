-- The state of the fleet as one JSON text. Times are milliseconds since 1970.
--
-- Counts are complete, and come from indexes that have only open rows. Lists are cut before anything is looked up for their rows, so a status of
-- 100,000 open sessions reads little more than one of 10,000.
with chosen_session as materialized (
    select s.* from inhouse.session s where s.state <> 'idle' order by s.ready_at limit 10000
), shown_session as materialized (
    -- With the prompt that has begun, else the next one.
    select s.name, s.tenant, s.state, s.priority, s.ready_at, h.name as host, w.*
    from chosen_session s
    cross join lateral (
        (select q.id, q.prompt, q.created, q.started, q.attempts, q.reason, q.stop from inhouse.work q where q.id = s.work)
        union all
        (select q.id, q.prompt, q.created, q.started, q.attempts, q.reason, q.stop from inhouse.work q
         where s.work is null and q.session = s.name and q.state = 'queued' order by q.number limit 1)
    ) w
    left join inhouse.host h on h.incarnation = s.host
), open_question as (
    select * from inhouse.question where answer is null and not closed
), parked as (
    select * from inhouse.work where state = 'parked'
), counted as (
    select count(*) filter (where state = 'queued') as queued, count(*) filter (where state = 'running') as running,
           count(*) filter (where state = 'deferred') as deferred
    from inhouse.work where state in ('queued', 'running', 'deferred')
)
select json_build_object(
    'now', inhouse.milliseconds(clock_timestamp()),
    'queue', json_build_object(
        'queued', counted.queued,
        'running', counted.running,
        'deferred', counted.deferred,
        'delayed', (select count(*) from inhouse.session where state = 'delayed'),
        'parked', (select count(*) from parked),
        'sessions', (select count(*) from inhouse.session where state <> 'idle'),
        'questions', (select count(*) from open_question),
        'oldest', (
            select json_build_object('work', work, 'session', session, 'created', inhouse.milliseconds(created)) from inhouse.oldest()
        )
    ),
    'hosts', (
        select coalesce(json_agg(json_build_object(
            'name', h.name, 'incarnation', h.incarnation, 'slots', h.slots, 'draining', h.draining,
            'active', (select count(*) from inhouse.session s where s.host = h.incarnation and s.state = 'running'),
            'since', inhouse.milliseconds(h.since), 'alive_until', inhouse.milliseconds(h.alive_until)
        ) order by h.name, h.since), '[]') from inhouse.host h
    ),
    'sessions', (
        select coalesce(json_agg(json_build_object(
            'name', s.name, 'tenant', s.tenant, 'state', s.state, 'priority', s.priority,
            'ready_at', inhouse.milliseconds(s.ready_at), 'work', s.id, 'prompt', left(s.prompt, 200),
            'created', inhouse.milliseconds(s.created), 'started', inhouse.milliseconds(s.started),
            'queued', (select count(*) from (
                select from inhouse.work q where q.session = s.name and q.state = 'queued' limit 1000
            ) waiting),
            'attempts', s.attempts, 'host', s.host, 'reason', s.reason, 'stopping', s.stop is not null
        ) order by s.created), '[]') from shown_session s
    ),
    'parked', (
        select coalesce(json_agg(json_build_object(
            'work', p.id, 'session', p.session, 'tenant', p.tenant, 'prompt', left(p.prompt, 200), 'attempts', p.attempts,
            'reason', p.reason, 'created', inhouse.milliseconds(p.created), 'parked', inhouse.milliseconds(p.finished)
        ) order by p.finished desc), '[]') from (select * from parked order by finished desc limit 1000) p
    ),
    'questions', (
        -- The body stays a text here: PostgreSQL would have to accept every escape in the input of the call.
        select coalesce(json_agg(json_build_object(
            'question', q.body, 'asked', inhouse.milliseconds(q.asked), 'expires', inhouse.milliseconds(q.expires)
        ) order by q.asked), '[]') from (select * from open_question order by asked limit 1000) q
    )
)::text from counted
