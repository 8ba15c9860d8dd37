/**
 * Which machines a job has, and when: leased when a stage starts, given back when it ends, used
 * again within what was paid for, and given back just before the next hour is billed (chapter 3.3
 * of the Nephele thesis).
 *
 * <p>{@link petrichor.cloud.leasing.Leasing} is told in each step which stages there are ({@link
 * petrichor.cloud.leasing.StageDemand}) and does what is missing: it never waits for an event that
 * might be lost. What it is about to do stands in a {@link petrichor.cloud.leasing.LeaseLog} first,
 * so that whoever comes after a crash finds every machine, and takes it over or gives it back.
 */
@NullMarked
package petrichor.cloud.leasing;

import org.jspecify.annotations.NullMarked;
