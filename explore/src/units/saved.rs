//! A campaign written down: the sum of results so far, so that they need not be kept.

use super::campaign::{Campaign, kept};
use super::{Unit, UnitName, UnitResult, Work};
use crate::reads_from::subtree::SharedPoints;
use crate::refinement::root::Beyond;
use crate::refinement::truncated::{Gathered, SavedGathered, SavedUnfinished, Unfinished};
use crate::source_sets::Grain;
use crate::source_sets::stretches::{Number, Stretches};
use crate::{Exploration, ExploreOptions};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use symx_interp::Learned;
use symx_interp::environment::Environment;
use symx_interp::machine::Machine;
use symx_trace::Nesting;

/// All of a campaign except what follows from the program and the options.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedCampaign {
    epoch: u64,
    sites: BTreeSet<u64>,
    known: Learned,
    learned: Learned,
    /// The reason that is beyond the walk over classes, and whether it is a contradiction.
    beyond: Option<(bool, String)>,
    has_source_sets: bool,
    grain: Grain,
    failures_before: usize,
    is_whole: bool,
    may_be_divided: bool,
    is_divided: bool,
    open: BTreeMap<UnitName, Unit>,
    points: SharedPoints,
    stretches: Stretches,
    numbers: BTreeMap<UnitName, Number>,
    unfinished: SavedUnfinished,
    gathered: SavedGathered,
    /// The counts and findings.
    counted: UnitResult,
    havocked: BTreeSet<String>,
    nestings: Vec<Nesting>,
    done: f64,
    has_ended: bool,
}

impl Campaign {
    /// The campaign as data.
    pub fn save(&self) -> SavedCampaign {
        let mut points = self.points.clone();
        points.retain(self.open.values().filter_map(|unit| match &unit.work {
            Work::Classes(subtree) => Some(subtree),
            Work::SourceSets(_) => None,
        }));
        let beyond = self.beyond.map(|beyond| match beyond {
            Beyond::Uncovered(what) => (false, what.to_owned()),
            Beyond::Contradiction(what) => (true, what.to_owned()),
        });
        let counted = Exploration { beyond: None, ..self.result.clone() };
        SavedCampaign {
            epoch: self.epoch,
            sites: self.sites.clone(),
            known: self.known.clone(),
            learned: self.learned.clone(),
            beyond,
            has_source_sets: self.has_source_sets,
            grain: self.grain,
            failures_before: self.failures_before,
            is_whole: self.is_whole,
            may_be_divided: self.may_be_divided,
            is_divided: self.is_divided,
            open: self.open.clone(),
            points,
            stretches: self.stretches.clone(),
            numbers: self.numbers.clone(),
            unfinished: self.gathered.unfinished().save(),
            gathered: self.gathered.save(),
            counted: UnitResult::of(counted),
            havocked: self.havocked.clone(),
            nestings: self.nestings.iter().cloned().collect(),
            done: self.done,
            has_ended: self.has_ended,
        }
    }

    /// The campaign that was saved, of the same program and options.
    pub fn restored<E: Environment>(
        machine: &Machine<E>,
        options: &ExploreOptions,
        saved: SavedCampaign,
    ) -> Self {
        let beyond = saved.beyond.map(|(is_contradiction, what)| match is_contradiction {
            true => Beyond::Contradiction(kept(&what)),
            false => Beyond::Uncovered(kept(&what)),
        });
        let mut campaign = Self::new(machine, options);
        campaign.epoch = saved.epoch;
        campaign.sites = saved.sites;
        (campaign.known, campaign.learned) = (saved.known, saved.learned);
        (campaign.beyond, campaign.has_source_sets) = (beyond, saved.has_source_sets);
        (campaign.grain, campaign.failures_before) = (saved.grain, saved.failures_before);
        campaign.is_whole = saved.is_whole;
        (campaign.may_be_divided, campaign.is_divided) = (saved.may_be_divided, saved.is_divided);
        (campaign.open, campaign.points) = (saved.open, saved.points);
        (campaign.stretches, campaign.numbers) = (saved.stretches, saved.numbers);
        campaign.gathered = Gathered::restored(&saved.gathered).with(Unfinished::restored(&saved.unfinished));
        campaign.result = saved.counted.counted();
        campaign.havocked = saved.havocked;
        campaign.nestings = saved.nestings.into_iter().collect();
        (campaign.done, campaign.has_ended) = (saved.done, saved.has_ended);
        campaign
    }
}
