use inhouse::control::outgoing::SlashCommand;

use crate::terminal::Completion;

/// The commands of the program.
pub(crate) const OWN: [(&str, &str); 3] = [
    ("/help", "List the keys and commands"),
    ("/todo", "Show the to-do list"),
    ("/quit", "End the conversation"),
];

/// Returns the commands that the prompt completes: those of the program, then those of the session.
pub(crate) fn completions(session: &[SlashCommand]) -> Vec<Completion> {
    let own = OWN.map(|(name, description)| Completion {
        name: name.to_owned(),
        description: description.to_owned(),
    });
    let session = session.iter().map(|command| Completion {
        name: format!("/{}", command.name),
        description: command.description.clone(),
    });
    let session = session.filter(|command| !own.iter().any(|own| own.name == command.name));
    let mut session: Vec<Completion> = session.collect();
    session.sort_by(|a, b| a.name.cmp(&b.name));
    own.into_iter().chain(session).collect()
}
