//! Keeps the books of a run: a few facts of each sample, counts, the fingerprint, and what the user's rules leave of findings.

use super::sieve::Sieve;
use super::tally::Tally;
use crate::checks;
use crate::manifest::Fingerprint;
use crate::model::{
    Confirmed, DatasetFacts, Finding, Inventory, MetadataFacts, Outlook, Profile, RecipeFault, SampleBrief, SampleReport, Size, Summary,
};
use crate::settings::Rules;
use crate::trainers::Panel;

/// The books of one run.
#[derive(Debug)]
pub(super) struct Ledger<'a> {
    sieve: Sieve<'a>,
    briefs: Vec<SampleBrief>,
    summary: Summary,
    fingerprint: Fingerprint,
    panel: &'a Panel<'a>,
    tally: Tally,
}

impl<'a> Ledger<'a> {
    /// Empty books; whether a witness testifies is to be said.
    pub(super) fn new(rules: &'a Rules, panel: &'a Panel<'a>, has_witness: bool) -> Self {
        let summary = Summary { confirmed: has_witness.then(Confirmed::default), ..Summary::default() };
        Self { sieve: Sieve::new(rules), briefs: Vec::new(), summary, fingerprint: Fingerprint::new(), panel, tally: Tally::new(panel) }
    }

    /// Enters a sample and returns its report as the user wants to see it. Samples come in order.
    pub(super) fn enter(&mut self, report: SampleReport) -> SampleReport {
        self.sieve.learn(&report);
        let SampleReport { facts, findings, fates } = report;
        let brief = SampleBrief::of(&facts);
        if let Some(confirmed) = &mut self.summary.confirmed {
            confirmed.count(&facts);
        }
        self.summary.samples += 1;
        self.summary.usable += u64::from(brief.is_usable());
        self.summary.captioned += u64::from(brief.caption.is_some());
        self.summary.bytes += brief.size_bytes;
        self.summary.pixels += brief.size.filter(|_| brief.is_usable()).map_or(0, Size::pixels);
        let caption = facts.caption.read().map(|caption| caption.content);
        let [image, caption] = [&brief.content, &caption].map(|content| content.as_ref().map(|content| &content.0));
        self.fingerprint.add(brief.path.as_str(), image, caption);
        self.tally.enter(self.panel, brief.index, &fates);
        self.briefs.push(brief);
        // At a trainer's own defaults only the sum says something.
        let fates = if self.panel.is_chosen() { fates } else { Vec::new() };
        SampleReport { facts, findings: self.pass(findings), fates }
    }

    /// What the checks of the whole dataset find, as the user wants to see it.
    pub(super) fn judge(
        &mut self,
        inventory: &Inventory,
        metadata: &[MetadataFacts],
        profile: &Profile,
        faults: &[RecipeFault],
    ) -> Vec<Finding> {
        let briefs = std::mem::take(&mut self.briefs);
        self.summary.outlooks = std::mem::take(&mut self.tally).close(self.panel, inventory);
        let buckets: Vec<_> = self.summary.outlooks.iter().filter_map(|outlook| outlook.buckets.as_ref()).collect();
        let mut found = checks::check_dataset(&DatasetFacts { inventory, samples: &briefs, metadata, buckets: &buckets }, profile);
        found.extend(faults.iter().map(checks::recipe_fault));
        let is_empty = |outlook: &&Outlook| outlook.train + outlook.distort + outlook.stop == 0 && outlook.skip + outlook.replace > 0;
        found.extend(self.summary.outlooks.iter().filter(|_| self.panel.is_chosen()).filter(is_empty).map(checks::nothing_left));
        found.extend(self.panel.obstructions().iter().map(|(trainer, obstruction)| checks::obstruction(trainer, obstruction)));
        self.panel.consider(&mut found);
        found.sort_by(checks::by_weight);
        let mut findings = self.pass(found);
        let file = self.sieve.settings_file();
        let stale: Vec<_> =
            self.sieve.stale().map(|(ignore, wrong)| checks::unused_ignore(&file, &ignore.pattern, &ignore.reason, wrong)).collect();
        findings.extend(self.pass(stale));
        let file = self.sieve.baseline_file();
        let stale: Vec<_> = self
            .sieve
            .stale_entries()
            .map(|(code, known, wrong)| checks::unused_ignore(&file, format!("{code} {}", known.path).trim(), &known.reason, wrong))
            .collect();
        findings.extend(self.pass(stale));
        findings
    }

    /// The run in numbers.
    pub(super) fn close(mut self, interrupted: bool) -> Summary {
        self.summary.interrupted = interrupted;
        self.summary.ignored = self.sieve.ignored;
        self.summary.fingerprint = self.fingerprint.finish();
        self.summary
    }

    fn pass(&mut self, found: Vec<Finding>) -> Vec<Finding> {
        let findings: Vec<Finding> = found.into_iter().filter_map(|finding| self.sieve.pass(finding)).collect();
        for finding in &findings {
            self.summary.findings.add(finding.level);
        }
        findings
    }
}
