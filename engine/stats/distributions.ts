/**
 * The normal, beta and t quantiles that the estimators need. Textbook forms: power series and continued fractions
 * as in Abramowitz and Stegun (1964), 7.1, 26.2, 26.5; quantiles by bisection, which cannot diverge.
 */

/** P(Z <= z) of a standard normal. */
export function normalCdf(z: number): number {
  const half = Math.abs(z) < 3 ? normalSeries(Math.abs(z)) : 0.5 - normalTail(Math.abs(z));
  return z < 0 ? 0.5 - half : 0.5 + half;
}

/** The z that leaves `level` of a standard normal between -z and z: 1.96 for 0.95. */
export function normalWidth(level: number): number {
  return bisect((z) => (z < 3 ? 2 * normalSeries(z) : 1 - 2 * normalTail(z)) < level, 0, 40);
}

/** The t that leaves `level` of Student's t with `df` degrees of freedom between -t and t. */
export function studentWidth(level: number, df: number): number {
  const x = betaQuantile(1 - level, df / 2, 0.5);
  return Math.sqrt((df * (1 - x)) / x);
}

/** The x with I_x(a, b) = p, the quantile of a beta distribution. */
export function betaQuantile(p: number, a: number, b: number): number {
  return bisect((x) => regularizedBeta(x, a, b) < p, 0, 1);
}

/** I_x(a, b), the regularized incomplete beta function: P(X <= x) of a beta distribution. */
export function regularizedBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - regularizedBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / a;
  return front * betaFraction(x, a, b);
}

/** Lentz's evaluation of the continued fraction 26.5.8. */
function betaFraction(x: number, a: number, b: number): number {
  const away = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value);
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m < 100_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return result;
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Stirling's series (6.1.40), the argument raised to where its first terms are exact to double precision. */
export function logGamma(x: number): number {
  let shift = 0;
  let at = x;
  while (at < 15) {
    shift += Math.log(at);
    at += 1;
  }
  const s = 1 / (at * at);
  const series = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - (s * 691) / 360_360))))) / at;
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series - shift;
}

/** P(0 <= Z <= z) for small z, by 26.2.11. */
function normalSeries(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 3; term > sum * 1e-17; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return sum * density(z);
}

/** P(Z > z) for large z, by the continued fraction 26.2.14. */
function normalTail(z: number): number {
  let fraction = z;
  for (let k = 200; k > 0; k--) fraction = z + k / fraction;
  return density(z) / fraction;
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** The point between `low` and `high` where `below` turns from true to false, to the last bit. */
export function bisect(below: (x: number) => boolean, low: number, high: number): number {
  let [from, to] = [low, high];
  for (;;) {
    const middle = (from + to) / 2;
    if (middle <= from || middle >= to) return middle;
    if (below(middle)) from = middle;
    else to = middle;
  }
}
