//! Operations on vectors stored as slices.

/// The dot product of two vectors of equal length.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The Euclidean norm of a vector.
#[inline]
pub fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Adds `factor` times `vector` to `sum` in place. Both have the same length.
#[inline]
pub fn add_times(sum: &mut [f64], factor: f64, vector: &[f64]) {
    for (sum, entry) in sum.iter_mut().zip(vector) {
        *sum += factor * entry;
    }
}

/// Scales a vector to norm 1 in place and returns its previous norm. A zero vector is unchanged.
pub fn normalise(vector: &mut [f64]) -> f64 {
    let length = length(vector);
    if length > 0.0 {
        for entry in vector {
            *entry /= length;
        }
    }
    length
}
