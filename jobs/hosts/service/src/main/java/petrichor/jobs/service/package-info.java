/**
 * Jobs that are submitted to somebody: a {@link petrichor.jobs.service.JobService} queues them,
 * runs each in a process of its own, so that user code can harm nothing but its job, follows them
 * and remembers how they ended.
 *
 * <p>What a job's process tells ({@link petrichor.jobs.service.JobEvent}, a JSON object per line)
 * is what its followers are told; applied one after the other, events make a {@link
 * petrichor.jobs.service.JobSnapshot}. No object of user code ever comes into the service's
 * process.
 */
@NullMarked
package petrichor.jobs.service;

import org.jspecify.annotations.NullMarked;
