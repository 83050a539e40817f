//! The quantity that limits a motion at each time: the one nearest to its limit, if it is at the limit.

use urdf_ik::robot::Chain;
use urdf_ik_plot as plot;

use super::AT_LIMIT;
use super::ratios::{LimitRatio, LimitedQuantity, Owner};

/// Greatest number of limits in the sentence.
const MAX_NAMED: usize = 3;

/// A time interval in which one quantity limits the motion.
pub struct Span {
    /// The joint or tip with the quantity.
    pub owner: Owner,
    pub quantity: LimitedQuantity,
    /// Start of the interval \[s\].
    pub from: f64,
    /// End of the interval \[s\].
    pub to: f64,
}

/// The spans of a motion in order of time. `times` \[s\] has one entry per point of the trajectory, like the values of
/// each ratio. Positions are left out, because they do not limit the speed.
pub fn spans(ratios: &[LimitRatio], times: &[f64]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (index, pair) in times.windows(2).enumerate() {
        let limited = ratios.iter().filter(|ratio| ratio.quantity != LimitedQuantity::Position);
        let nearest = limited.max_by(|a, b| a.values[index].abs().total_cmp(&b.values[index].abs()));
        let Some(ratio) = nearest.filter(|ratio| ratio.values[index].abs() >= AT_LIMIT) else { continue };
        match spans.last_mut() {
            Some(last) if last.to == pair[0] && (last.owner, last.quantity) == (ratio.owner, ratio.quantity) => {
                last.to = pair[1];
            }
            _ => spans.push(Span { owner: ratio.owner, quantity: ratio.quantity, from: pair[0], to: pair[1] }),
        }
    }
    spans
}

/// Names the limits that apply longest, each with its time \[s\].
pub fn sentence(spans: &[Span], chain: &Chain) -> String {
    let mut totals: Vec<(Owner, LimitedQuantity, f64)> = Vec::new();
    for span in spans {
        let time = span.to - span.from;
        match totals.iter_mut().find(|total| (total.0, total.1) == (span.owner, span.quantity)) {
            Some(total) => total.2 += time,
            None => totals.push((span.owner, span.quantity, time)),
        }
    }
    totals.sort_by(|a, b| b.2.total_cmp(&a.2));
    let named = totals.iter().take(MAX_NAMED).map(|(owner, quantity, time)| {
        let of = match owner {
            Owner::Tip => "the tip",
            Owner::Joint(joint) => &chain.variables()[*joint].name,
        };
        format!("{} of {} ({time:.2} s)", short_name(*quantity), plot::short(of))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { "No limit is reached".into() } else { format!("Limited by the {}", named.join(", the ")) }
}

/// The name of a quantity, without its owner.
pub fn short_name(quantity: LimitedQuantity) -> &'static str {
    match quantity {
        LimitedQuantity::TipSpeed => "speed",
        LimitedQuantity::Position => "position",
        LimitedQuantity::Velocity => "velocity",
        LimitedQuantity::TipAcceleration | LimitedQuantity::Acceleration => "acceleration",
        LimitedQuantity::Jerk => "jerk",
    }
}
