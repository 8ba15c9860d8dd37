/**
 * What a cloud must give so that jobs can lease machines: {@link petrichor.cloud.Cloud}. Types of
 * machines have prices; a launch carries a token, so that asking twice gives one machine, and a
 * {@link petrichor.cloud.LeaseTag}, so that whoever comes after a crash finds what was leased.
 *
 * <p>Nobody here believes a cloud. Answers may be late, stale or half; what may be relied on is in
 * {@link petrichor.cloud.CloudLimits}, and {@code CloudConformance} of the testkit asks for it.
 */
@NullMarked
package petrichor.cloud;

import org.jspecify.annotations.NullMarked;
