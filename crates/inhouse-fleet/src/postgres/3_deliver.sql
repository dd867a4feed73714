-- Claims up to `wanted` sessions for a host. `after` is the tenant of its last claim: within a priority, tenants take turns. With `known`, the claims
-- of this host that are not in it come first: their delivery was lost.
--
-- Each step is one probe of an index, so the cost does not depend on the length of the queue. The settings keep a plan that was made for a small
-- table from scanning a large one.
create function inhouse.claim(me uuid, wanted integer, after text, known bigint[])
returns table (delivery bigint, prompt inhouse.work)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
    my_name text;
    -- A variable, because an index cannot be searched for a volatile function.
    moment timestamptz := clock_timestamp();
    s inhouse.session;
    w inhouse.work;
    level integer;
    -- Names of tenants are compared as the index has them, whatever the collation of the database.
    first text collate "C" := after;
    place text collate "C" := after;
    wrapped boolean := false;
    progress boolean := false;
    contended boolean := false;
    has_isolated boolean;
    candidate text collate "C";
    allowed integer;
begin
    -- The lock keeps the sweep from declaring this host dead meanwhile.
    select h.name into my_name from inhouse.host h where h.incarnation = me and not h.draining for key share;
    if not found then
        return;
    end if;
    if known is not null then
        return query
            select r.claim, q from inhouse.session r join inhouse.work q on q.id = r.work
            where r.host = me and r.state = 'running' and r.claim <> all (known) limit wanted;
        get diagnostics allowed = row_count;
        wanted := wanted - allowed;
    end if;

    for s in
        select * from inhouse.session d where d.state = 'delayed' and d.ready_at <= moment
        order by d.ready_at limit 100 for update skip locked
    loop
        if s.work is null then
            perform inhouse.advance(s.name);
        else
            update inhouse.session set state = 'ready' where name = s.name;
            perform pg_notify('inhouse_work', 'ready');
        end if;
    end loop;

    has_isolated := exists (select from inhouse.session r where r.host = me and r.state = 'running' and r.isolated);
    select max(r.priority) into level from inhouse.session r where r.state = 'ready';
    while wanted > 0 and level is not null loop
        select r.tenant into candidate from inhouse.session r
        where r.state = 'ready' and r.priority = level and r.tenant > place order by r.tenant limit 1;
        if not found or wrapped and candidate > first then
            if not wrapped then
                wrapped := true;
                place := '';
            else
                -- Another round of this level if this one found something, else the next lower level.
                if not progress then
                    select max(r.priority) into level from inhouse.session r where r.state = 'ready' and r.priority < level;
                end if;
                wrapped := false;
                progress := false;
                place := first;
            end if;
            continue;
        end if;
        place := candidate;

        select t.max_active into allowed from inhouse.tenant t where t.name = candidate;
        if found then
            -- Without the lock first: claims for a tenant that has no room left must not meet, because those that meet are repeated.
            continue when allowed <= (select count(*) from inhouse.session r where r.tenant = candidate and r.state = 'running');
            select t.max_active into allowed from inhouse.tenant t where t.name = candidate for update skip locked;
            if not found then
                contended := true;
                continue;
            end if;
            continue when allowed <= (select count(*) from inhouse.session r where r.tenant = candidate and r.state = 'running');
        end if;
        select * into s from inhouse.session r
        where r.state = 'ready' and r.priority = level and r.tenant = candidate and not (r.isolated and has_isolated)
        order by r.ready_at limit 1 for update skip locked;
        continue when not found;

        if s.work is null then
            moment := clock_timestamp();
            select * into w from inhouse.work q
            where q.session = s.name and q.state = 'queued' and q.not_before <= moment order by q.number limit 1;
        else
            select * into w from inhouse.work q where q.id = s.work;
        end if;
        -- Another prompt may have become the first one, by its time or because it was retried. Its tenant and priority count.
        if not found or w.tenant <> s.tenant or w.priority <> s.priority then
            perform inhouse.advance(s.name);
            continue;
        end if;
        delivery := nextval('inhouse.claims');
        prompt := w;
        update inhouse.session r set state = 'running', work = w.id, host = me, claim = delivery where r.name = s.name;
        update inhouse.work q set state = 'running', host = my_name, started = coalesce(q.started, clock_timestamp()) where q.id = w.id;
        perform inhouse.add_event(w.id, case when w.started is null then 'started' else 'resumed' end, my_name);
        return next;
        wanted := wanted - 1;
        progress := true;
        has_isolated := has_isolated or s.isolated;
    end loop;
    if contended then
        perform pg_notify('inhouse_work', 'ready');
    end if;
end $$;

-- Returns a running session to the queue, or ends its prompt: as a person asked, or after too many attempts. The session is locked.
create function inhouse.give_back(named text, charged boolean, why text, max_attempts integer, pause interval, longest interval)
returns void language plpgsql as $$
declare
    w inhouse.work;
    ended text;
    wait interval := pause;
begin
    select q.* into w from inhouse.work q join inhouse.session s on s.work = q.id where s.name = named;
    if charged then
        perform inhouse.add_event(w.id, 'failed', why);
    end if;
    wait := least(pause * power(2, least(w.attempts + w.returns, 20)), longest);
    if w.stop is not null then
        ended := case w.stop when 'park' then 'parked' else 'cancelled' end;
        why := w.reason;
    elsif charged and w.attempts + 1 >= max_attempts then
        ended := 'parked';
    end if;
    update inhouse.work
    set state = 'queued', attempts = attempts + charged::integer, returns = returns + (not charged and pause > '0')::integer, reason = why
    where id = w.id;
    if ended is not null then
        perform inhouse.end_work(w.id, ended, why, null);
        perform inhouse.advance(named);
    else
        update inhouse.session
        set state = case when wait > '0' then 'delayed' else 'ready' end, ready_at = clock_timestamp() + wait,
            host = null, isolated = w.losses >= 2
        where name = named;
        perform pg_notify('inhouse_work', 'ready');
    end if;
end $$;

-- The functions below are for the host that has a claim. They return 'lost' if the session was taken from it, 'fenced' if its store has another
-- owner, and 'ok' otherwise.

create function inhouse.lock_claim(named text, delivery bigint) returns boolean language sql as $$
    select count(*) > 0 from (
        select from inhouse.session where name = named and claim = delivery and state = 'running' for update
    ) as locked;
$$;

-- Checks the epoch of the store in the same transaction that writes; the lock makes a new owner wait for it. The table is found in the search path,
-- as the store finds it.
create function inhouse.owns(in_project text, session_id text, in_epoch bigint) returns boolean language plpgsql as $$
begin
    perform from inhouse_session where project = in_project and session = session_id and epoch = in_epoch for share;
    return found;
end $$;

create function inhouse.done(named text, delivery bigint, in_project text, session_id text, in_epoch bigint, answer text)
returns text language plpgsql as $$
begin
    if not inhouse.lock_claim(named, delivery) then
        return 'lost';
    elsif not inhouse.owns(in_project, session_id, in_epoch) then
        return 'fenced';
    end if;
    perform inhouse.end_work(s.work, 'done', null, answer) from inhouse.session s where s.name = named;
    perform inhouse.advance(named);
    return 'ok';
end $$;

create function inhouse.returned(
    named text, delivery bigint, charged boolean, why text, max_attempts integer, pause interval, longest interval
) returns text language plpgsql as $$
begin
    if not inhouse.lock_claim(named, delivery) then
        return 'lost';
    end if;
    perform inhouse.give_back(named, charged, why, max_attempts, pause, longest);
    return 'ok';
end $$;

create function inhouse.record(named text, delivery bigint, kinds text[], bodies text[]) returns text language plpgsql as $$
declare
    of_work uuid;
begin
    -- A shared lock is enough: the host writes one batch after another.
    select work into of_work from inhouse.session where name = named and claim = delivery and state = 'running' for share;
    if not found then
        return 'lost';
    end if;
    insert into inhouse.event (work, kind, body) select of_work, kind, body from unnest(kinds, bodies) as e (kind, body);
    perform pg_notify('inhouse_event', of_work::text);
    return 'ok';
end $$;

-- Stores a question unless it is stored, and returns its answer in `given`.
--
-- The transcript keeps a deferred call whose prompt was cancelled or parked, and the CLI asks about it again in the turn of the next prompt. That
-- call is denied, whatever the answer to its question was: it was given for the other prompt.
create function inhouse.ask(
    named text, delivery bigint, in_project text, session_id text, in_epoch bigint,
    question_id uuid, call_id text, content text, ttl interval, out status text, out given text
) language plpgsql as $$
declare
    of_work uuid;
    q inhouse.question;
begin
    status := 'ok';
    if not inhouse.lock_claim(named, delivery) then
        status := 'lost';
        return;
    elsif not inhouse.owns(in_project, session_id, in_epoch) then
        status := 'fenced';
        return;
    end if;
    select work into of_work from inhouse.session where name = named;
    select * into q from inhouse.question where id = question_id;
    if not found and exists (
        select from inhouse.question o join inhouse.work w on w.id = o.work
        where o.session = named and o.call = call_id and o.work <> of_work and w.state <> 'done'
    ) then
        given := '{"decision":"deny","detail":"The prompt that asked for this call was cancelled or parked."}';
        return;
    elsif q.id is null then
        insert into inhouse.question (id, work, session, call, body, expires)
        values (question_id, of_work, named, call_id, content, clock_timestamp() + ttl);
        perform inhouse.add_event(of_work, 'question', content);
    elsif q.closed and q.answer is null then
        update inhouse.question set closed = false, expires = clock_timestamp() + ttl where id = question_id;
        perform inhouse.add_event(of_work, 'question', content);
    end if;
    given := q.answer;
end $$;

-- Ends a run that waits for answers. Questions that this run did not ask belong to calls that are not made any more.
create function inhouse.deferred(named text, delivery bigint, questions uuid[]) returns text language plpgsql as $$
declare
    of_work uuid;
begin
    if not inhouse.lock_claim(named, delivery) then
        return 'lost';
    end if;
    select work into of_work from inhouse.session where name = named;
    if (select stop is not null from inhouse.work where id = of_work) then
        perform inhouse.give_back(named, false, null, 1, '0', '0');
        return 'ok';
    end if;
    update inhouse.question set closed = true where work = of_work and answer is null and id <> all (questions);
    update inhouse.session set state = 'deferred', host = null where name = named;
    update inhouse.work set state = 'deferred' where id = of_work;
    perform inhouse.continue_deferred(named);
    return 'ok';
end $$;

-- Makes a deferred session ready if no question is open. The session is locked.
create function inhouse.continue_deferred(named text) returns void language plpgsql as $$
declare
    s inhouse.session;
begin
    select * into s from inhouse.session where name = named and state = 'deferred';
    if not found or exists (select from inhouse.question where work = s.work and answer is null and not closed) then
        return;
    end if;
    update inhouse.session set state = 'ready', ready_at = clock_timestamp() where name = named;
    update inhouse.work set state = 'queued' where id = s.work;
    perform pg_notify('inhouse_work', 'ready');
end $$;
