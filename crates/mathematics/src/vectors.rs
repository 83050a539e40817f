//! Products and lengths of vectors that are slices.

/// The dot product.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The length.
#[inline]
pub fn length(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Adds a vector to `sum`, so many times.
#[inline]
pub fn add_times(sum: &mut [f64], factor: f64, vector: &[f64]) {
    for (sum, entry) in sum.iter_mut().zip(vector) {
        *sum += factor * entry;
    }
}

/// Makes a vector as long as 1, and gives how long it was; leaves 0 as it is.
pub fn normalise(vector: &mut [f64]) -> f64 {
    let length = length(vector);
    if length > 0.0 {
        for entry in vector {
            *entry /= length;
        }
    }
    length
}
