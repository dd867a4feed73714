use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Kills every descendant of `ancestor`, in any process group, and leaves `ancestor` stopped.
///
/// The CLI runs the commands of its Bash tool in new sessions (2.1.325). It ends them on TERM, but not
/// when it is killed, and afterwards they cannot be found: a process whose parent is dead is
/// reparented. Therefore they are killed before the CLI.
///
/// Each process is stopped before its children are listed. A stopped parent starts no more children,
/// and reaps none, so that the numbers in the list stay valid. A signal takes effect with a delay, in
/// each thread separately, so a short window remains: a child that is started in it is missed unless it
/// stays in the group, which the caller kills. A descendant whose parent has already exited is missed
/// too.
pub(super) fn kill_descendants(ancestor: Pid) {
    let mut family = vec![ancestor];
    let mut listed = 0;
    while let Some(&parent) = family.get(listed) {
        let _ = kill_process(parent, Signal::STOP);
        family.extend(children(parent));
        listed += 1;
    }
    // Children before their parents: a stopped parent does not reap them, so their numbers stay taken.
    for &descendant in family[1..].iter().rev() {
        let _ = kill_process(descendant, Signal::KILL);
    }
}

/// Returns the children of all threads of a process; none if `/proc` does not list them.
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
