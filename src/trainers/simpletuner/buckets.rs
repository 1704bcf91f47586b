//! Where `SimpleTuner` puts a picture (bc8e6ab, `simpletuner/helpers/multiaspect/image.py` 92-276 and
//! `simpletuner/helpers/image_manipulation/training_sample.py` 218-252, 587-650).
//!
//! Sides and areas are floats here as they are there wherever a fraction can arise; a side becomes a number of pixels at the end.

use super::super::python::{beyond_memory, pixels, round_to};
use crate::model::{Placement, Size, Unplaced};

/// What `resolution` measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Measure {
    /// `pixel`: the shorter edge in pixels.
    ShortEdge(f64),
    /// `area`, and `pixel_area` once it is squared: megapixels of 1,000,000 pixels.
    Megapixels(f64),
}

/// What of a picture is kept.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Its own aspect, rounded: without `crop`, and with `crop_aspect: preserve`.
    Own,
    /// A square.
    Square,
    /// The nearest of these aspects, width by height: `crop_aspect: closest`.
    Nearest(Vec<f64>),
    /// This aspect, width by height, one of those that `crop_aspect: random` draws from.
    Given(f64),
}

/// The rule for one dataset.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// What pictures are scaled to.
    pub(super) measure: Measure,
    /// What divides every side, in pixels (`aspect_bucket_alignment`).
    pub(super) alignment: u32,
    /// Decimals of an aspect (`aspect_bucket_rounding`).
    pub(super) decimals: u32,
    /// What is kept.
    pub(super) shape: Shape,
}

/// Width and height.
type Sides = (f64, f64);

/// What is scaled to and cut out, before squares are corrected.
struct Cut {
    target: Sides,
    intermediary: Sides,
}

/// What a picture asks for under the rule of areas, before anything is remembered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Wish {
    /// The rounded aspect under which the trainer remembers the first target that it met.
    pub(super) key: f64,
    /// The target, width and height.
    pub(super) target: Sides,
}

impl Rule {
    /// Where a picture goes if it is the first of its aspect.
    pub(super) fn place(&self, picture: Size) -> Result<Placement, Unplaced> {
        self.place_remembering(picture, None)
    }

    /// Where a picture goes if the trainer remembers this target for its aspect.
    pub(super) fn place_remembering(&self, picture: Size, remembered: Option<Sides>) -> Result<Placement, Unplaced> {
        if picture.pixels() == 0 {
            return Err(division_by_zero());
        }
        let edge = self.square_edge()?;
        if self.shape == Shape::Square {
            // The target is the square itself; what is scaled to is asked for with an aspect of 1, as it stands.
            let Cut { intermediary, .. } = self.cut(picture, 1.0, None)?;
            return finish((edge, edge), enlarged_to(edge, intermediary));
        }
        let Cut { mut target, mut intermediary } = self.cut(picture, self.aspect(picture), remembered)?;
        if is_one(self.rounded(target.0 / target.1)) {
            intermediary = enlarged_to(edge, intermediary);
            target = (edge, edge);
        }
        finish(target, intermediary)
    }

    /// What a picture asks the trainer to remember; `None` where it neither asks nor is told.
    pub(super) fn wish(&self, picture: Size) -> Option<Wish> {
        let Measure::Megapixels(megapixels) = self.measure else { return None };
        let aspect = self.aspect(picture);
        let asks = self.shape != Shape::Square && picture.pixels() > 0 && aspect > 0.0 && !is_plain_square(picture, aspect);
        let target = self.target_of_area(megapixels, aspect);
        asks.then(|| Wish { key: self.rounded(target.0 / target.1), target })
    }

    /// The aspect that a target is made for.
    fn aspect(&self, picture: Size) -> f64 {
        let own = self.rounded(ratio(picture));
        match &self.shape {
            Shape::Own => own,
            Shape::Square => 1.0,
            Shape::Nearest(aspects) => {
                let distance = |aspect: &f64| (aspect - own).abs();
                aspects.iter().copied().min_by(|one, other| distance(one).total_cmp(&distance(other))).unwrap_or(own)
            }
            Shape::Given(aspect) => *aspect,
        }
    }

    fn cut(&self, picture: Size, aspect: f64, remembered: Option<Sides>) -> Result<Cut, Unplaced> {
        match self.measure {
            Measure::ShortEdge(edge) => self.by_edge(picture, edge, aspect),
            Measure::Megapixels(megapixels) => self.by_area(picture, megapixels, aspect, remembered),
        }
    }

    /// The shorter edge is given (`image.py` 129-176).
    fn by_edge(&self, picture: Size, edge: f64, aspect: f64) -> Result<Cut, Unplaced> {
        if edge.fract() != 0.0 {
            return Err(Unplaced::skips("ValueError: Resolution must be an int, not <class 'float'>"));
        }
        let is_high = picture.width < picture.height;
        if aspect <= 0.0 && is_high {
            return Err(division_by_zero());
        }
        let along = |aspect: f64| if is_high { (edge, (edge / aspect).trunc()) } else { ((edge * aspect).trunc(), edge) };
        let (width, height) = along(aspect);
        let target = (self.aligned(width), self.aligned(height));
        let own = ratio(picture);
        let mut intermediary = along(own);
        if intermediary.0 < target.0 {
            intermediary = (target.0, (target.0 / own).trunc());
        }
        if intermediary.1 < target.1 {
            intermediary = ((target.1 * own).trunc(), target.1);
        }
        Ok(Cut { target, intermediary })
    }

    /// The area is given (`image.py` 179-276).
    fn by_area(&self, picture: Size, megapixels: f64, aspect: f64, remembered: Option<Sides>) -> Result<Cut, Unplaced> {
        if is_plain_square(picture, aspect) {
            let edge = self.edge_of_area(megapixels);
            return Ok(Cut { target: (edge, edge), intermediary: (edge, edge) });
        }
        if aspect <= 0.0 {
            return Err(division_by_zero());
        }
        let wished = self.target_of_area(megapixels, aspect);
        let own = ratio(picture);
        let (mut width, mut height) =
            if wished.0 < wished.1 { (wished.0, (wished.0 / own).trunc()) } else { ((wished.1 * own).trunc(), wished.1) };
        let target = remembered.unwrap_or(wished);
        if target.0 > width {
            let more = target.0 - width;
            (width, height) = (width + more, height + (more / own).trunc());
        } else if target.1 > height {
            let more = target.1 - height;
            (width, height) = (width + (more * own).trunc(), height + more);
        }
        Ok(Cut { target, intermediary: (width, height) })
    }

    fn target_of_area(&self, megapixels: f64, aspect: f64) -> Sides {
        let edge = self.edge_of_area(megapixels);
        (self.aligned(edge * aspect.sqrt()), self.aligned(edge / aspect.sqrt()))
    }

    /// The edge of the square whose area others are given.
    fn edge_of_area(&self, megapixels: f64) -> f64 {
        self.aligned((megapixels * 1e6).sqrt().trunc())
    }

    /// The edge of squares themselves, which for round areas is another one (`training_sample.py` 218-252).
    fn square_edge(&self) -> Result<f64, Unplaced> {
        match self.measure {
            Measure::ShortEdge(edge) => Ok(edge.trunc()),
            Measure::Megapixels(megapixels) => {
                let known = [(0.25, 512.0), (0.5, 768.0), (1.0, 1024.0), (2.0, 1536.0), (4.0, 2048.0)];
                let snapped = known.into_iter().find(|(round, _)| (megapixels - round).abs() < 0.05).map(|(_, edge)| edge * edge);
                let edge = self.aligned(snapped.unwrap_or(megapixels * 1e6).sqrt());
                if edge.is_finite() { Ok(edge) } else { Err(beyond_memory()) }
            }
        }
    }

    /// The nearest multiple of the alignment, halves to the even one, and at least one (`image.py` 92-101).
    fn aligned(&self, side: f64) -> f64 {
        let step = f64::from(self.alignment);
        ((side / step).round_ties_even() * step).max(step)
    }

    fn rounded(&self, aspect: f64) -> f64 {
        round_to(aspect, self.decimals)
    }
}

/// Whether a picture is a square, which is neither remembered nor measured against what is.
fn is_plain_square(picture: Size, aspect: f64) -> bool {
    picture.width == picture.height && is_one(aspect)
}

fn is_one(aspect: f64) -> bool {
    aspect.total_cmp(&1.0).is_eq()
}

fn ratio(picture: Size) -> f64 {
    f64::from(picture.width) / f64::from(picture.height)
}

/// What is scaled to, where a square is to be cut out of less width than it has (`training_sample.py`,
/// `correct_intermediary_square_size`).
fn enlarged_to(edge: f64, intermediary: Sides) -> Sides {
    if intermediary.0 < edge { (edge, edge) } else { intermediary }
}

/// An aspect that is rounded to nothing. The scan of the file fails, and it is left out with an error in the log.
fn division_by_zero() -> Unplaced {
    Unplaced::skips("ZeroDivisionError: float division by zero")
}

/// In whole pixels, with the cut in the centre: the trainer draws its place unless `crop_style` is `center`.
fn finish(target: Sides, intermediary: Sides) -> Result<Placement, Unplaced> {
    let whole = |(width, height): Sides| match (pixels(width), pixels(height)) {
        (Some(width), Some(height)) => Ok(Size::new(width, height)),
        _ => Err(beyond_memory()),
    };
    let (bucket, resized) = (whole(target)?, whole(intermediary)?);
    Ok(Placement::centred(bucket, resized))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(measure: Measure, alignment: u32, shape: Shape) -> Rule {
        Rule { measure, alignment, decimals: 2, shape }
    }

    fn placed(rule: &Rule, width: u32, height: u32) -> String {
        let placement = rule.place(Size::new(width, height)).expect("it has a place");
        format!("{} {} {:?}", placement.bucket, placement.resized, placement.crop)
    }

    const AREA: Measure = Measure::Megapixels(1.048_576);

    #[test]
    fn an_area_keeps_the_own_aspect() {
        let rule = rule(AREA, 64, Shape::Own);
        let cases = [
            ((1024, 1024), "1024x1024 1024x1024 [0, 0]"),
            ((1920, 1080), "1344x768 1365x768 [10, 0]"),
            ((832, 1216), "832x1216 832x1216 [0, 0]"),
            ((1025, 1024), "1024x1024 1025x1024 [0, 0]"),
            ((100, 3000), "192x5888 196x5888 [2, 0]"),
        ];
        for ((width, height), expected) in cases {
            assert_eq!(placed(&rule, width, height), expected, "{width}x{height}");
        }
    }

    #[test]
    fn round_areas_have_squares_of_their_own() {
        let rule = rule(Measure::Megapixels(0.5), 64, Shape::Own);
        assert_eq!(placed(&rule, 1024, 1024), "768x768 768x768 [0, 0]");
        assert_eq!(placed(&rule, 832, 1216), "576x832 576x841 [0, 4]");
    }

    #[test]
    fn a_short_edge_has_no_limit_of_area() {
        let rule = rule(Measure::ShortEdge(1024.0), 64, Shape::Own);
        assert_eq!(placed(&rule, 1080, 1920), "1024x1856 1044x1856 [10, 0]");
        assert_eq!(placed(&rule, 100, 3000), "1024x34112 1137x34112 [56, 0]");
        assert_eq!(rule.place(Size::new(u32::MAX, 1)), Err(beyond_memory()));
    }

    #[test]
    fn a_crop_may_be_square_or_the_nearest_of_some() {
        assert_eq!(placed(&rule(AREA, 64, Shape::Square), 1920, 1080), "1024x1024 1820x1024 [398, 0]");
        let nearest = rule(AREA, 64, Shape::Nearest(vec![0.5, 1.0, 1.5]));
        assert_eq!(nearest.place(Size::new(1920, 1080)).expect("it has a place").bucket, Size::new(1280, 832));
    }

    #[test]
    fn an_aspect_that_is_rounded_to_nothing_is_left_out() {
        for measure in [AREA, Measure::ShortEdge(1024.0)] {
            let error = rule(measure, 64, Shape::Own).place(Size::new(5, 4000)).expect_err("it is too thin");
            assert_eq!(error.error, "ZeroDivisionError: float division by zero");
        }
        assert!(rule(AREA, 64, Shape::Square).place(Size::new(5, 4000)).is_ok());
    }

    #[test]
    fn what_is_remembered_goes_before_what_is_wished() {
        // Alone they go to 768x1360 and 768x1376, both of which are remembered under 0.56.
        let rule = rule(AREA, 16, Shape::Own);
        let (first, second) = (Size::new(768, 1344), Size::new(1080, 1920));
        let wishes = [first, second].map(|size| rule.wish(size).expect("it wishes"));
        assert_eq!(wishes.map(|wish| (wish.key, wish.target)), [(0.56, (768.0, 1360.0)), (0.56, (768.0, 1376.0))]);
        let placement = rule.place_remembering(first, Some(wishes[1].target)).expect("it has a place");
        assert_eq!((placement.bucket, placement.resized), (Size::new(768, 1376), Size::new(786, 1376)));
    }

    #[test]
    fn hostile_sizes_and_settings_are_answered() {
        for picture in [Size::new(1, 1), Size::new(u32::MAX, 1), Size::new(1, u32::MAX), Size::new(0, 3), Size::new(3, 0)] {
            for measure in [0.0, 1e-9, 0.5, 1e300].into_iter().flat_map(|number| [Measure::ShortEdge(number), Measure::Megapixels(number)])
            {
                for shape in [Shape::Own, Shape::Square, Shape::Nearest(Vec::new()), Shape::Nearest(vec![0.0, -1.0]), Shape::Given(0.0)] {
                    for (alignment, decimals) in [(1, 0), (64, 2), (u32::MAX, u32::MAX)] {
                        let rule = Rule { measure, alignment, decimals, shape: shape.clone() };
                        let _ = (rule.place(picture), rule.wish(picture));
                    }
                }
            }
        }
    }
}
