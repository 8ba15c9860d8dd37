/**
 * Dispatch of push queues: delivers tasks to apps at the rate of their queue.
 *
 * <p>{@link petrichor.services.queues.dispatch.Dispatchers} runs one dispatcher per queue on the
 * server that owns the project's database. A dispatcher keeps a window of the next tasks in order
 * of their ETAs, filled by a scan of the queue's rows and by hints of commits; it reads the rows of
 * a task before it delivers it, so an entry of the window may be out of date. Starting a delivery
 * writes nothing; outcomes are written in groups. After a crash or a change of the owner, tasks
 * that were being delivered are delivered again.
 */
@NullMarked
package petrichor.services.queues.dispatch;

import org.jspecify.annotations.NullMarked;
