/**
 * Runs jobs on machines that are leased for each stage and released when it ends (chapter 3 of the
 * Nephele thesis). {@link petrichor.jobs.leased.LeasedMachines} is a {@link
 * petrichor.jobs.engine.workers.WorkerSource}: the engine requests workers from it, stage by stage,
 * and does not know about the cloud.
 *
 * <p>The machines of a stage follow from the job graph ({@link petrichor.jobs.leased.MachinePlan}).
 * The machines of a local cloud run worker processes ({@link
 * petrichor.jobs.leased.LeasedWorkerMain}), one after the other, which register with the process
 * that leased them ({@link petrichor.jobs.leased.WorkerRegistrationServer}). Results between stages
 * are in files ({@link petrichor.jobs.leased.StageCut}), which are not lost with a machine.
 */
@NullMarked
package petrichor.jobs.leased;

import org.jspecify.annotations.NullMarked;
