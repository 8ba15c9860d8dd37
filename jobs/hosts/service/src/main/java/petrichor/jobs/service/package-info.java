/**
 * Submitted jobs: a {@link petrichor.jobs.service.JobService} queues them, runs each in a process
 * of its own, so that user code can harm only its own job, publishes their progress and remembers
 * how they ended.
 *
 * <p>{@code progress.proto} is the one schema of all this: a {@link
 * petrichor.jobs.service.Progress.Job} is a snapshot, and a {@link
 * petrichor.jobs.service.Progress.Event} changes it ({@link
 * petrichor.jobs.service.JobSnapshot#apply}). A job's process sends events, one line of JSON each
 * ({@link petrichor.jobs.service.ProgressJson}); its subscribers, the files of jobs and the HTTP
 * interface have the same messages. No object of user code enters the service's process.
 */
@NullMarked
package petrichor.jobs.service;

import org.jspecify.annotations.NullMarked;
