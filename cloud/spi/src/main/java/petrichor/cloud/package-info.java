/**
 * The SPI of clouds, from which jobs lease machines: {@link petrichor.cloud.Cloud}. Instance types
 * have prices; a launch carries a token, so that a repeated call launches one machine, and a {@link
 * petrichor.cloud.LeaseTag}, so that leased machines are found after a crash.
 *
 * <p>Answers of a cloud may be late, stale or incomplete; its guarantees are in {@link
 * petrichor.cloud.CloudLimits}, and {@code CloudConformance} of the testkit tests them.
 */
@NullMarked
package petrichor.cloud;

import org.jspecify.annotations.NullMarked;
