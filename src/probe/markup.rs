//! Text that stands where an image should be: HTML, XML, JSON and other text; and SVG, which is an image.

use super::cursor::find;
use super::header::{bad, plain};
use super::sniff::looks_like_text;
use crate::model::{Exif, Fault, Format, OtherContent, Probe, Size};

/// Most bytes from the start of an SVG in which its root element's tag is looked for.
const MAX_PROLOG: usize = 64 << 10;

/// What a root element is.
enum Root<'a> {
    /// `<svg>`, possibly with a prefix; the rest of the bytes behind the name, and where that is.
    Svg(&'a [u8], usize),
    Html,
    /// Another one, or none in sight.
    Other,
}

/// The kind of text that the bytes are; [`OtherContent::Unknown`] if they are none.
///
/// SVG is an image and has its own variant of content: see [`is_svg`].
pub(super) fn text_kind(head: &[u8]) -> OtherContent {
    let text = without_mark(head);
    match text.first() {
        Some(b'<') => match root(text) {
            Some(Root::Html) => OtherContent::Html,
            Some(Root::Svg(..) | Root::Other) => OtherContent::Xml,
            None => other_text(head),
        },
        Some(b'{' | b'[') if looks_like_json(text) && looks_like_text(head) => OtherContent::Json,
        _ => other_text(head),
    }
}

fn other_text(head: &[u8]) -> OtherContent {
    if looks_like_text(head) { OtherContent::Text } else { OtherContent::Unknown }
}

/// Whether the bytes are an SVG, behind a prolog and comments.
pub(super) fn is_svg(head: &[u8]) -> bool {
    let text = without_mark(head);
    text.first() == Some(&b'<') && matches!(root(text), Some(Root::Svg(..)))
}

/// Without the UTF-8 byte order mark and white space.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes).trim_ascii_start()
}

/// The root element behind `<?...?>`, `<!--...-->` and `<!DOCTYPE ...>`; `None` if it is no markup.
fn root(text: &[u8]) -> Option<Root<'_>> {
    let whole = text.len();
    let mut rest = text;
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = if rest.starts_with(b"<?xml") || (rest.len() < whole && rest.starts_with(b"<?")) {
            b"?>"
        } else if rest.starts_with(b"<!--") {
            b"-->"
        } else if starts_with_ignoring_case(rest, b"<!doctype") {
            if starts_with_ignoring_case(rest.get(9..)?.trim_ascii_start(), b"html") {
                return Some(Root::Html);
            }
            // An internal subset has declarations of its own.
            let subset = find(rest, b"[").filter(|open| find(rest, b">").is_some_and(|close| *open < close));
            if subset.is_some() { b"]>" } else { b">" }
        } else {
            let name = rest.strip_prefix(b"<")?;
            let length = name.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b":_-.".contains(byte))).unwrap_or(name.len());
            let (name, behind) = name.split_at_checked(length)?;
            return element(name, behind, rest.len() < whole).map(|root| match root {
                Root::Svg(behind, _) => Root::Svg(behind, whole - behind.len()),
                root => root,
            });
        };
        let Some(at) = find(rest, end) else { return Some(Root::Other) };
        rest = rest.get(at + end.len()..)?;
        if rest.trim_ascii_start().is_empty() {
            return Some(Root::Other);
        }
    }
}

/// The root element of this name; a lone `<word` without prolog is XML only if it goes on like an element.
fn element<'a>(name: &[u8], behind: &'a [u8], prolog: bool) -> Option<Root<'a>> {
    let local = name.rsplit(|byte| *byte == b':').next().unwrap_or(name);
    if local == b"svg" {
        return Some(Root::Svg(behind, 0));
    }
    if [&b"html"[..], b"head", b"body", b"title", b"meta", b"script", b"div"].iter().any(|html| local.eq_ignore_ascii_case(html)) {
        return Some(Root::Html);
    }
    let named = name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_');
    // A caption may begin with a token such as <lora:name:1>; XML declares a namespace or comes with a prolog.
    let declares = behind.split(|byte| *byte == b'>').next().is_some_and(|tag| find(tag, b"xmlns").is_some());
    (named && (prolog || declares)).then_some(Root::Other)
}

fn starts_with_ignoring_case(text: &[u8], start: &[u8]) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// Whether what follows the first bracket can follow it in JSON.
fn looks_like_json(text: &[u8]) -> bool {
    let next = text.get(1..).unwrap_or_default().trim_ascii_start();
    match (text.first(), next.first()) {
        (Some(b'{'), Some(b'"' | b'}')) | (Some(b'['), Some(b'"' | b'{' | b'[' | b']' | b'-' | b'0'..=b'9')) => true,
        (Some(b'['), _) => [&b"true"[..], b"false", b"null"].iter().any(|word| next.starts_with(word)),
        _ => false,
    }
}

/// Reads the size of an SVG: `width` and `height`, else the `viewBox` (SVG 2, section 8.6), where they are plain numbers.
pub(super) fn probe_svg(bytes: &[u8]) -> Result<Probe, Fault> {
    let head = bytes.get(..MAX_PROLOG).unwrap_or(bytes);
    let text = without_mark(head);
    let Some(Root::Svg(behind, at)) = root(text) else {
        return Err(bad(0, "the SVG's root element does not follow its prolog"));
    };
    let at = at + (head.len() - text.len());
    let attributes = behind.split(|byte| *byte == b'>').next().unwrap_or(behind);
    let stated = |name: &[u8]| attribute(attributes, name).and_then(pixels);
    let size = stated(b"width").zip(stated(b"height")).or_else(|| {
        let mut numbers =
            attribute(attributes, b"viewBox")?.split(|byte| byte.is_ascii_whitespace() || *byte == b',').filter(|n| !n.is_empty());
        let (width, height) = (numbers.nth(2)?, numbers.next()?);
        pixels(width).zip(pixels(height))
    });
    let (width, height) =
        size.ok_or_else(|| bad(at, "the SVG states no size in plain numbers, neither as width and height nor as viewBox"))?;
    let mut probe = plain(Format::Svg, None, 0, Size::new(width, height));
    (probe.transparency, probe.exif) = (true, Exif::Absent);
    Ok(probe)
}

/// The value of an attribute in a tag.
fn attribute<'a>(tag: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut rest = tag;
    loop {
        let at = find(rest, name)?;
        let starts_a_word = at.checked_sub(1).and_then(|before| rest.get(before)).is_none_or(u8::is_ascii_whitespace);
        rest = rest.get(at + name.len()..)?;
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=").filter(|_| starts_a_word) else { continue };
        let (quote, value) = value.trim_ascii_start().split_first()?;
        let end = value.iter().position(|byte| byte == quote).filter(|_| matches!(quote, b'"' | b'\''))?;
        return value.get(..end);
    }
}

/// A length in pixels, rounded up; a number alone or with `px`.
fn pixels(value: &[u8]) -> Option<u32> {
    let value = value.trim_ascii();
    let number: f64 = std::str::from_utf8(value.strip_suffix(b"px").unwrap_or(value)).ok()?.trim().parse().ok()?;
    // Printing and parsing keeps to conversions that cannot lose anything.
    (number > 0.0 && number <= f64::from(u32::MAX)).then(|| format!("{:.0}", number.ceil())).and_then(|digits| digits.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Content, FaultKind};
    use crate::probe::sniff;

    #[test]
    fn kinds_of_text_are_told_apart() {
        let other = Content::Other;
        for (text, content) in [
            ("<!DOCTYPE html><p>", other(OtherContent::Html)),
            ("\u{feff} \n<HTML lang=en>", other(OtherContent::Html)),
            ("<?xml version='1.0'?><Error><Code>AccessDenied</Code>", other(OtherContent::Xml)),
            ("<?xml version='1.0'?>", other(OtherContent::Xml)),
            ("<feed xmlns='http://www.w3.org/2005/Atom'>", other(OtherContent::Xml)),
            ("<?xml version='1.0'?><!-- a --><!DOCTYPE svg PUBLIC 'x' [<!ENTITY a 'b>'>]><svg width='1'>", Content::Image(Format::Svg)),
            ("<svg:svg/>", Content::Image(Format::Svg)),
            ("{\"error\": 404}", other(OtherContent::Json)),
            ("[1, 2]", other(OtherContent::Json)),
            ("{a|b} photo", other(OtherContent::Text)),
            ("[trigger] a photo of a cat", other(OtherContent::Text)),
            ("<lora:cat:1>, a photo of a cat", other(OtherContent::Text)),
            ("<sks> dog", other(OtherContent::Text)),
            ("< 3 cats", other(OtherContent::Text)),
        ] {
            assert_eq!(sniff(text.as_bytes()), content, "{text}");
        }
    }

    #[test]
    fn an_svg_has_a_size_where_it_says_one_in_numbers() {
        let size = |svg: &str| probe_svg(svg.as_bytes()).map(|probe| probe.size).map_err(|fault| (fault.kind, fault.offset));
        assert_eq!(size("<svg width='12' height=\"7.5px\">"), Ok(Size::new(12, 8)));
        assert_eq!(size("<svg stroke-width='3' viewBox='0 0 24,32' width='100%'>"), Ok(Size::new(24, 32)));
        assert_eq!(size("\u{feff}<svg width='100%' height='100%'>"), Err((FaultKind::BadHeader, Some(7))));
        assert_eq!(size("<svg viewBox='0 0 0 0'>"), Err((FaultKind::BadHeader, Some(4))));
        assert_eq!(size("<svg width='nan' height='inf'>"), Err((FaultKind::BadHeader, Some(4))));
    }
}
