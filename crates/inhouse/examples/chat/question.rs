use inhouse::question::{Answers, Question, QuestionOption, QuestionRequest};
use inhouse::{Asked, HandlerError};

use crate::terminal::{Menu, Picked, Terminal};

/// Asks the user the model's questions, one after another.
pub(crate) async fn answer(
    terminal: &Terminal,
    asked: Asked<QuestionRequest>,
) -> Result<Answers, HandlerError> {
    let mut answers = Answers::new();
    for question in &asked.request.questions {
        let picked = terminal.ask(menu(question)).await?;
        answers = add(answers, question, picked);
    }
    Ok(answers)
}

fn menu(question: &Question) -> Menu {
    let several = question.multi_select == Some(true);
    let menu = Menu::new(&question.question, "In your own words").several(several);
    let options = question.options.iter();
    options.fold(menu, |menu, option| {
        menu.explained(
            &option.label,
            option.description.as_deref().unwrap_or_default(),
        )
    })
}

fn add(answers: Answers, question: &Question, picked: Picked) -> Answers {
    let chosen: Vec<&QuestionOption> = picked
        .options
        .iter()
        .map(|&index| &question.options[index])
        .collect();
    if picked.words.is_empty() {
        return answers.choose(question, chosen);
    }
    let labels = chosen.iter().map(|option| option.label.as_str());
    let words: Vec<&str> = labels.chain([picked.words.as_str()]).collect();
    answers.text(question, words.join(", "))
}
