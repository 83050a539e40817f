//! x
fn main() {
    if std::env::args().any(|a| a == "three") { return exp3::run() }
    if std::env::args().any(|a| a == "two") { exp2::run() } else { exp::run() }
}
mod exp {
use nalgebra::Vector3;
use urdf_ik::solver::fabrik::points::*;
pub struct R(u64);
impl R {
    pub fn new(seed: u64) -> Self { let mut r = Self(seed); r.bits(); r }
    fn bits(&mut self) -> u32 { self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407); (self.0 >> 32) as u32 }
    pub fn unit(&mut self) -> f64 { f64::from(self.bits()) / 4294967296.0 }
    pub fn between(&mut self, a: f64, b: f64) -> f64 { a + self.unit() * (b - a) }
    pub fn dir(&mut self) -> Vector3<f64> { let z = self.between(-1.0, 1.0); let a = self.between(0.0, std::f64::consts::TAU); let r = (1.0 - z * z).sqrt(); Vector3::new(r * a.cos(), r * a.sin(), z) }
}
pub fn arc(n: usize, reach: f64, turn: f64) -> Vec<Vector3<f64>> {
    let l = reach / n as f64;
    let mut p = vec![Vector3::zeros()];
    for i in 0..n { let a = turn * ((i as f64 + 0.5) / n as f64 - 0.5); let q = p[i] + Vector3::new(a.cos(), a.sin(), 0.0) * l; p.push(q); }
    p
}
pub fn run() {
    let args: Vec<String> = std::env::args().collect();
    let turn: f64 = args.get(1).and_then(|a| a.parse().ok()).unwrap_or(1.0);
    for n in [10usize, 100, 1000] {
        for ratio in [0.5, 0.8, 0.95, 0.99, 0.999] {
            print!("{n:5} {ratio:6}: ");
            for (acc, circles) in [(0, false), (0, true), (1, false), (3, false), (5, false), (5, true), (8, false), (12, false)] {
                let o = Options { cycles: 100_000, acceleration: acc, circles, ..Options::default() };
                let start = arc(n, 1.0, turn);
                let c = PointChain::from_points(&start).unwrap();
                let (mut s, mut sol) = (c.scratch(&o), c.solution());
                let mut r = R::new(3);
                let (mut sum, mut bad, mut mixed) = (0, 0, 0);
                let runs = if n == 1000 { 10 } else { 30 };
                for _ in 0..runs {
                    let target = r.dir() * ratio;
                    c.solve(&Problem { target, root: Root::Fixed, points: &start, options: o }, &mut s, &mut sol).unwrap();
                    sum += sol.cycles; mixed += sol.mixed;
                    if sol.outcome != Outcome::Solved { bad += 1; }
                }
                print!(" {:8.1}({:.2},{bad})", f64::from(sum as u32) / f64::from(runs), mixed as f64 / sum as f64);
            }
            println!();
        }
    }
}
}
mod exp2 {
use super::exp::*;
use nalgebra::Vector3;
use urdf_ik::solver::fabrik::points::*;
fn one(start: &[Vector3<f64>], target: Vector3<f64>, acc: usize) -> (usize, Outcome, f64) {
    let o = Options { cycles: 100_000, acceleration: acc, ..Options::default() };
    let c = PointChain::from_points(start).unwrap();
    let (mut s, mut sol) = (c.scratch(&o), c.solution());
    c.solve(&Problem { target, root: Root::Fixed, points: start, options: o }, &mut s, &mut sol).unwrap();
    (sol.cycles, sol.outcome, sol.distance)
}
pub fn run() {
    for n in [2usize, 10, 100] {
        for k in 2..12 {
            let target = R::new(k).dir() * (1.0 - 10f64.powi(-(k as i32)));
            let a = one(&arc(n, 1.0, 1.0), target, 0);
            let b = one(&arc(n, 1.0, 1.0), target, 5);
            println!("ring {n} 1-1e-{k}: {:?} {:?}", a, b);
        }
    }
    for n in [2usize, 3, 10, 100, 1000] {
        for x in [1.0 - 1e-4, 0.9, 0.5, 0.03, 0.0, -0.5, -0.9, -0.999] {
            print!("line {n} {x}: ");
            for acc in [0, 5] { let (c, o, _) = one(&arc(n, 1.0, 0.0), Vector3::new(x, 0.0, 0.0), acc); print!("{c} {o} | "); }
            println!();
        }
    }
    for n in [2usize, 3, 10, 100] {
        for k in [3, 5, 7, 9, 11, 13, 15] {
            print!("nearly {n} 1e-{k}: ");
            let mut s = arc(n, 1.0, 0.0);
            for (i, p) in s.iter_mut().enumerate() { p.y = 10f64.powi(-k) * (i as f64 * 0.7).sin(); }
            for x in [0.9, 0.3, -0.5] {
            for acc in [0, 5] { let (c, o, _) = one(&s, Vector3::new(x, 0.0, 0.0), acc); print!("{c} {o} | "); } }
            println!();
        }
    }
    // inner ring
    for k in 2..10 {
        let mut r = R::new(9);
        let mut s = vec![Vector3::zeros()];
        for l in [0.1, 0.7, 0.1, 0.1] { let q = s[s.len() - 1] + r.dir() * l; s.push(q); }
        let t = r.dir() * (0.4 + 10f64.powi(-k));
        println!("inner 1e-{k} {:?} {:?}", one(&s, t, 0), one(&s, t, 5));
    }
}
}
mod exp3 {
use super::exp::*;
use nalgebra::Vector3;
use urdf_ik::solver::fabrik::points::*;
pub fn run() {
    for n in [2usize, 3, 4, 6, 10, 30, 100] {
        for near in [false, true] {
        print!("{n} {near}: ");
        for (acc, circles) in [(0, false), (0, true), (1, false), (3, false), (5, false), (5, true), (8, false)] {
            let o = Options { cycles: 10_000, acceleration: acc, circles, ..Options::default() };
            let mut r = R::new(5);
            let mut all = vec![]; let mut bad = 0; let mut worst = (0, 0.0, 0.0, 0.0);
            for _ in 0..500 {
                let mut s = vec![Vector3::zeros()];
                for i in 0..n { let l = r.between(0.05, 0.3); let q = s[i] + r.dir() * l; s.push(q); }
                let c = PointChain::from_points(&s).unwrap();
                let (i, u) = (c.inner_reach(), c.outer_reach());
                let t = r.dir() * if near { i + (u - i) * r.between(0.0, 0.1) } else { r.between(i, u) };
                let (mut sc, mut sol) = (c.scratch(&o), c.solution());
                c.solve(&Problem { target: t, root: Root::Fixed, points: &s, options: o }, &mut sc, &mut sol).unwrap();
                if sol.outcome != Outcome::Solved { bad += 1; }
                if sol.cycles > worst.0 { worst = (sol.cycles, i, t.norm(), u); }
                all.push(sol.cycles);
            }
            all.sort_unstable();
            print!(" | {acc}{} {:.1} p50 {} p99 {} max {} bad {bad}", if circles { "c" } else { "" }, all.iter().sum::<usize>() as f64 / 500.0, all[250], all[495], all[499]);
            if acc == 5 && n < 4 { print!(" {worst:.4?}"); }
        }
        println!();
        }
    }
}
}
