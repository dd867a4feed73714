use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::LitStr;

use crate::problems::Problems;
use crate::setting::Setting;
use crate::tool_settings::duration;

/// What `#[tool(…)]` on an impl block says about the server.
#[derive(Default)]
pub(crate) struct ServerSettings {
    pub(crate) name: Option<LitStr>,
    /// Calls of the methods of `ToolServer` that say the rest.
    pub(crate) methods: Vec<TokenStream>,
}

impl ServerSettings {
    pub(crate) fn read(tokens: TokenStream, problems: &mut Problems) -> Self {
        let mut settings = Self::default();
        let list = Setting::list(tokens, problems);
        for setting in &list {
            if let Err(problem) = settings.apply(setting) {
                problems.add(problem);
            }
        }
        if !list.iter().any(|setting| setting.name == "server") && problems.are_none() {
            problems.add(syn::Error::new(
                Span::call_site(),
                "name the server that the methods belong to: `#[tool(server = \"calc\")]`",
            ));
        }
        settings
    }

    fn apply(&mut self, setting: &Setting) -> syn::Result<()> {
        let name = &setting.name;
        let value = match name.to_string().as_str() {
            "server" => {
                self.name = Some(setting.plain_name("\"calc\"")?);
                return Ok(());
            }
            "version" => setting.value("\"1.0.0\"")?,
            "instructions" => setting.value("\"…\"")?,
            "timeout" => duration(setting)?,
            "concurrency" => setting.value("4")?,
            _ => {
                return Err(syn::Error::new_spanned(
                    name,
                    format!(
                        "`{name}` is not a setting of a server; there are `server`, `version`, \
                         `instructions`, `timeout` and `concurrency`, and those of a tool belong \
                         to the `#[tool]` of its method"
                    ),
                ));
            }
        };
        self.methods.push(quote!(.#name(#value)));
        Ok(())
    }
}
