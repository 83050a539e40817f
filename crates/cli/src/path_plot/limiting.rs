//! What limits a motion: at each time, the quantity that is nearest to its limit, if it is at it.

use urdf_ik::robot::Chain;
use urdf_ik_plot as plot;

use super::AT_LIMIT;
use super::shares::{Owner, Quantity, Share};

/// Parts named in the sentence.
const NAMED: usize = 3;

/// A time in which one quantity limits the motion.
pub struct Span {
    pub owner: Owner,
    pub quantity: Quantity,
    /// \[s\]
    pub from: f64,
    pub to: f64,
}

/// The spans of a motion, one after the other. A position at its limit does not slow the motion down.
pub fn spans(shares: &[Share], times: &[f64]) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for (index, pair) in times.windows(2).enumerate() {
        let limited = shares.iter().filter(|share| share.quantity != Quantity::Position);
        let nearest = limited.max_by(|a, b| a.values[index].abs().total_cmp(&b.values[index].abs()));
        let Some(share) = nearest.filter(|share| share.values[index].abs() >= AT_LIMIT) else { continue };
        match spans.last_mut() {
            Some(last) if last.to == pair[0] && (last.owner, last.quantity) == (share.owner, share.quantity) => {
                last.to = pair[1];
            }
            _ => spans.push(Span { owner: share.owner, quantity: share.quantity, from: pair[0], to: pair[1] }),
        }
    }
    spans
}

/// What limits the motion longest.
pub fn sentence(spans: &[Span], chain: &Chain) -> String {
    let mut totals: Vec<(Owner, Quantity, f64)> = Vec::new();
    for span in spans {
        let time = span.to - span.from;
        match totals.iter_mut().find(|total| (total.0, total.1) == (span.owner, span.quantity)) {
            Some(total) => total.2 += time,
            None => totals.push((span.owner, span.quantity, time)),
        }
    }
    totals.sort_by(|a, b| b.2.total_cmp(&a.2));
    let named = totals.iter().take(NAMED).map(|(owner, quantity, time)| {
        let of = match owner {
            Owner::Tip => "the tip",
            Owner::Joint(joint) => &chain.variables()[*joint].name,
        };
        format!("{} of {} ({time:.2} s)", short_name(*quantity), plot::short(of))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { "No limit is reached".into() } else { format!("Limited by the {}", named.join(", the ")) }
}

/// Its name in a word.
pub fn short_name(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::TipSpeed => "speed",
        Quantity::Position => "position",
        Quantity::Velocity => "velocity",
        Quantity::TipAcceleration | Quantity::Acceleration => "acceleration",
        Quantity::Jerk => "jerk",
    }
}
