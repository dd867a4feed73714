use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue};

/// The text of a doc comment, without the blanks that only lay it out; `None` when there is none.
pub(crate) fn read<'a>(
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
    // Other forms, such as `#[doc(hidden)]`, say nothing about what it does.
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
            "only a literal can be read here; on a function, `#[tool(description = …)]` takes any \
             expression",
        )),
    }
}

/// The lines of one attribute: one of `///`, all of `/** */` as if they were written with `///`.
fn lines_of(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let [first, rest @ ..] = lines.as_slice() else {
        return vec![String::new()];
    };
    if rest.is_empty() {
        return vec![(*first).to_owned()];
    }
    let starred = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with('*');
    let rest = if rest.iter().all(starred) {
        let without_star = |line: &&str| line.trim_start().trim_start_matches('*').to_owned();
        unindent(&rest.iter().map(without_star).collect::<Vec<_>>())
    } else {
        unindent(rest)
    };
    // The first line stands behind the opening, so its indent is no measure for the others.
    let first = std::iter::once(first.trim().to_owned());
    first.chain(rest).map(|line| format!(" {line}")).collect()
}

fn unindent(lines: &[impl AsRef<str>]) -> Vec<String> {
    let lines = || lines.iter().map(AsRef::as_ref);
    let text_of = |line: &str| line.trim_start_matches([' ', '\t']).len();
    let written = lines().filter(|line| !line.trim().is_empty());
    let indent = written
        .map(|line| line.len() - text_of(line))
        .min()
        .unwrap_or(0);
    let rest = |line: &str| line.get(indent..).unwrap_or_default().trim_end().to_owned();
    lines().map(rest).collect()
}

#[cfg(test)]
mod tests {
    use syn::{ItemFn, parse_str};

    fn read(comment: &str) -> Option<String> {
        let function: ItemFn = parse_str(&format!("{comment}\nfn f() {{}}")).unwrap();
        super::read(&function.attrs).unwrap()
    }

    #[test]
    fn paragraphs_lists_and_code_keep_their_shape() {
        let comment = "/// Add two\n/// numbers.  \n///\n/// - one\n///   - two\n///\n///     code";
        let text = "Add two\nnumbers.\n\n- one\n  - two\n\n    code";
        assert_eq!(read(comment).as_deref(), Some(text));
    }

    #[test]
    fn block_comments_lose_their_frame() {
        let starred = "/** Add.\n *\n * Two numbers:\n *   - one\n */";
        assert_eq!(
            read(starred).as_deref(),
            Some("Add.\n\nTwo numbers:\n  - one")
        );
        let plain = "/**\n    Add.\n\n      Two.\n*/";
        assert_eq!(read(plain).as_deref(), Some("Add.\n\n  Two."));
        assert_eq!(read("/** Add. */").as_deref(), Some("Add."));
    }

    #[test]
    fn both_kinds_go_together() {
        assert_eq!(
            read("/// Add.\n/** Two\n *  numbers. */").as_deref(),
            Some("Add.\nTwo\nnumbers.")
        );
    }

    #[test]
    fn what_says_nothing_is_no_description() {
        for comment in ["", "///", "///   \n///", "#[doc(hidden)]", "/** */"] {
            assert_eq!(read(comment), None, "{comment}");
        }
    }
}
