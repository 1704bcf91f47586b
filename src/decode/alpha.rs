//! Counts transparent pixels and the colours that they hide. Knows nothing of rows or formats.

use std::collections::HashMap;

use super::reduce::share_of;
use crate::model::AlphaFacts;

/// Different hidden colours that are counted; later ones are left out, and the commonest is found all the same unless
/// hidden pixels are noise.
const HIDDEN_COLORS: usize = 4096;

/// Alpha from which on nobody sees through a pixel; programs that scale leave 254 where 255 was.
const OPAQUE: u8 = 250;

/// Counts transparent pixels and the colours that they hide.
#[derive(Debug, Default)]
pub(crate) struct AlphaCounter {
    transparent: u64,
    partial: u64,
    hidden: u64,
    colors: HashMap<[u8; 3], u64>,
    /// The colour of the last hidden pixels and how many there were: hidden areas are flat as a rule.
    run: ([u8; 3], u64),
}

impl AlphaCounter {
    /// Counts one pixel.
    pub(crate) fn count(&mut self, rgb: [u8; 3], alpha: u8) {
        match alpha {
            OPAQUE..=255 => {}
            0 => {
                self.transparent += 1;
                if rgb != [0, 0, 0] {
                    self.hidden += 1;
                    if self.run.0 == rgb {
                        self.run.1 += 1;
                    } else {
                        self.end_run();
                        self.run = (rgb, 1);
                    }
                }
            }
            _ => self.partial += 1,
        }
    }

    /// The facts for a frame of `pixels` pixels.
    pub(crate) fn finish(mut self, pixels: u64) -> AlphaFacts {
        self.end_run();
        // Ties go to the smallest colour, so that the answer does not depend on the order of a hash map.
        let hidden_color = self.colors.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0))).map(|(&color, _)| color);
        let share = |count| share_of(count, pixels);
        AlphaFacts { transparent: share(self.transparent), partial: share(self.partial), hidden: share(self.hidden), hidden_color }
    }

    fn end_run(&mut self) {
        let (color, count) = std::mem::take(&mut self.run);
        if count == 0 {
            return;
        }
        if let Some(known) = self.colors.get_mut(&color) {
            *known += count;
        } else if self.colors.len() < HIDDEN_COLORS {
            self.colors.insert(color, count);
        }
    }
}
