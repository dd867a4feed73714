//! The settings in `#[tool(…)]`, for tools and for servers.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Token, parse_quote};

use crate::errors::Errors;

const NAME_RULE: &str = "a name consists of ASCII letters, digits, `_` and `-`";

/// The settings of one tool.
#[derive(Default)]
pub(crate) struct ToolSettings {
    pub(crate) name: Option<LitStr>,
    pub(crate) description: Option<Expr>,
    pub(crate) blocking: Option<Ident>,
    /// Method calls on `Tool` for all other settings. Each setting has the name of its method, so
    /// that the compiler checks the values and reports errors at them.
    pub(crate) methods: Vec<TokenStream>,
}

/// The settings of a server, on an impl block.
#[derive(Default)]
pub(crate) struct ServerSettings {
    pub(crate) name: Option<LitStr>,
    /// Method calls on `ToolServer` for all other settings.
    pub(crate) methods: Vec<TokenStream>,
}

/// A setting with its value, if it has one: `read_only` or `title = "Add"`.
struct Setting {
    name: Ident,
    value: Option<Expr>,
}

impl ToolSettings {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut settings = Self::default();
        let list = parse(tokens, errors, |setting| settings.apply(setting));
        if is_true(&list, "read_only")
            && is_true(&list, "destructive")
            && let Some(setting) = find(&list, "destructive")
        {
            errors.at(
                &setting.name,
                "a `read_only` tool cannot be `destructive`: remove one of the two",
            );
        }
        settings
    }

    fn apply(&mut self, setting: &Setting) -> syn::Result<()> {
        let name = &setting.name;
        let value = match name.to_string().as_str() {
            "name" => {
                self.name = Some(setting.valid_name("\"add\"")?);
                return Ok(());
            }
            "description" => {
                self.description = Some(setting.value("\"Add two numbers\"")?.clone());
                return Ok(());
            }
            "blocking" => {
                setting.flag()?;
                self.blocking = Some(name.clone());
                return Ok(());
            }
            "always_load" => {
                setting.flag()?;
                self.methods.push(quote!(.#name()));
                return Ok(());
            }
            "read_only" | "destructive" | "idempotent" | "open_world" => &setting.bool_value(),
            "title" | "search_hint" => setting.value("\"…\"")?,
            "max_result_size" => setting.value("100_000")?,
            "concurrency" => setting.value("4")?,
            "timeout" => setting.duration()?,
            "server" | "version" | "instructions" => {
                return Err(syn::Error::new_spanned(
                    name,
                    format!(
                        "`{name}` is a setting of a server: use it in `#[tool(server = \"…\")]` on \
                         an impl block"
                    ),
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
        };
        self.methods.push(quote!(.#name(#value)));
        Ok(())
    }
}

impl ServerSettings {
    pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut settings = Self::default();
        let list = parse(tokens, errors, |setting| settings.apply(setting));
        if find(&list, "server").is_none() && errors.is_empty() {
            errors.add(syn::Error::new(
                Span::call_site(),
                "a server needs a name: `#[tool(server = \"calc\")]`",
            ));
        }
        settings
    }

    fn apply(&mut self, setting: &Setting) -> syn::Result<()> {
        let name = &setting.name;
        let value = match name.to_string().as_str() {
            "server" => {
                self.name = Some(setting.valid_name("\"calc\"")?);
                return Ok(());
            }
            "version" => setting.value("\"1.0.0\"")?,
            "instructions" => setting.value("\"…\"")?,
            "timeout" => setting.duration()?,
            "concurrency" => setting.value("4")?,
            _ => {
                return Err(syn::Error::new_spanned(
                    name,
                    format!(
                        "`{name}` is not a setting of a server; there are `server`, `version`, \
                         `instructions`, `timeout` and `concurrency`; use the settings of a tool \
                         in the `#[tool]` of its method"
                    ),
                ));
            }
        };
        self.methods.push(quote!(.#name(#value)));
        Ok(())
    }
}

/// Parses a list of settings, applies each, and reports duplicates.
fn parse(
    tokens: TokenStream,
    errors: &mut Errors,
    mut apply: impl FnMut(&Setting) -> syn::Result<()>,
) -> Vec<Setting> {
    let list = Punctuated::<Setting, Token![,]>::parse_terminated.parse2(tokens);
    let settings: Vec<Setting> = match list {
        Ok(list) => list.into_iter().collect(),
        Err(error) => {
            errors.add(error);
            Vec::new()
        }
    };
    for (index, setting) in settings.iter().enumerate() {
        let name = &setting.name;
        if settings[..index].iter().any(|other| other.name == *name) {
            errors.at(name, format!("duplicate setting `{name}`"));
        }
        if let Err(error) = apply(setting) {
            errors.add(error);
        }
    }
    settings
}

fn find<'a>(settings: &'a [Setting], name: &str) -> Option<&'a Setting> {
    settings.iter().find(|setting| setting.name == name)
}

fn is_true(settings: &[Setting], name: &str) -> bool {
    find(settings, name).is_some_and(
        |setting| matches!(literal(&setting.bool_value()), Some(Lit::Bool(value)) if value.value()),
    )
}

impl Setting {
    /// Checks that the setting has no value.
    fn flag(&self) -> syn::Result<()> {
        let name = &self.name;
        match &self.value {
            Some(value) => Err(syn::Error::new_spanned(
                value,
                format!("`{name}` takes no value: write it to enable it, or leave it out"),
            )),
            None => Ok(()),
        }
    }

    /// Returns the value of a boolean setting; the name alone means `true`.
    fn bool_value(&self) -> Expr {
        self.value.clone().unwrap_or_else(|| parse_quote!(true))
    }

    /// Returns the value, which is required.
    fn value(&self, example: &str) -> syn::Result<&Expr> {
        let name = &self.name;
        self.value.as_ref().ok_or_else(|| {
            syn::Error::new_spanned(
                name,
                format!("`{name}` needs a value: `{name} = {example}`"),
            )
        })
    }

    /// Returns a value that is not a literal: users try `timeout = 5` and `timeout = "5s"`.
    fn duration(&self) -> syn::Result<&Expr> {
        const EXAMPLE: &str = "Duration::from_secs(5)";
        let value = self.value(EXAMPLE)?;
        match literal(value) {
            Some(literal) => Err(syn::Error::new_spanned(
                literal,
                format!("a timeout is a `Duration`: `timeout = {EXAMPLE}`"),
            )),
            None => Ok(value),
        }
    }

    /// Returns a name that the CLI leaves unchanged: it replaces other characters by `_`.
    fn valid_name(&self, example: &str) -> syn::Result<LitStr> {
        let value = self.value(example)?;
        match literal(value) {
            Some(Lit::Str(name)) if is_valid_name(&name.value()) => Ok(name.clone()),
            Some(Lit::Str(name)) => Err(syn::Error::new_spanned(name, NAME_RULE)),
            _ => Err(syn::Error::new_spanned(
                value,
                format!(
                    "a name must be a string literal: `{} = {example}`",
                    self.name
                ),
            )),
        }
    }
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { name, value })
    }
}

/// Reports a function whose name is no valid tool name.
pub(crate) fn check_function_name(ident: &Ident, errors: &mut Errors) {
    if !is_valid_name(&ident.unraw().to_string()) {
        errors.at(
            ident,
            format!("{NAME_RULE}: set one with `#[tool(name = \"…\")]`"),
        );
    }
}

fn is_valid_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

pub(crate) fn literal(value: &Expr) -> Option<&Lit> {
    match value {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        _ => None,
    }
}
