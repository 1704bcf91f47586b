//! Pictures in their buckets, with their paths: what the checks of buckets go through.

use crate::model::{BucketTable, DatasetFacts, Member, RelPath, SampleIndex};

/// Path of a sample. Samples are in the order of their numbers, with gaps where a file turned out to be no image.
pub(super) fn path_of<'a>(facts: &DatasetFacts<'a>, sample: SampleIndex) -> Option<&'a RelPath> {
    let at = facts.samples.binary_search_by_key(&sample, |brief| brief.index).ok()?;
    facts.samples.get(at).map(|brief| &brief.path)
}

/// The pictures of a table for which something holds, each once and in the order of their paths.
pub(super) fn members(table: &BucketTable, holds: impl Fn(&Member) -> bool) -> Vec<&Member> {
    let mut members: Vec<&Member> = table.buckets.iter().flat_map(|bucket| &bucket.members).filter(|member| holds(member)).collect();
    members.sort_by_key(|member| member.sample);
    members.dedup_by_key(|member| member.sample);
    members
}

/// Their paths.
pub(super) fn paths<'a>(facts: &DatasetFacts<'_>, samples: impl IntoIterator<Item = &'a Member>) -> Vec<RelPath> {
    let mut paths: Vec<RelPath> = samples.into_iter().filter_map(|member| path_of(facts, member.sample).cloned()).collect();
    paths.dedup();
    paths
}
