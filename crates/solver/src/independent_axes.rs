//! Axes of a tip that a chain controls independently, and the remaining axes, which targets should leave free.

use nalgebra::{DMatrix, Point3, Vector6};

use super::search::SeedTable;
use urdf_ik_robot::{Chain, ChainPoses, Domain};

/// Number of configurations in which the Jacobian is computed.
const SAMPLES: usize = 32;
/// Singular values below this fraction of the largest one count as zero. Well above the misalignment of nominally
/// parallel joint axes, and well below the values of arms away from singularities.
const NEGLIGIBLE_SHARE: f64 = 1e-3;
/// Sets of axes with at least this fraction of the best quality are eligible.
const MIN_QUALITY_SHARE: f64 = 0.5;

/// The Jacobian of a tip in one configuration.
struct JacobianSample {
    /// Jacobian in the tip's frame, position rows over the length scale, with one column per movable variable, per
    /// radian or per length scale.
    jacobian: DMatrix<f64>,
    /// Singular values up to this one count as zero.
    negligible: f64,
}

/// Implements [`Solver::sensible_free_axes`](super::Solver::sensible_free_axes). `length_scale` is the position error
/// \[m\] that counts as one radian.
pub fn sensible_free_axes(chain: &Chain, tip: usize, length_scale: f64) -> [bool; 6] {
    let samples = jacobian_samples(chain, tip, length_scale);
    let rank = |sample: &JacobianSample| {
        singular_values(&sample.jacobian, [true; 6]).partition_point(|value| *value > sample.negligible)
    };
    let mut ranks: Vec<usize> = samples.iter().map(rank).collect();
    ranks.sort_unstable();
    let typical = ranks.get(ranks.len() / 2).copied().unwrap_or(6);
    let positions = |kept: &[bool; 6]| kept[..3].iter().filter(|kept| **kept).count();
    let mut sets: Vec<([bool; 6], f64)> =
        sets_of(typical).filter_map(|kept| Some((kept, quality(&samples, kept)?))).collect();
    let most = sets.iter().map(|(kept, _)| positions(kept)).max().unwrap_or(0);
    sets.retain(|(kept, _)| positions(kept) == most);
    let best = sets.iter().map(|(_, quality)| *quality).fold(0.0, f64::max);
    sets.retain(|(_, quality)| *quality >= MIN_QUALITY_SHARE * best);
    // The last link points along the tool, whose rotation about itself is the least needed axis.
    let placement = chain.tips()[tip].placement;
    let along = placement.rotation.inverse_transform_vector(&placement.translation.vector);
    let alignment =
        |kept: &[bool; 6]| (3..6).filter(|axis| !kept[*axis]).map(|axis| along[axis - 3].abs()).fold(0.0, f64::max);
    let most = sets.iter().map(|(kept, _)| alignment(kept)).fold(0.0, f64::max);
    let chosen = sets.iter().find(|(kept, _)| alignment(kept) >= most);
    chosen.map_or([false; 6], |(kept, _)| kept.map(|kept| !kept))
}

/// Geometric mean of the smallest singular value of the constrained rows; `None` if these rows are dependent in
/// most configurations.
fn quality(samples: &[JacobianSample], kept: [bool; 6]) -> Option<f64> {
    let (mut independent, mut sum) = (0, 0.0);
    for sample in samples {
        let smallest = singular_values(&sample.jacobian, kept).last().copied().unwrap_or(0.0);
        independent += usize::from(smallest > sample.negligible);
        // A single singular configuration must not dominate the mean.
        sum += smallest.max(sample.negligible).ln();
    }
    #[expect(clippy::cast_precision_loss, reason = "a few configurations")]
    let mean = sum / samples.len() as f64;
    (2 * independent > samples.len()).then(|| mean.exp())
}

/// Sets of `count` out of six axes, those with earlier axes first.
fn sets_of(count: usize) -> impl Iterator<Item = [bool; 6]> {
    let sets = (0_u32..64).rev().filter(move |bits| bits.count_ones() as usize == count);
    sets.map(|bits| [5, 4, 3, 2, 1, 0].map(|axis| bits >> axis & 1 == 1))
}

/// Jacobians of the tip in configurations spread over the working ranges of the chain.
fn jacobian_samples(chain: &Chain, tip: usize, length_scale: f64) -> Vec<JacobianSample> {
    let variables = chain.variables();
    let ranges: Vec<Domain> = variables.iter().map(|variable| variable.working_range).collect();
    let moving: Vec<usize> = (0..variables.len())
        .filter(|&i| !matches!(ranges[i], Domain::Interval { lower, upper } if lower >= upper))
        .collect();
    let table = SeedTable::new(chain, ranges, length_scale);
    let mut configuration = vec![0.0; variables.len()];
    let mut poses = ChainPoses::new(chain);
    let mut columns = vec![Vector6::zeros(); variables.len()];
    let mut samples = Vec::with_capacity(SAMPLES);
    for index in 0..SAMPLES {
        table.sample(index, 0, &mut configuration);
        chain.forward_kinematics(&configuration, &mut poses);
        let pose = poses.tips()[tip];
        chain.jacobian(&poses, tip, &Point3::from(pose.translation.vector), &mut columns);
        let jacobian = DMatrix::from_fn(6, moving.len(), |row, column| {
            let variable = moving[column];
            let unit = if variables[variable].prismatic { length_scale } else { 1.0 };
            let twist = &columns[variable];
            let part = pose.rotation.inverse_transform_vector(&twist.fixed_rows::<3>(row / 3 * 3).into_owned());
            part[row % 3] * unit / if row < 3 { length_scale } else { 1.0 }
        });
        // Strokes near the largest numbers overflow.
        if jacobian.iter().all(|entry| entry.is_finite()) {
            let negligible = NEGLIGIBLE_SHARE * singular_values(&jacobian, [true; 6])[0];
            samples.push(JacobianSample { jacobian, negligible });
        }
    }
    samples
}

/// Singular values of the constrained rows, the largest first, padded with zeros to one per row. All zero if the
/// decomposition does not converge.
fn singular_values(jacobian: &DMatrix<f64>, kept: [bool; 6]) -> Vec<f64> {
    let rows: Vec<usize> = (0..6).filter(|&row| kept[row]).collect();
    let part = jacobian.select_rows(&rows);
    let mut values = if part.is_empty() {
        Vec::new()
    } else {
        let found = part.try_svd(false, false, f64::EPSILON, 1000);
        found.map(|svd| svd.singular_values.as_slice().to_vec()).unwrap_or_default()
    };
    values.resize(rows.len(), 0.0);
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    values
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{DMatrix, singular_values};
    use crate::{Method, Solver, names_of_free_axes};
    use urdf_ik_robot::{Chain, Robot};

    fn robot(joints: &str) -> Robot {
        let mut links: Vec<&str> = joints.split('\'').skip(1).step_by(2).filter(|name| name.starts_with('l')).collect();
        links.sort_unstable();
        links.dedup();
        let links: Vec<String> = links.iter().map(|name| format!("<link name='{name}'/>")).collect();
        Robot::from_urdf(&format!("<robot name='small'>{}{joints}</robot>", links.concat())).unwrap()
    }

    /// A joint from one link to another, `inside` among its children.
    fn joint(kind: &str, [parent, child]: [&str; 2], xyz: &str, axis: &str, inside: &str) -> String {
        format!(
            "<joint name='to_{child}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>
             <origin xyz='{xyz}'/><axis xyz='{axis}'/>{inside}</joint>"
        )
    }

    /// Continuous joints one after the other, each with its origin in the frame before and its axis; then a fixed
    /// joint to the tip at `end`.
    fn arm(turns: &[(&str, &str)], end: &str) -> Robot {
        let name = |index: usize| format!("l{index}");
        let mut joints = String::new();
        for (index, (xyz, axis)) in turns.iter().enumerate() {
            joints += &joint("continuous", [&name(index), &name(index + 1)], xyz, axis, "");
        }
        let last = name(turns.len());
        robot(&(joints + &joint("fixed", [&last, "ltip"], end, "0 0 1", "")))
    }

    fn free(robot: &Robot, tips: &[&str]) -> Vec<String> {
        let chain = Arc::new(Chain::with_defaults(robot, None, tips).unwrap());
        let solver = Solver::prepare(Method::default(), &chain).unwrap();
        let names = |tip| names_of_free_axes(solver.sensible_free_axes(tip)).join(" ");
        (0..chain.tips().len()).map(names).collect()
    }

    const YAW: (&str, &str) = ("0 0 0.3", "0 0 1");
    const SHOULDER: (&str, &str) = ("0 0 0.1", "0 1 0");
    const ELBOW: (&str, &str) = ("0 0 0.4", "0 1 0");

    #[test]
    fn no_row_has_no_singular_value() {
        assert!(singular_values(&DMatrix::zeros(6, 2), [false; 6]).is_empty());
        assert_eq!(singular_values(&DMatrix::zeros(6, 0), [true; 6]).len(), 6);
    }

    #[test]
    fn planar_arms_keep_the_plane() {
        let shoulder = ("0 0 0", "0 0 1");
        let next = ("0.5 0 0", "0 0 1");
        assert_eq!(free(&arm(&[shoulder, next], "0.4 0 0"), &[]), ["z rx ry rz"]);
        assert_eq!(free(&arm(&[shoulder, next, next], "0.4 0 0"), &[]), ["z rx ry"]);
        // More joints add nothing.
        assert_eq!(free(&arm(&[shoulder, next, next, next, next, next, next], "0.4 0 0"), &[]), ["z rx ry"]);
    }

    #[test]
    fn spatial_arms_keep_their_position() {
        assert_eq!(free(&arm(&[YAW, SHOULDER, ELBOW], "0 0 0.3"), &[]), ["rx ry rz"]);
        // Three parallel axes and a prismatic joint along them.
        let parallel = ("0.3 0 0", "0 0 1");
        let stroke = joint("prismatic", ["l3", "ltool"], "0.1 0 0", "0 0 -1", "<limit lower='0' upper='0.2'/>");
        let joints: String = (0..3)
            .map(|i| joint("continuous", [&format!("l{i}"), &format!("l{}", i + 1)], parallel.0, parallel.1, ""))
            .collect();
        assert_eq!(free(&robot(&(joints + &stroke)), &[]), ["rx ry"]);
    }

    #[test]
    fn five_joints_leave_one_turn_free() {
        // A six-axis arm without its last joint, which rotates the tool about itself: only the tool's direction counts.
        let forearm = ("0 0 0.1", "0 0 1");
        let wrist = ("0 0 0.3", "0 1 0");
        assert_eq!(free(&arm(&[YAW, SHOULDER, ELBOW, forearm, wrist], "0 0 0.2"), &[]), ["rz"]);
        // With it but without the roll of the forearm, the last joint alone can rotate the tool: rz must not be free,
        // because the four joints that remain cannot meet the other five axes.
        assert_eq!(free(&arm(&[YAW, SHOULDER, ELBOW, wrist, forearm], "0 0 0.2"), &[]), ["ry"]);
    }

    #[test]
    fn an_arm_whose_last_link_points_along_an_up_vector_may_turn_about_it() {
        // Yaw, roll and shoulder cross in one point; elbow and wrist are parallel to the shoulder. The last
        // link is along y.
        let crossing = |axis| ("0 0 0", axis);
        let links =
            [crossing("0 1 0"), crossing("0 0 1"), crossing("1 0 0"), ("0 0.4 0", "1 0 0"), ("0 0.3 0", "1 0 0")];
        assert_eq!(free(&arm(&links, "0 0.1 0"), &[]), ["ry"]);
    }

    #[test]
    fn nothing_is_free_of_six_and_seven_joints() {
        let (forearm, wrist, flange) = (("0 0 0.1", "0 0 1"), ("0 0 0.3", "0 1 0"), ("0 0 0.1", "0 0 1"));
        assert_eq!(free(&arm(&[YAW, SHOULDER, ELBOW, forearm, wrist, flange], "0 0 0.1"), &[]), [""]);
        assert_eq!(free(&arm(&[YAW, SHOULDER, flange, ELBOW, forearm, wrist, flange], "0 0 0.1"), &[]), [""]);
    }

    #[test]
    fn mimic_joints_and_joints_without_range_do_not_count() {
        let planar = |inside: &str, kind: &str| {
            let joints = joint("continuous", ["l0", "l1"], "0 0 0", "0 0 1", "")
                + &joint("continuous", ["l1", "l2"], "0.5 0 0", "0 0 1", "")
                + &joint(kind, ["l2", "l3"], "0.4 0 0", "0 0 1", inside)
                + &joint("fixed", ["l3", "l4"], "0.3 0 0", "0 0 1", "");
            free(&robot(&joints), &[])
        };
        assert_eq!(planar("", "continuous"), ["z rx ry"]);
        assert_eq!(planar("<mimic joint='to_l2' multiplier='-0.5'/>", "continuous"), ["z rx ry rz"]);
        assert_eq!(planar("<limit lower='0.2' upper='0.2'/>", "revolute"), ["z rx ry rz"]);
    }

    #[test]
    fn each_tip_of_a_tree_has_its_own() {
        let joints = joint("continuous", ["l0", "l1"], "0 0 0", "0 0 1", "")
            + &joint("continuous", ["l1", "l2"], "0.5 0 0", "0 0 1", "")
            + &joint("fixed", ["l2", "lshort"], "0.4 0 0", "0 0 1", "")
            + &joint("continuous", ["l1", "l3"], "0 0.5 0", "0 1 0", "")
            + &joint("continuous", ["l3", "llong"], "0.4 0 0", "0 1 0", "")
            + &joint("fixed", ["llong", "lend"], "0.3 0 0", "0 1 0", "");
        assert_eq!(free(&robot(&joints), &["lshort", "lend"]), ["z rx ry rz", "rx ry rz"]);
    }

    #[test]
    fn huge_strokes_break_nothing() {
        let joints = joint("prismatic", ["l0", "l1"], "0 0 0", "0 0 1", "<limit lower='-1e308' upper='1e308'/>")
            + &joint("continuous", ["l1", "l2"], "0.5 0 0", "0 0 1", "")
            + &joint("fixed", ["l2", "l3"], "0.4 0 0", "0 0 1", "");
        assert_eq!(free(&robot(&joints), &[]).len(), 1);
    }
}
