use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Kills everything that descends from `ancestor`, in whatever group it is.
///
/// The CLI runs the commands of its Bash tool in sessions of their own (2.1.325). It ends them when
/// it is asked to end, but not when it is killed, and then nothing leads to them any more: a process
/// whose parent is dead has no other ancestors. So they are looked for before that.
///
/// Each process is stopped before its children are listed. A stopped parent starts no more of them
/// and reaps none, so a number that was read cannot be given to a stranger before it is used. The
/// ancestor stays stopped, for the caller to kill.
///
/// A descendant whose own parent has already ended is not found.
pub(super) fn kill_descendants(ancestor: Pid) {
    let mut family = vec![ancestor];
    let mut listed = 0;
    while let Some(&parent) = family.get(listed) {
        let _ = kill_process(parent, Signal::STOP);
        family.extend(children(parent));
        listed += 1;
    }
    // The youngest first, while their parents are still there and stopped.
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
