package petrichor.jobs.local;

import petrichor.jobs.pact.Plan;

/**
 * Runs the plans that a program submits, in the execution mode that its user chose. Safe for all
 * threads.
 */
public interface PlanRunner {
    /** Queues a plan and returns; a failure of its run fails {@link Submitted#await()}. */
    Submitted submit(Plan plan);

    /** A submitted plan. Safe for all threads. */
    interface Submitted {
        /** Waits for the end; throws the PetrichorException with which the plan failed. */
        Jobs.Done await();

        /** Cancels it, or removes it from the queue; {@link #await()} then fails with ABORTED. */
        void cancel();
    }
}
