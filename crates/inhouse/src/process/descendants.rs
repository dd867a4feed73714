use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Kills everything that descends from `ancestor`, in whatever group it is.
///
/// The CLI runs the commands of its Bash tool in sessions of their own (2.1.325). It ends them when
/// it is asked to end, but not when it is killed, and then nothing leads to them any more: a process
/// whose parent is dead has no other ancestors. So they are looked for before that.
///
/// Each process is told to stop before its children are listed: a stopped parent starts no more of
/// them, and reaps none whose number could then be given to a stranger. But a signal takes effect
/// only when the process gets to it, and its threads one by one, so that a parent may still do either
/// in the moment after. This makes that moment short; it does not close it. The ancestor stays
/// stopped, for the caller to kill.
///
/// A child that is started in that moment is missed unless it stays in the group, which the caller
/// kills. So is a descendant whose own parent has already ended.
pub(super) fn kill_descendants(ancestor: Pid) {
    let mut family = vec![ancestor];
    let mut listed = 0;
    while let Some(&parent) = family.get(listed) {
        let _ = kill_process(parent, Signal::STOP);
        family.extend(children(parent));
        listed += 1;
    }
    // The youngest first: a parent that is stopped does not reap it, and so keeps its number taken.
    for &descendant in family[1..].iter().rev() {
        let _ = kill_process(descendant, Signal::KILL);
    }
}

/// The children of all threads of a process; none if the system does not tell.
fn children(parent: Pid) -> Vec<Pid> {
    let threads = fs::read_dir(format!("/proc/{parent}/task"));
    let lists = threads
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let mut children = Vec::new();
    for list in lists {
        let pids = list.split_ascii_whitespace();
        children.extend(pids.filter_map(|pid| Pid::from_raw(pid.parse().ok()?)));
    }
    children
}
