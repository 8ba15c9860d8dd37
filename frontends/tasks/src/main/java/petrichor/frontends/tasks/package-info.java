/**
 * Cloud Tasks v2 on the wire: gRPC and REST on the shared port. The queues are those of {@code
 * taskqueue}: a queue has the same name in every location. Each server accepts all calls; the owner
 * of the project's default database executes them.
 */
@NullMarked
package petrichor.frontends.tasks;

import org.jspecify.annotations.NullMarked;
