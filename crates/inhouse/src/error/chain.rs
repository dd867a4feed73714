use std::error::Error;

/// Returns the texts of an error and of its causes, joined by `: `.
pub(crate) fn error_chain(error: &(dyn Error + 'static)) -> String {
    let text = error.to_string();
    let causes = causes(&text, error.source());
    [vec![text], causes].concat().join(": ")
}

/// Returns the texts of a chain of causes, without those that an earlier text contains: many errors
/// include their cause in their own text.
pub(super) fn causes(text: &str, mut source: Option<&(dyn Error + 'static)>) -> Vec<String> {
    let mut causes: Vec<String> = Vec::new();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text)
            && !causes.iter().any(|earlier| earlier.contains(&cause_text))
        {
            causes.push(cause_text);
        }
        source = cause.source();
    }
    causes
}
