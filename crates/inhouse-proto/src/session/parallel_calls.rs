use std::collections::{HashMap, HashSet};

use foldhash::fast::FixedState;

use super::conversation::{ASSISTANT, SIDECHAIN, Slot, TOOL_RESULT};

/// The tool calls and results of a transcript, by hashes of their ids.
#[derive(Debug, Default)]
pub(super) struct ToolLinks {
    /// Each call, and the assistant entry that made it.
    uses: Vec<(Call, u32)>,
    /// Each call that is not the first that a user entry answers, and that entry.
    results: Vec<(u64, u32)>,
    /// Results whose call is not in their parent, and the assistant entry with the call.
    sources: Vec<(u32, u32)>,
}

impl ToolLinks {
    pub(super) fn push_use(&mut self, call: u64, slot: u32) {
        self.uses.push((Call::new(call), slot));
    }

    pub(super) fn push_result(&mut self, call: u64, slot: u32) {
        self.results.push((call, slot));
    }

    pub(super) fn push_source(&mut self, result: u32, assistant: u32) {
        self.sources.push((result, assistant));
    }
}

/// A hash of a call's id, in two parts so that a pair with a slot has no padding.
#[derive(Clone, Copy, Debug)]
struct Call([u32; 2]);

impl Call {
    fn new(hash: u64) -> Self {
        Self([(hash >> 32) as u32, hash as u32])
    }

    fn hash(self) -> u64 {
        u64::from(self.0[0]) << 32 | u64::from(self.0[1])
    }
}

/// The entries of one API response that are not on the chain.
#[derive(Default)]
struct Group {
    siblings: Vec<u32>,
    results: Vec<u32>,
}

/// Inserts the parallel tool calls of each response, and their results, into the chain.
///
/// The CLI writes one assistant entry for each content block, and the result of a call is a child of the call's entry.
/// With parallel calls the transcript branches there, and only one of the branches is on the chain. The other entries
/// are inserted after the last entry of their response on the chain: first the calls, then the results.
pub(super) fn insert_parallel_calls(
    slots: &[Slot],
    links: &ToolLinks,
    chain: Vec<u32>,
) -> Vec<u32> {
    let mut is_on_chain = vec![false; slots.len()];
    for slot in &chain {
        is_on_chain[*slot as usize] = true;
    }
    let off_chain = |flag| {
        let slots = slots.iter().enumerate();
        let found = slots.filter(move |(_, slot)| slot.is(flag));
        found
            .map(|(at, _)| at as u32)
            .filter(|at| !is_on_chain[*at as usize])
    };
    let mut loose_results: Vec<u32> = off_chain(TOOL_RESULT).collect();
    let mut siblings = off_chain(ASSISTANT)
        .filter(|at| slots[*at as usize].hash != 0)
        .peekable();
    if siblings.peek().is_none() && loose_results.is_empty() {
        return chain;
    }

    // The last entry of each response on the chain.
    let mut last_of: HashMap<u64, u32, FixedState> = HashMap::default();
    for slot in &chain {
        let value = slots[*slot as usize];
        if value.is(ASSISTANT) && value.hash != 0 {
            last_of.insert(value.hash, *slot);
        }
    }
    let mut groups: HashMap<u64, Group, FixedState> = HashMap::default();
    for sibling in siblings {
        let message = slots[sibling as usize].hash;
        if last_of.contains_key(&message) {
            groups.entry(message).or_default().siblings.push(sibling);
        }
    }

    let further = links.results.iter();
    let mut answered: HashSet<u64, FixedState> = chain
        .iter()
        .map(|slot| slots[*slot as usize])
        .filter(|slot| slot.is(TOOL_RESULT))
        .map(|slot| slot.hash)
        .chain(further.filter_map(|(call, slot)| is_on_chain[*slot as usize].then_some(*call)))
        .collect();
    let calls_of = calls_by_result(slots, links, &loose_results);
    loose_results.sort_unstable_by_key(|result| slots[*result as usize].position());
    let is_response = |slot: &u32| {
        let value = slots.get(*slot as usize)?;
        (value.is(ASSISTANT) && last_of.contains_key(&value.hash)).then_some(value.hash)
    };
    let mut distant = Vec::new();
    for result in loose_results {
        match is_response(&slots[result as usize].parent) {
            Some(message) => {
                groups.entry(message).or_default().results.push(result);
                answered.extend(&calls_of[&result]);
            }
            None => distant.push(result),
        }
    }
    // A result whose parent is elsewhere is used only for a call that has no other answer.
    let sources: HashMap<u32, u32, FixedState> = links.sources.iter().copied().collect();
    let callers = callers(slots, links);
    for result in distant {
        let calls = &calls_of[&result];
        let callers = calls.iter().filter_map(|call| callers.get(call)?.as_ref());
        let message = sources
            .get(&result)
            .into_iter()
            .chain(callers)
            .filter(|caller| is_same_agent(slots, **caller, result))
            .find_map(is_response);
        if let Some(message) = message
            && calls.iter().any(|call| !answered.contains(call))
        {
            groups.entry(message).or_default().results.push(result);
            answered.extend(calls);
        }
    }

    let mut order = Vec::with_capacity(chain.len());
    for slot in chain {
        order.push(slot);
        let value = slots[slot as usize];
        if value.is(ASSISTANT) && last_of.get(&value.hash) == Some(&slot) {
            let group = groups.remove(&value.hash).unwrap_or_default();
            for mut entries in [group.siblings, group.results] {
                entries.sort_by_key(|entry| {
                    let entry = slots[*entry as usize];
                    // Relative to the response, because only the low bits of times are known.
                    let after = entry.time.wrapping_sub(value.time).cast_signed();
                    (after, entry.position())
                });
                order.extend(entries);
            }
        }
    }
    order
}

/// Returns the calls that each of the results answers.
fn calls_by_result(
    slots: &[Slot],
    links: &ToolLinks,
    results: &[u32],
) -> HashMap<u32, Vec<u64>, FixedState> {
    let mut calls: HashMap<u32, Vec<u64>, FixedState> = results
        .iter()
        .map(|result| (*result, vec![slots[*result as usize].hash]))
        .collect();
    for (call, slot) in &links.results {
        if let Some(calls) = calls.get_mut(slot) {
            calls.push(*call);
        }
    }
    calls
}

/// Returns the entry that made each call; `None` for an id that two responses use.
fn callers(slots: &[Slot], links: &ToolLinks) -> HashMap<u64, Option<u32>, FixedState> {
    let mut callers: HashMap<u64, Option<u32>, FixedState> = HashMap::default();
    for (call, slot) in &links.uses {
        let message = slots[*slot as usize].hash;
        callers
            .entry(call.hash())
            .and_modify(|caller| {
                *caller = caller.filter(|other| slots[*other as usize].hash == message);
            })
            .or_insert(Some(*slot));
    }
    callers
}

fn is_same_agent(slots: &[Slot], one: u32, other: u32) -> bool {
    let [one, other] = [one, other].map(|slot| slots[slot as usize]);
    one.is(SIDECHAIN) == other.is(SIDECHAIN) && one.agent == other.agent
}
