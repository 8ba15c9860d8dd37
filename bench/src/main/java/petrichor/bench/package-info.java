/**
 * Measures that can be trusted on a shared machine: contenders run in turn, round after round, in
 * one process; medians and the ratio of medians are what is quoted, and every sample is kept as
 * CSV.
 */
@NullMarked
package petrichor.bench;

import org.jspecify.annotations.NullMarked;
