/**
 * Reliable measurements on a shared machine: contenders run interleaved, round after round, in one
 * process; results are medians and ratios of medians, and every sample is kept as CSV.
 */
@NullMarked
package petrichor.bench;

import org.jspecify.annotations.NullMarked;
