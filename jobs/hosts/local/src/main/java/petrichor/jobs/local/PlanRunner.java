package petrichor.jobs.local;

import petrichor.jobs.pact.Plan;

/**
 * Runs the plans that a program submits, in whichever way its user asked for. Safe for all threads.
 */
public interface PlanRunner {
    /** Queues a plan and returns; a failure to run it fails {@link Submitted#await()}. */
    Submitted submit(Plan plan);

    /** A plan that was submitted. Safe for all threads. */
    interface Submitted {
        /** Waits for the end, and fails with PetrichorException as the plan failed. */
        Jobs.Done await();

        /** Stops it, or removes it from the queue; {@link #await()} then fails with ABORTED. */
        void cancel();
    }
}
