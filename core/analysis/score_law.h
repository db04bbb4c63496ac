// The exact law of q·k where q and k hold d independent standard normal numbers.
//
// A product of two normals has the characteristic function (1 + t²)^(−1/2), so a sum of d of them has (1 + t²)^(−d/2): variance d,
// kurtosis 3 + 6/d, a logarithmic peak at d = 1 and the Laplace law at d = 2. The normal law N(0, d) is what it comes near to as
// d grows.
#pragma once

namespace heed {

// The density at a score. At d = 1 it has no bound at 0: there it is that of a score of 10⁻⁹.
double score_density(int d, double score);

}  // namespace heed
