use std::sync::{Arc, Mutex, PoisonError};

use inhouse::tool;
use inhouse::tool::{State, ToolError, ToolServer};

/// Things to do: state of the program, on which its tools work.
#[derive(Clone, Default)]
pub(crate) struct ToDoList(Arc<Mutex<Vec<Entry>>>);

struct Entry {
    what: String,
    done: bool,
}

impl ToDoList {
    /// The entries, one line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.with(|entries| {
            let numbered = entries.iter().zip(1..);
            numbered
                .map(|(entry, number)| {
                    let mark = if entry.done { 'x' } else { ' ' };
                    format!("{number}. [{mark}] {}", entry.what)
                })
                .collect()
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Vec<Entry>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The tools `mcp__todo__add`, `mcp__todo__finish` and `mcp__todo__list`.
pub(crate) fn server(list: ToDoList) -> ToolServer<ToDoList> {
    ToolServer::with_state("todo", list)
        .instructions("A to-do list that the user sees, too.")
        .tool(add::tool())
        .tool(finish::tool())
        .tool(list::tool())
}

/// Put something on the user's to-do list.
#[tool]
async fn add(
    State(list): State<ToDoList>,
    /** What is to be done, in a few words */
    what: String,
) -> String {
    list.with(|entries| {
        entries.push(Entry { what, done: false });
        format!("added as number {}", entries.len())
    })
}

/// Tick an entry of the user's to-do list off.
#[tool]
async fn finish(
    State(list): State<ToDoList>,
    /** Its number */
    number: usize,
) -> Result<String, ToolError> {
    list.with(|entries| {
        let at = number.checked_sub(1);
        let entry = at.and_then(|at| entries.get_mut(at));
        let entry = entry.ok_or_else(|| ToolError::new("there is no such number; list them"))?;
        entry.done = true;
        Ok(format!("done: {}", entry.what))
    })
}

/// The user's to-do list.
#[tool(read_only)]
async fn list(State(list): State<ToDoList>) -> String {
    match list.lines() {
        lines if lines.is_empty() => "nothing to do".to_owned(),
        lines => lines.join("\n"),
    }
}
