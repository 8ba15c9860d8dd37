/** Hilbert's curve over quantile buckets: one ordered prefix for several tags of a tuple. */
@NullMarked
package petrichor.placement.curve;

import org.jspecify.annotations.NullMarked;
