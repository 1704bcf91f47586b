//! The items of a HEIF file: which is primary, what its properties are, where its EXIF is (ISO/IEC 14496-12, section
//! 8.11; 23008-12, section 9.3).

use super::bmff::{extent, step};
use super::boxes::{boxes, first};
use super::cursor::{array, u8_at};

/// Properties that are kept: an `ipma` table has 15 bits for the number of one, counted from 1. Boxes of 8 bytes would fill
/// four times their size in memory otherwise.
const MAX_PROPERTIES: usize = 0x7FFF;

/// A property of the primary item.
#[derive(Clone, Copy)]
pub(super) struct Property<'a> {
    pub(super) kind: [u8; 4],
    /// Offset of the data from the start of the meta box's contents behind version and flags.
    pub(super) at: usize,
    pub(super) data: &'a [u8],
}

/// What the meta box says of the items.
pub(super) struct Items<'a> {
    meta: &'a [u8],
    /// Properties of the primary item.
    primary: Vec<Property<'a>>,
    /// Whether some item is an alpha channel.
    pub(super) has_alpha: bool,
    /// Number of the item that holds EXIF.
    exif_item: Option<u64>,
}

impl<'a> Items<'a> {
    /// Reads the contents of a meta box, behind version and flags; `None` where the primary item or its properties are
    /// not there.
    pub(super) fn read(meta: &'a [u8]) -> Option<Self> {
        let primary = first(meta, *b"pitm")?;
        let primary = step(primary, &mut 4, if u8_at(primary, 0)? == 0 { 2 } else { 4 })?;
        let container = boxes(meta).find(|found| &found.kind == b"iprp")?;
        let list = boxes(container.data).find(|found| &found.kind == b"ipco")?;
        let offset = container.at + list.at;
        let properties: Vec<_> = boxes(list.data)
            .take(MAX_PROPERTIES)
            .map(|found| Property { kind: found.kind, at: offset + found.at, data: found.data })
            .collect();
        let mut items = Self { meta, primary: Vec::new(), has_alpha: false, exif_item: exif_item(meta) };
        for table in boxes(container.data).filter(|found| &found.kind == b"ipma") {
            // A table that is cut short says what it says.
            let _ = items.associate(table.data, primary, &properties);
        }
        Some(items)
    }

    /// Properties of the primary item, in the file's order.
    pub(super) fn primary_properties(&self) -> Vec<Property<'a>> {
        self.primary.clone()
    }

    /// Reads an `ipma` table: the properties of each item.
    fn associate(&mut self, table: &[u8], primary: u64, properties: &[Property<'a>]) -> Option<()> {
        let (id_width, index_width) = (if u8_at(table, 0)? == 0 { 2 } else { 4 }, if u8_at(table, 3)? & 1 == 0 { 1 } else { 2 });
        let mut at = 4;
        for _ in 0..step(table, &mut at, 4)? {
            let item = step(table, &mut at, id_width)?;
            for _ in 0..step(table, &mut at, 1)? {
                // The highest bit says whether readers must know the property; 0 stands for none.
                let index = step(table, &mut at, index_width)? & if index_width == 1 { 0x7F } else { 0x7FFF };
                let property = index.checked_sub(1).and_then(|index| properties.get(usize::try_from(index).ok()?));
                let Some(property) = property else { continue };
                if item == primary {
                    // 255 properties fit; more tables than one could name the item for ever.
                    if self.primary.len() < 255 {
                        self.primary.push(*property);
                    }
                } else {
                    self.has_alpha |= &property.kind == b"auxC" && is_alpha(property.data);
                }
            }
        }
        Some(())
    }

    /// The contents of the EXIF item.
    pub(super) fn exif(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let wanted = self.exif_item?;
        let table = first(self.meta, *b"iloc")?;
        let version = u8_at(table, 0)?;
        let widths = [4, 5].map(|at| u8_at(table, at).unwrap_or(0)).map(|byte| (usize::from(byte >> 4), usize::from(byte & 15)));
        let [(offset_width, length_width), (base_width, index_width)] = widths;
        let index_width = if version == 0 { 0 } else { index_width };
        let id_width = if version < 2 { 2 } else { 4 };
        let mut at = 6;
        for _ in 0..step(table, &mut at, id_width)? {
            let item = step(table, &mut at, id_width)?;
            let method = if version == 0 { 0 } else { step(table, &mut at, 2)? & 15 };
            step(table, &mut at, 2)?;
            let base = step(table, &mut at, base_width)?;
            let extents = step(table, &mut at, 2)?;
            if item != wanted {
                let size = (index_width + offset_width + length_width).checked_mul(usize::try_from(extents).ok()?)?;
                at = at.checked_add(size)?;
                continue;
            }
            step(table, &mut at, index_width)?;
            let (offset, length) = (step(table, &mut at, offset_width)?, step(table, &mut at, length_width)?);
            let source = if method == 1 { first(self.meta, *b"idat")? } else { bytes };
            return extent(source, base.checked_add(offset)?, length);
        }
        None
    }
}

/// The number of the first item of type "Exif".
fn exif_item(meta: &[u8]) -> Option<u64> {
    let list = first(meta, *b"iinf")?;
    let entries = list.get(if u8_at(list, 0)? == 0 { 6 } else { 8 }..)?;
    boxes(entries).filter(|found| &found.kind == b"infe").find_map(|entry| {
        let width = match u8_at(entry.data, 0)? {
            2 => 2,
            3 => 4,
            _ => return None,
        };
        let mut at = 4;
        let item = step(entry.data, &mut at, width)?;
        (array(entry.data, at + 2) == Some(*b"Exif")).then_some(item)
    })
}

/// Whether an `auxC` property names alpha, in AV1's or HEVC's words.
fn is_alpha(data: &[u8]) -> bool {
    let name = data.get(4..).unwrap_or_default();
    name.starts_with(b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha") || name.starts_with(b"urn:mpeg:hevc:2015:auxid:1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxed(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
        [&u32::try_from(data.len() + 8).unwrap().to_be_bytes()[..], &kind, data].concat()
    }

    /// The contents of a meta box with an EXIF item (2) at byte 3 of the item data box.
    fn meta() -> Vec<u8> {
        let infe = boxed(*b"infe", b"\x02\0\0\0\0\x02\0\0Exif\0");
        [
            boxed(*b"pitm", &[0, 0, 0, 0, 0, 1]),
            boxed(*b"iinf", &[&[0, 0, 0, 0, 0, 1][..], &infe].concat()),
            boxed(*b"iloc", &[1, 0, 0, 0, 0x44, 0, 0, 1, 0, 2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 4]),
            boxed(*b"iprp", &boxed(*b"ipco", &[])),
            boxed(*b"idat", b"...EXIF..."),
        ]
        .concat()
    }

    #[test]
    fn exif_is_found_in_the_item_data() {
        let meta = meta();
        let items = Items::read(&meta).expect("items");
        assert_eq!(items.exif(&[]), Some(&b"EXIF"[..]));
        assert!(!items.has_alpha && items.primary_properties().is_empty());
    }

    #[test]
    fn the_largest_number_that_a_table_can_hold_names_a_property() {
        let boxes = [boxed(*b"free", b"").repeat(MAX_PROPERTIES - 1), boxed(*b"last", b"x"), boxed(*b"over", b"y")].concat();
        // One item (number 1) with the properties 1 and 0x7FFF, of 15 bits each.
        let association = boxed(*b"ipma", &[0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 2, 0, 1, 0x7F, 0xFF]);
        let properties = boxed(*b"iprp", &[boxed(*b"ipco", &boxes), association].concat());
        let meta = [boxed(*b"pitm", &[0, 0, 0, 0, 0, 1]), properties].concat();
        let items = Items::read(&meta).expect("items");
        let kinds: Vec<[u8; 4]> = items.primary_properties().iter().map(|property| property.kind).collect();
        assert_eq!(kinds, [*b"free", *b"last"]);
    }

    #[test]
    fn tables_that_are_cut_short_end() {
        let meta = meta();
        for length in 0..meta.len() {
            let cut = meta.get(..length).unwrap_or_default();
            if let Some(items) = Items::read(cut) {
                let _ = items.exif(cut);
            }
        }
    }
}
