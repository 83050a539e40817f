use super::*;
use urdf_ik_random::random::Random;

const PERIOD: f64 = 0.004;

fn limits() -> Limits {
    Limits {
        domain: Domain::Interval { lower: -0.3, upper: 0.5 },
        velocity: 1.2,
        rates: Rates { acceleration: 5.0, jerk: 50.0 },
    }
}

/// Checks a state against the limits.
fn check([position, velocity, acceleration]: [f64; 3]) {
    assert!((-0.3 - 1e-9..=0.5 + 1e-9).contains(&position), "{position}");
    assert!(velocity.abs() <= 1.2 * (1.0 + 1e-9), "{velocity}");
    assert!(acceleration.abs() <= 5.0 * (1.0 + 1e-9), "{acceleration}");
}

#[test]
fn whatever_is_chosen_keeps_all_limits() {
    let mut random = Random::new(1);
    for period in [0.001, PERIOD, 0.01, 0.02] {
        let mut state = [0.5, 0.0, 0.0];
        let (mut wanted, mut least_reached, mut greatest_reached) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for step in 0..200_000 {
            if step % 40 == 0 {
                wanted = random.between(-80.0, 80.0);
            }
            let [least, greatest] = limits().jerks(state, period);
            assert!(least >= -50.0 && greatest <= 50.0);
            state = after(state, period, f64::clamp(wanted, least, greatest));
            check(state);
            least_reached = state[0].min(least_reached);
            greatest_reached = state[0].max(greatest_reached);
        }
        // The limits are used, too.
        assert!(least_reached < -0.29 && greatest_reached > 0.49, "{least_reached} {greatest_reached}");
    }
}

#[test]
fn the_greatest_value_of_a_narrow_or_endless_interval_is_found() {
    let high = 1.0_f64.next_up();
    assert!(greatest(1.0, high, |value| value < high) < high);
    assert!(greatest(0.0, f64::INFINITY, |value| value < 1.0) < 1.0);
    assert!(greatest(f64::NAN, 1.0, |_| false).is_nan());
    assert!((greatest(0.0, 1.0, |value| value < 0.3) - 0.3).abs() < 1e-8);
}
