//! A linear separator: hinge loss, dual coordinate descent, fixed order.

/// Rounds over all examples, at most.
const ROUNDS: usize = 12;
/// Rounds that look at every example.
const WHOLE: [usize; 4] = [0, 1, 5, ROUNDS - 1];
/// Less movement than this ends it.
const STILL: f64 = 0.05;

/// The weights for `inputs` of which `of` are positive; the last one is the bias. `cost` is what an error costs against
/// the size of the weights.
pub(crate) fn fit(inputs: &[&[(u32, f32)]], of: &[bool], size: usize, cost: f64) -> Vec<f64> {
    let mut weights = vec![0.0; size + 1];
    let mut alphas = vec![0.0f64; inputs.len()];
    let squares: Vec<f64> = inputs
        .iter()
        .map(|input| input.iter().map(|(_, x)| f64::from(*x) * f64::from(*x)).sum::<f64>() + 1.0)
        .collect();
    // What stands far on its side is looked at only now and then.
    let mut far = vec![false; inputs.len()];
    for round in 0..ROUNDS {
        let mut moved = 0.0f64;
        let whole = WHOLE.contains(&round);
        for (i, input) in inputs.iter().enumerate() {
            if far[i] && !whole {
                continue;
            }
            let sign = if of[i] { 1.0 } else { -1.0 };
            let score: f64 =
                input.iter().map(|(f, x)| weights[*f as usize] * f64::from(*x)).sum::<f64>() + weights[size];
            let gradient = sign * score - 1.0;
            let old = alphas[i];
            far[i] = old == 0.0 && gradient > 0.0;
            if old == 0.0 && gradient >= 0.0 || old == cost && gradient <= 0.0 {
                continue;
            }
            let new = (old - gradient / squares[i]).clamp(0.0, cost);
            let step = (new - old) * sign;
            if step == 0.0 {
                continue;
            }
            alphas[i] = new;
            moved = moved.max(step.abs());
            for (f, x) in *input {
                weights[*f as usize] += step * f64::from(*x);
            }
            weights[size] += step;
        }
        if moved < STILL && whole {
            break;
        }
    }
    weights
}
