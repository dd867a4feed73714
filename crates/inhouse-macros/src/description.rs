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
    let indent = lines.iter().filter_map(|line| indent_of(line)).min().unwrap_or(0);
    let unindented: Vec<&str> =
        lines.iter().map(|line| line.get(indent..).unwrap_or_default().trim_end()).collect();
    let text = unindented.join("\n").trim().to_owned();
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
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(Some(text.value())),
        _ => Err(syn::Error::new_spanned(
            value,
            "only a literal can be read here; on a function, `#[tool(description = …)]` takes any \
             expression",
        )),
    }
}

/// The lines of one attribute: one of `///`, all of `/** */`, there without their stars.
fn lines_of(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let [first, rest @ ..] = lines.as_slice() else {
        return vec![String::new()];
    };
    let starred = |line: &&str| line.trim_start().starts_with('*');
    let stars = rest.iter().filter(|line| !line.trim().is_empty()).all(starred);
    // The first line stands behind the opening and not below the others.
    let first = if rest.is_empty() { (*first).to_owned() } else { first.trim_start().to_owned() };
    let without_star = |line: &&str| {
        let line = if stars { line.trim_start().trim_start_matches('*') } else { line };
        line.to_owned()
    };
    std::iter::once(first).chain(rest.iter().map(without_star)).collect()
}

fn indent_of(line: &str) -> Option<usize> {
    let text = line.trim_start();
    (!text.is_empty()).then(|| line.len() - text.len())
}
