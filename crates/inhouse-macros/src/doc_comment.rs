use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue};

/// Returns the text of the doc comments without common indentation; `None` if there is no text.
pub(crate) fn parse<'a>(
    attributes: impl IntoIterator<Item = &'a Attribute>,
) -> syn::Result<Option<String>> {
    let mut lines = Vec::new();
    for attribute in attributes {
        if let Some(text) = text_of(attribute)? {
            lines.extend(lines_of(&text));
        }
    }
    let text = unindent(&lines).join("\n").trim().to_owned();
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn text_of(attribute: &Attribute) -> syn::Result<Option<String>> {
    if !attribute.path().is_ident("doc") {
        return Ok(None);
    }
    // Other forms, such as `#[doc(hidden)]`, contain no text.
    let Meta::NameValue(MetaNameValue { value, .. }) = &attribute.meta else {
        return Ok(None);
    };
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok(Some(text.value())),
        _ => Err(syn::Error::new_spanned(
            value,
            "must be a string literal; on a function, `#[tool(description = …)]` accepts any \
             expression",
        )),
    }
}

/// Returns the lines of one attribute, those of `/** */` as if they were written with `///`.
fn lines_of(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let [first, rest @ ..] = lines.as_slice() else {
        return vec![String::new()];
    };
    if rest.is_empty() {
        return vec![(*first).to_owned()];
    }
    let is_starred = rest
        .iter()
        .all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
    let rest = if is_starred {
        let lines = rest.iter();
        let lines = lines.map(|line| line.trim_start().trim_start_matches('*'));
        unindent(&lines.collect::<Vec<_>>())
    } else {
        unindent(rest)
    };
    // The first line follows `/**`, so that its indentation says nothing about the others.
    let first = std::iter::once(first.trim().to_owned());
    first.chain(rest).map(|line| format!(" {line}")).collect()
}

fn unindent(lines: &[impl AsRef<str>]) -> Vec<String> {
    let lines = lines.iter().map(AsRef::as_ref);
    let indent = lines
        .clone()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    lines
        .map(|line| line.get(indent..).unwrap_or_default().trim_end().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use syn::{ItemFn, parse_str};

    fn parse(comment: &str) -> Option<String> {
        let function: ItemFn = parse_str(&format!("{comment}\nfn f() {{}}")).unwrap();
        super::parse(&function.attrs).unwrap()
    }

    #[test]
    fn paragraphs_lists_and_code_keep_their_indentation() {
        let comment = "/// Add two\n/// numbers.  \n///\n/// - one\n///   - two\n///\n///     code";
        let text = "Add two\nnumbers.\n\n- one\n  - two\n\n    code";
        assert_eq!(parse(comment).as_deref(), Some(text));
    }

    #[test]
    fn block_comments_lose_stars_and_indentation() {
        let starred = "/** Add.\n *\n * Two numbers:\n *   - one\n */";
        assert_eq!(
            parse(starred).as_deref(),
            Some("Add.\n\nTwo numbers:\n  - one")
        );
        let plain = "/**\n    Add.\n\n      Two.\n*/";
        assert_eq!(parse(plain).as_deref(), Some("Add.\n\n  Two."));
        assert_eq!(parse("/** Add. */").as_deref(), Some("Add."));
    }

    #[test]
    fn line_and_block_comments_can_be_combined() {
        assert_eq!(
            parse("/// Add.\n/** Two\n *  numbers. */").as_deref(),
            Some("Add.\nTwo\nnumbers.")
        );
    }

    #[test]
    fn comments_without_text_are_no_description() {
        for comment in ["", "///", "///   \n///", "#[doc(hidden)]", "/** */"] {
            assert_eq!(parse(comment), None, "{comment}");
        }
    }
}
