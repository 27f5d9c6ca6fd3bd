//! The parameters of one point of a curve.

use nearmiss_filters::ladder::{MAX_RUNGS, Params};

use crate::figures::{power_of_two, scientific};

/// A parameter that a curve can be drawn over, or that curves can differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Bits,
    Rungs,
    Threshold,
    Steps,
    Frequency,
    Observations,
    Users,
    Height,
}

/// One point: each command uses the fields for its flags.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) bits: u64,
    pub(crate) rungs: u32,
    pub(crate) threshold: u32,
    pub(crate) steps: u32,
    pub(crate) frequency: f64,
    pub(crate) observations: u32,
    pub(crate) users: u32,
    pub(crate) height: u32,
}

impl Default for Case {
    fn default() -> Case {
        Case {
            bits: 1 << 29,
            rungs: 48,
            threshold: 44,
            steps: 1,
            frequency: 1e-6,
            observations: 30,
            users: 0,
            height: 0,
        }
    }
}

impl Over {
    /// By its name on the command line.
    pub(crate) fn named(name: &str) -> Option<Over> {
        use Over::{Bits, Frequency, Height, Observations, Rungs, Steps, Threshold, Users};
        let all = [Bits, Rungs, Threshold, Steps, Frequency, Observations, Users, Height];
        all.into_iter().find(|over| over.name() == name)
    }

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Over::Bits => "bits",
            Over::Rungs => "rungs",
            Over::Threshold => "threshold",
            Over::Steps => "steps",
            Over::Frequency => "frequency",
            Over::Observations => "observations",
            Over::Users => "users",
            Over::Height => "height",
        }
    }

    /// The axis' label.
    pub(super) fn label(self) -> &'static str {
        match self {
            Over::Bits => "bits of the array, N",
            Over::Rungs => "rungs of a password, H",
            Over::Threshold => "threshold, T",
            Over::Steps => "steps for one observation",
            Over::Frequency => "frequency of the password, f",
            Over::Observations => "observation of the password, s",
            Over::Users => "users who have the password",
            Over::Height => "height before the steps",
        }
    }

    pub(super) fn is_by_decades(self) -> bool {
        matches!(self, Over::Bits | Over::Frequency)
    }

    /// The values on the axis: within this range, or around the value of the case.
    pub(super) fn places(self, case: &Case, range: Option<(f64, f64)>) -> Vec<f64> {
        let (lowest, highest) = range.unwrap_or_else(|| self.usual_range(case));
        match self {
            Over::Frequency => {
                let (first, last) =
                    ((24.0 * lowest.log10()).round() as i32, (24.0 * highest.log10()).round() as i32);
                (first..=last).map(|number| 10_f64.powf(f64::from(number) / 24.0).min(1.0)).collect()
            }
            Over::Bits => {
                let (first, last) = (lowest.log2().round() as i32, highest.log2().round() as i32);
                (first..=last).map(|power| 2_f64.powi(power)).collect()
            }
            _ => (lowest.round() as u32..=highest.round() as u32).map(f64::from).collect(),
        }
    }

    fn usual_range(self, case: &Case) -> (f64, f64) {
        let whole = |least: u32, most: u32| (f64::from(least), f64::from(most));
        match self {
            Over::Bits => ((case.bits >> 6).max(1 << 9) as f64, (case.bits << 3).min(1 << 36) as f64),
            Over::Rungs => whole(case.threshold.max(2), case.threshold.saturating_mul(2).min(MAX_RUNGS)),
            Over::Threshold => whole(case.rungs / 2, case.rungs),
            Over::Steps => whole(1, (case.rungs / 2).max(1)),
            Over::Frequency => ((case.frequency / 100.0).max(1e-11), (case.frequency * 100.0).min(0.1)),
            Over::Observations => whole(1, case.observations),
            Over::Users => whole(0, case.threshold.div_ceil(case.steps.max(1))),
            Over::Height => whole(0, case.rungs.saturating_sub(case.steps)),
        }
    }
}

impl Case {
    /// The same with another value of a parameter.
    pub(crate) fn with(self, over: Over, value: f64) -> Case {
        let (mut case, whole) = (self, value.round() as u32);
        match over {
            Over::Bits => case.bits = value.round() as u64,
            Over::Rungs => case.rungs = whole,
            Over::Threshold => case.threshold = whole,
            Over::Steps => case.steps = whole,
            Over::Frequency => case.frequency = value,
            Over::Observations => case.observations = whole,
            Over::Users => case.users = whole,
            Over::Height => case.height = whole,
        }
        case
    }

    /// The value of a parameter.
    pub(crate) fn get(&self, over: Over) -> f64 {
        match over {
            Over::Bits => self.bits as f64,
            Over::Rungs => f64::from(self.rungs),
            Over::Threshold => f64::from(self.threshold),
            Over::Steps => f64::from(self.steps),
            Over::Frequency => self.frequency,
            Over::Observations => f64::from(self.observations),
            Over::Users => f64::from(self.users),
            Over::Height => f64::from(self.height),
        }
    }

    /// A parameter in the form of a formula.
    pub(super) fn shown(&self, over: Over) -> String {
        match over {
            Over::Bits => format!("N = {}", power_of_two(self.bits)),
            Over::Rungs => format!("H = {}", self.rungs),
            Over::Threshold => format!("T = {}", self.threshold),
            Over::Steps if self.steps == 1 => "1 step".to_owned(),
            Over::Steps => format!("{} steps", self.steps),
            Over::Frequency => format!("f = {}", scientific(self.frequency)),
            Over::Observations => format!("observation {}", self.observations),
            Over::Users => format!("{} users", self.users),
            Over::Height => format!("from height {}", self.height),
        }
    }

    /// Every case with each of these values, if there are any.
    pub(crate) fn each<V: Copy>(cases: &[Case], values: &[V], set: fn(&mut Case, V)) -> Vec<Case> {
        if values.is_empty() {
            return cases.to_vec();
        }
        let with = |case: &Case, value: V| {
            let mut case = *case;
            set(&mut case, value);
            case
        };
        cases.iter().flat_map(|case| values.iter().map(move |&value| with(case, value))).collect()
    }

    /// The ladder of this case.
    pub(crate) fn params(&self) -> std::io::Result<Params> {
        let params = Params::new(self.bits, self.rungs, self.threshold, self.steps);
        params.map_err(std::io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_values_are_a_case_each() {
        let cases = Case::each(&[Case::default()], &[44, 48], |case, value| case.threshold = value);
        let cases = Case::each(&cases, &[1e-6, 2e-8], |case, value| case.frequency = value);
        assert_eq!(cases.len(), 4);
        assert_eq!(cases.last().map(|case| case.shown(Over::Frequency)), Some("f = 2·10⁻⁸".to_owned()));
    }

    #[test]
    fn places_are_around_what_a_case_says_or_within_a_range() {
        let case = Case::default();
        let places = |over: Over, range| over.places(&case, range);
        assert_eq!(places(Over::Threshold, None).first(), Some(&24.0));
        assert_eq!(places(Over::Threshold, Some((40.0, 42.0))), [40.0, 41.0, 42.0]);
        assert_eq!(places(Over::Bits, Some((1024.0, 4096.0))), [1024.0, 2048.0, 4096.0]);
        assert_eq!(places(Over::Frequency, None).len(), 97);
        assert!((case.with(Over::Frequency, 0.5).get(Over::Frequency) - 0.5).abs() < 1e-12);
    }
}
