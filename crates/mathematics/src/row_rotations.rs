//! One-sided Jacobi rotations (Hestenes 1958, "Inversion of matrices by biorthogonalization and related results").

use crate::vectors::dot;

/// Largest number of sweeps of rotations; six rows need four or five.
const MAX_SWEEPS: usize = 30;

/// Rotates the `count` rows of the row-major matrix `rows` in place until they are orthogonal (one-sided Jacobi). The
/// same rotations are applied to the `count` rows of the row-major matrix `along`.
pub fn diagonalise(rows: &mut [f64], along: &mut [f64], count: usize) {
    if count == 0 {
        return;
    }
    let [length, other] = [rows.len() / count, along.len() / count];
    for _ in 0..MAX_SWEEPS {
        let mut still = true;
        for j in 1..count {
            for i in 0..j {
                let (head, tail) = rows.split_at_mut(j * length);
                if let Some(rotation) = make_orthogonal(&mut head[i * length..][..length], &mut tail[..length]) {
                    let (head, tail) = along.split_at_mut(j * other);
                    rotate(&mut head[i * other..][..other], &mut tail[..other], rotation);
                    still = false;
                }
            }
        }
        if still {
            break;
        }
    }
}

/// Makes two rows of equal length orthogonal by a rotation in their plane. Returns its cosine and sine; `None` if
/// they already are.
fn make_orthogonal(a: &mut [f64], b: &mut [f64]) -> Option<[f64; 2]> {
    let (aa, bb) = (dot(a, a), dot(b, b));
    let ab = dot(a, b);
    if ab.abs() <= 1e-15 * (aa * bb).sqrt() {
        return None;
    }
    let ratio = (bb - aa) / (2.0 * ab);
    let tangent = ratio.signum() / (ratio.abs() + (1.0 + ratio * ratio).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    let rotation = [cosine, cosine * tangent];
    rotate(a, b, rotation);
    Some(rotation)
}

/// Rotates two rows in their plane.
fn rotate(a: &mut [f64], b: &mut [f64], [cosine, sine]: [f64; 2]) {
    for (x, y) in a.iter_mut().zip(b) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}
