use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, Ident, Lit, LitStr};

use crate::problems::Problems;
use crate::setting::{Setting, literal};

/// What `#[tool(…)]` says about one tool.
#[derive(Default)]
pub(crate) struct ToolSettings {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) blocking: Option<Ident>,
    /// Calls of the methods of `Tool` that say the rest. Settings are named like these methods, so
    /// that the compiler checks their values, and points at them.
    pub(crate) methods: Vec<TokenStream>,
}

impl ToolSettings {
    pub(crate) fn read(tokens: TokenStream, problems: &mut Problems) -> Self {
        let mut settings = Self::default();
        let list = Setting::list(tokens, problems);
        for setting in &list {
            if let Err(problem) = settings.apply(setting) {
                problems.add(problem);
            }
        }
        let find = |name| list.iter().find(|setting| setting.name == name);
        if let (Some(read_only), Some(destructive)) = (find("read_only"), find("destructive"))
            && is_true(&read_only.switch())
            && is_true(&destructive.switch())
        {
            problems.at(
                &destructive.name,
                "a tool that is `read_only` destroys nothing: leave out one of the two",
            );
        }
        settings
    }

    fn apply(&mut self, setting: &Setting) -> syn::Result<()> {
        let name = &setting.name;
        match name.to_string().as_str() {
            "name" => self.name = Some(setting.plain_name("\"add\"")?),
            "description" => {
                self.description = Some(setting.value("\"Add two numbers\"")?.clone());
            }
            "blocking" => {
                setting.flag()?;
                self.blocking = Some(name.clone());
            }
            "always_load" => {
                setting.flag()?;
                self.methods.push(quote!(.#name()));
            }
            "read_only" | "destructive" | "idempotent" | "open_world" => {
                let value = setting.switch();
                self.methods.push(quote!(.#name(#value)));
            }
            "title" | "search_hint" => self.pass(name, setting.value("\"…\"")?),
            "max_result_size" => self.pass(name, setting.value("100_000")?),
            "concurrency" => self.pass(name, setting.value("4")?),
            "timeout" => self.pass(name, duration(setting)?),
            "server" | "version" | "instructions" => {
                return Err(syn::Error::new_spanned(
                    name,
                    format!("`{name}` belongs to the `#[tool(server = \"…\")]` of an impl block"),
                ));
            }
            _ => {
                return Err(syn::Error::new_spanned(
                    name,
                    format!(
                        "`{name}` is not a setting of a tool; there are `name`, `description`, \
                         `title`, `read_only`, `destructive`, `idempotent`, `open_world`, \
                         `always_load`, `search_hint`, `max_result_size`, `timeout`, \
                         `concurrency` and `blocking`"
                    ),
                ));
            }
        }
        Ok(())
    }

    fn pass(&mut self, name: &Ident, value: &Expr) {
        self.methods.push(quote!(.#name(#value)));
    }
}

fn is_true(value: &Expr) -> bool {
    matches!(literal(value), Some(Lit::Bool(value)) if value.value())
}

/// The value of `timeout`. There is no literal for a `Duration`, and people will try some.
pub(crate) fn duration(setting: &Setting) -> syn::Result<&Expr> {
    const EXAMPLE: &str = "Duration::from_secs(5)";
    let value = setting.value(EXAMPLE)?;
    match literal(value) {
        Some(literal) => Err(syn::Error::new_spanned(
            literal,
            format!("a timeout is a `Duration`: `timeout = {EXAMPLE}`"),
        )),
        None => Ok(value),
    }
}
