/** Jobs that are submitted to this server, and their pages. */
@NullMarked
package petrichor.server.jobs;

import org.jspecify.annotations.NullMarked;
