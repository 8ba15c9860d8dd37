/**
 * Leases the machines of jobs: leased when a stage starts, released when it ends, reused within the
 * paid time, and released just before the next hour is billed (chapter 3.3 of the Nephele thesis).
 *
 * <p>{@link petrichor.cloud.leasing.Leasing} receives all stages ({@link
 * petrichor.cloud.leasing.StageDemand}) in each step and reconciles: it never waits for an event
 * that might be lost. Actions are recorded in a {@link petrichor.cloud.leasing.LeaseLog} first, so
 * that after a crash every machine is found, and taken over or released.
 */
@NullMarked
package petrichor.cloud.leasing;

import org.jspecify.annotations.NullMarked;
