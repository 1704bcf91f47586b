//! Text in cells of CSV, as spreadsheets read it.

/// Text that a spreadsheet would take for a formula gets an apostrophe before it, as spreadsheets themselves mark text.
pub(super) fn harmless(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}
