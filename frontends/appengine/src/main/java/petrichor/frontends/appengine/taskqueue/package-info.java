/**
 * The API {@code taskqueue} on {@link petrichor.services.queues.ProjectQueues}: push and pull
 * queues, and tasks that a transaction of {@code datastore_v3} adds.
 */
@NullMarked
package petrichor.frontends.appengine.taskqueue;

import org.jspecify.annotations.NullMarked;
