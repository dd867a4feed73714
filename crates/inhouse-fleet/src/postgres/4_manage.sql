-- Answers a question: 'ok', or why not: 'unknown', 'answered' or 'closed'. The first answer counts.
create function inhouse.answer(question_id uuid, content text) returns text language plpgsql as $$
declare
    named text;
    q inhouse.question;
begin
    select session into named from inhouse.question where id = question_id;
    perform from inhouse.session where name = named for update;
    select * into q from inhouse.question where id = question_id;
    if not found then
        return 'unknown';
    elsif q.answer is not null then
        return 'answered';
    elsif q.closed then
        return 'closed';
    end if;
    update inhouse.question set answer = content where id = question_id;
    perform inhouse.continue_deferred(named);
    return 'ok';
end $$;

-- Cancels or parks a prompt, and returns its state; null if there is none. A running one is stopped by its host.
create function inhouse.stop(target uuid, how text, why text) returns text language plpgsql as $$
declare
    named text;
    s inhouse.session;
    w inhouse.work;
begin
    select session into named from inhouse.work where id = target;
    select * into s from inhouse.session where name = named for update;
    select * into w from inhouse.work where id = target;
    if w.state = 'running' then
        update inhouse.work set stop = how, reason = why where id = target;
        perform pg_notify('inhouse_work', 'stop ' || target);
    elsif w.state in ('queued', 'deferred') then
        w.state := case how when 'park' then 'parked' else 'cancelled' end;
        perform inhouse.end_work(target, w.state, why, null);
        if s.work is null and s.state in ('ready', 'delayed') or s.work = target then
            perform inhouse.advance(named);
        end if;
    elsif w.state = 'parked' and how = 'cancel' then
        w.state := 'cancelled';
        perform inhouse.end_work(target, w.state, why, null);
    end if;
    return w.state;
end $$;

-- Queues a parked prompt again, in its former place, and returns its state before; null if there is none.
create function inhouse.retry(target uuid) returns text language plpgsql as $$
declare
    named text;
    s inhouse.session;
    w inhouse.work;
begin
    select session into named from inhouse.work where id = target;
    select * into s from inhouse.session where name = named for update;
    select * into w from inhouse.work where id = target;
    if w.state = 'parked' then
        update inhouse.work set state = 'queued', attempts = 0, losses = 0, returns = 0, finished = null where id = target;
        if s.state = 'idle' or s.state = 'delayed' and s.work is null then
            perform inhouse.advance(named);
        end if;
        perform pg_notify('inhouse_event', target::text);
    end if;
    return w.state;
end $$;

-- The three functions below lock several sessions, and skip those that others have locked: a transaction that enqueues for several sessions locks
-- them one after another when it commits, and would meet a function that waits in a deadlock.

-- Takes the sessions of dead hosts from them, and returns how many. The host `me` is alive, because it sweeps: after a pause of the whole process
-- its heartbeat may come later than its sweep.
--
-- A death is charged to a prompt only if it ran alone there, or was isolated after two deaths: its neighbours have done nothing.
create function inhouse.sweep(me uuid, max_attempts integer, pause interval, longest interval)
returns integer language plpgsql as $$
declare
    -- A variable, because an index cannot be searched for a volatile function.
    moment timestamptz := clock_timestamp();
    h inhouse.host;
    s inhouse.session;
    running bigint;
    taken bigint;
    total integer := 0;
    charged boolean;
begin
    for h in select * from inhouse.host where alive_until < moment and incarnation <> me for update skip locked loop
        select count(*) into running from inhouse.session where host = h.incarnation and state = 'running';
        taken := 0;
        for s in select * from inhouse.session where host = h.incarnation and state = 'running' for update skip locked loop
            charged := running = 1 or s.isolated;
            update inhouse.work set losses = losses + 1 where id = s.work;
            perform inhouse.give_back(s.name, charged, 'host ' || h.name || ' died', max_attempts,
                                      case when charged then pause else '0' end, longest);
            taken := taken + 1;
        end loop;
        if taken = running then
            delete from inhouse.host where incarnation = h.incarnation;
        end if;
        total := total + taken;
    end loop;
    return total;
end $$;

-- Denies calls whose questions have expired.
create function inhouse.expire() returns void language plpgsql as $$
declare
    moment timestamptz := clock_timestamp();
    q inhouse.question;
begin
    for q in select * from inhouse.question where expires < moment and answer is null and not closed limit 100 loop
        perform from inhouse.session where name = q.session for update skip locked;
        continue when not found;
        perform inhouse.answer(q.id, '{"decision":"deny","detail":"The question expired without an answer, so the call was not allowed."}');
    end loop;
end $$;

-- Ends a host: what it still has returns to the queue. False if sessions were locked, so that it has to be called again.
create function inhouse.leave(me uuid) returns boolean language plpgsql as $$
declare
    named text;
begin
    perform from inhouse.host where incarnation = me for update;
    for named in select name from inhouse.session where host = me and state = 'running' for update skip locked loop
        perform inhouse.give_back(named, false, null, 1, '0', '0');
    end loop;
    if exists (select from inhouse.session where host = me and state = 'running') then
        return false;
    end if;
    delete from inhouse.host where incarnation = me;
    return true;
end $$;

-- Removes work that ended long ago, and sessions that have none left. The numbers of such a session begin again.
create function inhouse.purge(retention interval) returns void language plpgsql as $$
declare
    moment timestamptz := clock_timestamp();
    old uuid[];
    empty text[] := '{}';
    named text;
begin
    old := array(select id from inhouse.work where finished < moment - retention and state <> 'parked' limit 500
                 for update skip locked);
    for named in
        select distinct w.session from inhouse.work w where w.id = any (old)
        and not exists (select from inhouse.work o where o.session = w.session and o.id <> all (old))
    loop
        -- A session that is in use keeps its last work until the next time.
        perform from inhouse.counter where session = named for update skip locked;
        if found then
            perform from inhouse.session where name = named and state = 'idle' for update skip locked;
        end if;
        if not found or exists (select from inhouse.work o where o.session = named and o.id <> all (old)) then
            old := array(select w.id from inhouse.work w where w.id = any (old) and w.session <> named);
        else
            empty := empty || named;
        end if;
    end loop;
    delete from inhouse.event where work = any (old);
    delete from inhouse.question where work = any (old);
    delete from inhouse.work where id = any (old);
    delete from inhouse.session where name = any (empty);
    delete from inhouse.counter where session = any (empty);
end $$;

-- Erases the prompts of a session and what belongs to them; false if one of them is running.
create function inhouse.erase(named text) returns boolean language plpgsql as $$
begin
    perform from inhouse.counter where session = named for update;
    perform from inhouse.session where name = named for update;
    if exists (select from inhouse.session where name = named and state = 'running') then
        return false;
    end if;
    delete from inhouse.event where work in (select id from inhouse.work where session = named);
    delete from inhouse.question where session = named;
    delete from inhouse.work where session = named;
    delete from inhouse.session where name = named;
    delete from inhouse.counter where session = named;
    return true;
end $$;

-- Returns for how many seconds the session that waits longest has waited for a slot; 0 if none waits. For autoscalers, so without the tenants that
-- have reached their limit: further hosts would not help them.
create function inhouse.queue_age() returns double precision
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    with full_tenant as materialized (
        select t.name from inhouse.tenant t
        where t.max_active <= (select count(*) from inhouse.session r where r.tenant = t.name and r.state = 'running')
    )
    select coalesce(extract(epoch from clock_timestamp() - min(s.ready_at)), 0)::double precision
    from inhouse.session s where s.state = 'ready' and s.tenant not in (select f.name from full_tenant f);
$$;
