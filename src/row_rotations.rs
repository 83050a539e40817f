//! Rotations that make rows orthogonal (Hestenes 1958, "Inversion of matrices by biorthogonalization and related results").

/// Makes two rows of the same length orthogonal by a rotation in their plane. Gives its cosine and sine; `None` where they are orthogonal
/// already.
pub fn make_orthogonal(a: &mut [f64], b: &mut [f64]) -> Option<[f64; 2]> {
    let (aa, bb) = (norm_squared(a), norm_squared(b));
    let ab: f64 = a.iter().zip(b.iter()).map(|(x, y)| x * y).sum();
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
pub fn rotate(a: &mut [f64], b: &mut [f64], [cosine, sine]: [f64; 2]) {
    for (x, y) in a.iter_mut().zip(b) {
        (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
    }
}

/// The squared length of a row.
pub fn norm_squared(row: &[f64]) -> f64 {
    row.iter().map(|entry| entry * entry).sum()
}
