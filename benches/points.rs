//! x
fn main() {
    exp::run();
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
