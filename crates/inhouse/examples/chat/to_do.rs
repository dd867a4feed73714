use std::sync::{Arc, Mutex, PoisonError};

use inhouse::tool;
use inhouse::tool::{State, ToolError, ToolServer};

/// A to-do list: state of the program that its tools change.
#[derive(Clone, Default)]
pub(crate) struct ToDoList(Arc<Mutex<Vec<Entry>>>);

struct Entry {
    text: String,
    done: bool,
}

impl ToDoList {
    /// Returns the entries, one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.with(|entries| {
            let numbered = entries.iter().zip(1..);
            numbered
                .map(|(entry, number)| {
                    let mark = if entry.done { 'x' } else { ' ' };
                    format!("{number}. [{mark}] {}", entry.text)
                })
                .collect()
        })
    }

    fn with<T>(&self, use_entries: impl FnOnce(&mut Vec<Entry>) -> T) -> T {
        use_entries(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Returns a server with the tools `add`, `finish` and `list`.
pub(crate) fn server(list: ToDoList) -> ToolServer<ToDoList> {
    ToolServer::with_state("todo", list)
        .instructions("A to-do list that the user can see.")
        .tool(add::tool())
        .tool(finish::tool())
        .tool(list::tool())
}

/// Add an entry to the user's to-do list.
#[tool]
async fn add(
    State(list): State<ToDoList>,
    /** The task, in a few words */
    what: String,
) -> String {
    list.with(|entries| {
        entries.push(Entry {
            text: what,
            done: false,
        });
        format!("added as number {}", entries.len())
    })
}

/// Mark an entry of the user's to-do list as done.
#[tool]
async fn finish(
    State(list): State<ToDoList>,
    /** The number of the entry */
    number: usize,
) -> Result<String, ToolError> {
    list.with(|entries| {
        let at = number.checked_sub(1);
        let entry = at.and_then(|at| entries.get_mut(at));
        let entry =
            entry.ok_or_else(|| ToolError::new("no such number: list the entries first"))?;
        entry.done = true;
        Ok(format!("done: {}", entry.text))
    })
}

/// List the entries of the user's to-do list.
#[tool(read_only)]
async fn list(State(list): State<ToDoList>) -> String {
    match list.lines() {
        lines if lines.is_empty() => "nothing to do".to_owned(),
        lines => lines.join("\n"),
    }
}
