//! The codes and their pages. The pages under `docs/errors/` are the one table: a code exists when its page does,
//! and the page's first line is its title. A test holds the pages and the codes that the stages use together.

use super::Code;

static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/error_pages.in"));

/// Every code with its title, ascending.
pub fn all() -> impl Iterator<Item = (Code, &'static str)> {
    PAGES.iter().filter_map(|(path, text)| {
        let code = parse(path.strip_suffix(".md")?)?;
        let (_, title) = text.lines().next()?.split_once(": ")?;
        Some((code, title))
    })
}

/// The title of a code, in a few words.
pub fn title(code: Code) -> Option<&'static str> {
    all().find(|(known, _)| *known == code).map(|(_, title)| title)
}

/// The page of a code: what it means, why, a wrong example and the right one.
pub fn explain(code: Code) -> Option<&'static str> {
    let name = format!("{code}.md");
    PAGES.iter().find(|(path, _)| *path == name).map(|(_, text)| *text)
}

/// Reads a code as people write it: `RW0201`, `rw0201`, `0201` or `201`.
pub fn parse(text: &str) -> Option<Code> {
    let digits = text.strip_prefix("RW").or_else(|| text.strip_prefix("rw")).unwrap_or(text);
    let plain = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok().map(Code))?
}
