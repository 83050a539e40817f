//! Collision avoidance of all motions, under random events around the arm.

use crate::keep_clear_runs::{Commands, Events, Run, Subject};

#[test]
fn runs_among_obstacles_keep_clear() {
    let subject = Subject::arm7();
    let (mut runs, mut moved, mut held) = (0, 0.0, 0);
    for seed in 0..56 {
        let index = usize::try_from(seed).unwrap();
        let (commands, events) = (Commands::ALL[index % 7], Events::ALL[index / 7 % 4]);
        let Some(run) = Run::new(&subject, commands, events, seed) else { continue };
        let judged = run.judge(4.0);
        assert_eq!(judged.broken, None, "{commands:?}, {events:?}, seed {seed}");
        runs += 1;
        moved += judged.moved;
        held += judged.held;
    }
    assert!(runs >= 50, "{runs} runs");
    assert!(moved / f64::from(runs) > 1.0, "{moved} rad in {runs} runs");
    assert!(held > 100, "{held} steps on the fail-safe motion");
}
