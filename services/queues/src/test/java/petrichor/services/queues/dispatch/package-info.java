/** Tests of dispatch: a seeded simulation, restarts, real HTTP servers. */
@NullMarked
package petrichor.services.queues.dispatch;

import org.jspecify.annotations.NullMarked;
