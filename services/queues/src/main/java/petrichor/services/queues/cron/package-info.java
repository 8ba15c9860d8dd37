/**
 * Cron jobs with App Engine's schedules. A job that is due becomes a task of an internal queue, in
 * the commit that computes its next run: delivery, retries and take-over are those of tasks, and a
 * time that was missed is made up for at most once.
 */
@NullMarked
package petrichor.services.queues.cron;

import org.jspecify.annotations.NullMarked;
