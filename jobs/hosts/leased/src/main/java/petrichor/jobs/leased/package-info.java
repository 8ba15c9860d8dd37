/**
 * Jobs on machines that are leased for each stage and given back when it ends (chapter 3 of the
 * Nephele thesis). {@link petrichor.jobs.leased.LeasedMachines} is a {@link
 * petrichor.jobs.engine.workers.WorkerSource}: the engine asks it for workers, stage by stage, and
 * does not know that there is a cloud.
 *
 * <p>What a stage wants follows from the job graph ({@link petrichor.jobs.leased.MachinePlan}). The
 * machines of a local cloud run worker processes ({@link petrichor.jobs.leased.LeasedWorkerMain}),
 * one after the other, which report to whoever leased them ({@link
 * petrichor.jobs.leased.WorkerRegistrationServer}). Between stages lie files ({@link
 * petrichor.jobs.leased.StageCut}), which no machine takes along when it goes.
 */
@NullMarked
package petrichor.jobs.leased;

import org.jspecify.annotations.NullMarked;
