/**
 * Task queues, with the semantics of App Engine and Cloud Tasks. A project's queues and tasks are
 * rows of its default database, so a task can be written in the same commit as the entities that
 * ask for it.
 *
 * <p>{@link petrichor.services.queues.ProjectQueues} changes the queues and tasks of one project;
 * its calls run on the owner of the database. Each task has three rows (see {@code QueueRows}): its
 * content, which does not change; its state; and its place in the order of ETAs, by which tasks are
 * dispatched or leased. The rows are the truth: the package {@code dispatch}, which delivers tasks
 * of push queues, keeps only hints in memory, and its successor on another server continues from
 * the rows.
 *
 * <p>Delivery is at least once. A name is used at most once: the state of a named task stays as a
 * tombstone for {@link petrichor.services.queues.QueueLimits#tombstone}.
 */
@NullMarked
package petrichor.services.queues;

import org.jspecify.annotations.NullMarked;
